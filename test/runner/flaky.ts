import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";

/** More files than this that fail in one run have a common cause, which running them alone would hide. */
export const MOST_FLAKY = 3;
/** A file that was flaky in so many of the runs on record is broken. */
const TIMES_ON_RECORD = 3;
const RUNS_ON_RECORD = 20;

/** The runs of this machine, oldest first: of each, the flaky files by name with a hash of what they were. */
type Runs = Record<string, string>[];

/** Where runs are remembered between clones. */
export const recordPath = (): string =>
  process.env.TRACEDECK_TEST_RECORD ??
  join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "tracedeck", "flaky-tests.json");

/**
 * Notes the flaky files of a run beside those of earlier runs.
 * @param files name and text of each
 * @returns those that have been flaky too often, unless they were changed meanwhile
 */
export function rememberFlaky(path: string, files: { name: string; text: string }[]): string[] {
  const now = Object.fromEntries(files.map(({ name, text }) => [name, hash(text)]));
  const runs = [...readRuns(path), now].slice(-RUNS_ON_RECORD);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, JSON.stringify(runs));
  return Object.entries(now)
    .filter(([name, text]) => runs.filter((run) => run[name] === text).length >= TIMES_ON_RECORD)
    .map(([name]) => name);
}

function readRuns(path: string): Runs {
  try {
    const runs: unknown = JSON.parse(readFileSync(path, "utf8"));
    return Array.isArray(runs) ? (runs as Runs) : [];
  } catch {
    // The first run, or one that was killed while it wrote: nothing is remembered.
    return [];
  }
}

const hash = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 16);
