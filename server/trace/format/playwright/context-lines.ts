import { type Collection, collect } from "./collect.ts";
import type { Context } from "./context.ts";
import { parseLine } from "./parse-line.ts";
import type { Raw } from "./shape.ts";
import { PlaywrightRefusal, type PlaywrightSource } from "./source.ts";
import { upgrade } from "./upgrade/chain.ts";
import { newUpgradeState } from "./upgrade/step.ts";

/** What is kept of an archive while it is read has an end; no recording comes near it. */
const MOST_EVENTS = 5_000_000;
const MOST_ACTIONS = 300_000;
const MOST_ACTION_CHARACTERS = 512 * 1024 * 1024;
/** Of these parts stay in memory; of all others only what the spool keeps. */
const ACTION_LINES = new Set<unknown>(["before", "input", "log", "after", "action"]);

/**
 * Files every line of a trace file, and of the network file beside it, into its context.
 * @param lookOn sees each in the form of the latest version
 * @throws PlaywrightRefusal
 */
export async function readContextLines(
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
