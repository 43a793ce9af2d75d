import { mergeActions, wallTimeOf } from "./actions.ts";
import { addErrorsWithoutStep, type Collection, collect } from "./collect.ts";
import { describeContents, traceFiles } from "./contents.ts";
import { type Context, newContext } from "./context.ts";
import { readFrames } from "./frames.ts";
import { parseLine } from "./parse-line.ts";
import type { Raw } from "./shape.ts";
import {
  PlaywrightRefusal,
  type PlaywrightResult,
  type PlaywrightSink,
  type PlaywrightSource,
} from "./source.ts";
import { applySources } from "./sources.ts";
import { createSpool } from "./spool.ts";
import { applyStacks } from "./stacks.ts";
import { emit, timelineOf } from "./timeline.ts";
import { closeInterrupted, placeErrors } from "./unclosed.ts";
import { upgrade } from "./upgrade/chain.ts";
import { newUpgradeState } from "./upgrade/step.ts";
import { verdictOf } from "./verdict.ts";

/**
 * Reads a Playwright trace archive of any format version up to `LATEST_VERSION` and hands its events to the sink in
 * order of time. Memory grows with the number of events and actions, not with the size of the archive.
 * @throws PlaywrightRefusal (`kind: "bundle_unreadable"`) when it is none, or newer.
 */
export async function readPlaywright(
  source: PlaywrightSource,
  sink: PlaywrightSink,
): Promise<PlaywrightResult> {
  const warnings: string[] = [];
  const warn = (sentence: string) => {
    warnings.push(sentence);
    sink.warn(sentence);
  };
  const files = traceFiles(source.entries());
  if (files.length === 0) throw new PlaywrightRefusal(describeContents(source.entries()));
  const contexts: Context[] = [];
  const spool = createSpool();
  const into: Collection = {
    spool,
    resource: () => null,
    nextRequest: 1,
    sockets: [],
    missingPictures: 0,
    actions: 0,
    actionCharacters: 0,
  };

  for (const trace of files) {
    const { prefix, folder } = trace;
    const context = newContext(contexts.length, prefix);
    into.resource = (name) => (name ? (sink.resource(folder + name) ?? sink.resource(name)) : null);
    await readContext(source, context, into, (event, line) => sink.line?.(event, line, trace), warn);
    await readFrames(source, folder, into.sockets.splice(0), context, spool, warn);
    placeErrors(context);
    applySources(context, into.resource);
    contexts.push(context);
  }
  const { missingPictures } = into;
  if (missingPictures > 0)
    warn(
      `${missingPictures === 1 ? "One screenshot is" : `${missingPictures} screenshots are`} missing from the archive.`,
    );

  for (const context of contexts) closeInterrupted(context);
  addErrorsWithoutStep(contexts, { spool });
  const timeline = timelineOf(spool, contexts);
  const endOfTrace = Math.max(
    timeline.latest,
    ...contexts.map((context) => wallTimeOf(context, context.latest)),
  );
  const steps = mergeActions(contexts, Number.isFinite(endOfTrace) ? endOfTrace : 0);
  const span = await emit(timeline, spool, steps, sink);
  return { ...describe(contexts), ...verdictOf(contexts, steps), ...times(contexts, span), warnings };
}

function describe(contexts: Context[]) {
  const libraries = contexts.filter(({ isRunner }) => !isRunner);
  // A context without a browser is that of API calls; it knows neither browser nor viewport.
  const main = libraries.find(({ browserName }) => browserName) ?? libraries[0] ?? contexts[0]!;
  const first = <K extends keyof Context>(key: K): Context[K] | null =>
    main[key] ?? contexts.find((context) => context[key])?.[key] ?? null;
  return {
    version: versionOf(contexts),
    browserName: first("browserName") ?? null,
    channel: first("channel") ?? null,
    platform: first("platform") ?? null,
    sdkLanguage: first("sdkLanguage") ?? null,
    playwrightVersion: first("playwrightVersion") ?? null,
    title: first("title") ?? null,
    baseURL: first("baseURL") ?? null,
    viewport: first("viewport") ?? null,
    deviceScaleFactor: first("deviceScaleFactor") ?? null,
    ...(main.timezone && { timezone: main.timezone }),
    ...(main.locale && { locale: main.locale }),
    hasRunner: contexts.some(({ isRunner }) => isRunner),
  };
}

/** Of the library's files, when there are any: a runner's that names no version is read as the last of that kind. */
function versionOf(contexts: Context[]): number {
  const libraries = contexts.filter(({ isRunner }) => !isRunner);
  return Math.max(...(libraries.length > 0 ? libraries : contexts).map(({ version }) => version));
}

function times(contexts: Context[], span: { from: number; to: number } | null) {
  const begun = contexts.flatMap(({ wallTime }) => wallTime ?? []);
  const startedAt = Math.min(...begun, span?.from ?? Number.POSITIVE_INFINITY);
  return {
    startedAt: Number.isFinite(startedAt) ? Math.round(startedAt) : null,
    endedAt: span ? Math.round(span.to) : null,
  };
}

/** What is kept of an archive while it is read has an end; no recording comes near it. */
const MOST_EVENTS = 5_000_000;
const MOST_ACTIONS = 300_000;
const MOST_ACTION_CHARACTERS = 512 * 1024 * 1024;
const MOST_STACK_CHARACTERS = 64 * 1024 * 1024;
/** Of these parts stay in memory; of all others only what the spool keeps. */
const ACTION_LINES = new Set<unknown>(["before", "input", "log", "after", "action"]);

async function readContext(
  source: PlaywrightSource,
  context: Context,
  into: Collection,
  lookOn: (event: Raw, line: string) => void,
  warn: (sentence: string) => void,
): Promise<void> {
  const state = newUpgradeState();
  const { prefix } = context;
  const file = (event: Raw, where: string, line: string) => {
    for (const upgraded of upgrade(event, state, where)) {
      lookOn(upgraded, line);
      collect(upgraded, context, into);
    }
    if (ACTION_LINES.has(event.type)) into.actionCharacters += line.length;
    if (
      into.spool.length > MOST_EVENTS ||
      into.actions > MOST_ACTIONS ||
      into.actionCharacters > MOST_ACTION_CHARACTERS
    )
      throw new PlaywrightRefusal(`${where}: the archive holds more events than can be shown.`);
  };
  await readLines(source, `${prefix}.trace`, file, warn);
  // A runner's trace had no options line before version 7, and nothing else names its recorder.
  if (state.options === null && state.version !== null) context.isRunner = true;
  if (source.has(`${prefix}.network`)) await readLines(source, `${prefix}.network`, file, warn);
  context.version = state.version ?? 0;
  if (source.has(`${prefix}.stacks`)) await readStacks(source, `${prefix}.stacks`, context, warn);
}

/** Calls `file` for each readable line; one that is not JSON is left out and told, the cut last one by itself. */
async function readLines(
  source: PlaywrightSource,
  name: string,
  file: (event: Raw, where: string, line: string) => void,
  warn: (sentence: string) => void,
): Promise<void> {
  let number = 0;
  let broken: number[] = [];
  for await (const line of source.lines(name)) {
    number += 1;
    if (line === "" || line === "\r") continue;
    const event = parseLine(line);
    if (event === null) {
      if (number === 1)
        throw new PlaywrightRefusal(
          `${name}, line 1: this is no JSON object; a Playwright trace has one in every line.`,
        );
      broken.push(number);
      continue;
    }
    file(event, `${name}, line ${number}`, line);
  }
  if (broken.at(-1) === number && number > 0) {
    warn(`${name} ends inside line ${number}; it was read up to the line before.`);
    broken = broken.slice(0, -1);
  }
  if (broken.length > 0)
    warn(
      `${name}: ${broken.length === 1 ? "one line is" : `${broken.length} lines are`} unreadable and left out, the first is line ${broken[0]}.`,
    );
}

async function readStacks(
  source: PlaywrightSource,
  name: string,
  context: Context,
  warn: (sentence: string) => void,
): Promise<void> {
  let json = "";
  for await (const line of source.lines(name)) {
    json += line;
    if (json.length > MOST_STACK_CHARACTERS) break;
  }
  try {
    applyStacks(context, JSON.parse(json));
  } catch {
    warn(`${name} is unreadable: calls come without their stacks.`);
  }
}
