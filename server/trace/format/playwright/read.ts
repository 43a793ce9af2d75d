import { mergeActions, wallTimeOf } from "./actions.ts";
import { type BegunReading, createMarks, replaceInActions } from "./begun.ts";
import { addErrorsWithoutStep, newCollection } from "./collect.ts";
import { describeContents, traceFiles } from "./contents.ts";
import { type Context, newContext } from "./context.ts";
import { readContextLines } from "./context-lines.ts";
import { readFrames } from "./frames.ts";
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
import { verdictOf } from "./verdict.ts";

/**
 * Reads a Playwright trace archive of any format version up to `LATEST_VERSION` and hands its events to the sink in
 * order of time. Memory grows with the number of events and actions, not with the size of the archive.
 * @param begun what was read of it before, where `canGoOn` says that it may be gone on with: its lines are not read again
 * @throws PlaywrightRefusal (`kind: "bundle_unreadable"`) when it is none, or newer.
 */
export async function readPlaywright(
  source: PlaywrightSource,
  sink: PlaywrightSink,
  begun?: BegunReading,
): Promise<PlaywrightResult> {
  const warnings: string[] = [];
  const warn = (sentence: string) => {
    warnings.push(sentence);
    sink.warn(sentence);
  };
  const files = traceFiles(source.entries());
  if (files.length === 0) throw new PlaywrightRefusal(describeContents(source.entries()));
  const contexts: Context[] = [];
  const marks = begun && createMarks(begun);
  const spool = createSpool(begun?.spool, marks?.replaced);
  const into = { ...newCollection(spool), ...begun?.counts };

  for (const [at, trace] of files.entries()) {
    const { prefix, folder } = trace;
    const known = begun?.files[at];
    const context = known?.context ?? newContext(contexts.length, prefix);
    into.resource = (name) => (name ? (sink.resource(folder + name) ?? sink.resource(name)) : null);
    if (known && marks) {
      marks.ask(known.marks, sink.resource);
      replaceInActions(context, marks);
      into.sockets = known.sockets;
    } else
      await readContextLines(source, context, into, (event, line) => sink.line?.(event, line, trace), warn);
    if (source.has(`${prefix}.stacks`)) await readStacks(source, `${prefix}.stacks`, context, warn);
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

const MOST_STACK_CHARACTERS = 64 * 1024 * 1024;

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
