import { stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { slugOf } from "../trace/format/test-name.ts";
import { CliError, UsageError } from "./output.ts";

/** A file to upload, and what its place in Playwright's output folder tells of it. */
export interface FileToIngest {
  path: string;
  scenario: string;
  /** What it has in common with other attempts of its test, when there are any. */
  run?: string | undefined;
  attempt?: number | undefined;
}

interface Wanted {
  scenario?: string | undefined;
  run?: string | undefined;
  attempt?: number | undefined;
}

/** As Playwright names the folder of a test's first and of its later attempts: `checkout-pays`, `checkout-pays-retry1`. */
const RETRY = /^(.+)-retry([1-9]\d{0,2})$/;
const TRACES = new Bun.Glob("**/trace{,-[0-9]*}.zip");

interface Place {
  path: string;
  /** The folder of the test's first attempt. */
  test: string;
  retry: number;
}

/**
 * The files that are meant: those that are named, and of folders the traces in them. A folder `…-retry2` holds the third
 * attempt of the test whose first is in the folder without it: they get one run, and their number.
 * @param newRun makes the id of a run, where none is given
 * @throws CliError for what is not there, UsageError for a file without a scenario
 */
export async function filesToIngest(
  paths: readonly string[],
  wanted: Wanted,
  newRun: () => string,
): Promise<FileToIngest[]> {
  const places: Place[] = [];
  for (const path of paths) places.push(...(await expand(path, wanted.scenario !== undefined)));
  const retried = new Set(places.filter(({ retry }) => retry > 0).map(({ test }) => test));
  const runs = new Map([...retried].map((test) => [test, wanted.run ?? newRun()]));
  // Several tests under one scenario and run: their attempts count as one row, in the order of arrival.
  const isOneRow = wanted.scenario !== undefined && wanted.run !== undefined && retried.size > 1;
  return places.map(({ path, test, retry }) => ({
    path,
    scenario: wanted.scenario ?? slugOf({ project: "", file: "", titles: [basename(test)] }, "{title}"),
    run: wanted.run ?? runs.get(test),
    attempt: wanted.attempt ?? (runs.has(test) && !isOneRow && isFirst(path) ? retry + 1 : undefined),
  }));
}

async function expand(path: string, hasScenario: boolean): Promise<Place[]> {
  const found = await stat(path).catch(() => null);
  if (!found?.isDirectory() && !hasScenario)
    throw new UsageError("--scenario is missing: the scenario that the files belong to.");
  if (!found) throw new CliError(`There is no file ${path}.`);
  if (found.isFile()) return [placeOf(path)];
  if (!found.isDirectory()) throw new CliError(`${path} is not a file.`);
  const names = await Array.fromAsync(TRACES.scan({ cwd: path, onlyFiles: true }));
  if (names.length === 0)
    throw new CliError(`There is no trace.zip in the folder ${path}: was the trace option of Playwright on?`);
  const places = names.map((name) => placeOf(join(path, name)));
  return places.sort((a, b) => compare(a.test, b.test) || a.retry - b.retry || compare(a.path, b.path));
}

function placeOf(path: string): Place {
  const folder = dirname(resolve(path));
  const [, first, retry] = RETRY.exec(basename(folder)) ?? [];
  return first && retry
    ? { path, test: join(dirname(folder), first), retry: Number(retry) }
    : { path, test: folder, retry: 0 };
}

/** A second context of the same attempt has a file of its own, `trace-1.zip`. */
const isFirst = (path: string) => basename(path) === "trace.zip";

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
