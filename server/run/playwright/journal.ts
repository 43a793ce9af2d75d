import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Told } from "./outcome.ts";

/** What a run is begun with (`POST /v1/test-runs`). */
export interface Frame {
  name?: string;
  ci?: { provider: string; run_id: string; url: string | null };
  branch?: string;
  commit_sha?: string;
  is_dirty?: boolean;
  pr_number?: number;
  shard?: { index: number; total: number };
  started_at: string;
}

/** A run that the server has not heard to its end: all that is to be told of it. */
export interface Journal {
  version: 1;
  /** Of the run, unlike any other: with it the server meets a run that it has begun for us. */
  key: string;
  frame: Frame;
  results: Told[];
  end: { status: "passed" | "failed" | "interrupted"; ended_at: string };
}

const ENDING = ".testrun";

/** Keeps a journal in the outbox, so that a later run or a person sends it. */
export async function keepJournal(folder: string, journal: Journal): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, ".gitignore"), "*\n");
  const path = join(folder, `${journal.key}${ENDING}`);
  await writeFile(`${path}.part`, JSON.stringify(journal));
  await rename(`${path}.part`, path);
}

/** The journals of an outbox, in no order. A file that somebody else put there is none. */
export async function listJournals(folder: string): Promise<Journal[]> {
  const names = await readdir(folder).catch(() => []);
  const journals: Journal[] = [];
  for (const name of names.filter((one) => one.endsWith(ENDING))) {
    try {
      const journal = JSON.parse(await readFile(join(folder, name), "utf8")) as Partial<Journal>;
      if (journal.version === 1 && `${journal.key}${ENDING}` === name) journals.push(journal as Journal);
    } catch {
      // Damaged, or sent by another run meanwhile.
    }
  }
  return journals;
}

export const dropJournal = (folder: string, { key }: Pick<Journal, "key">): Promise<void> =>
  rm(join(folder, `${key}${ENDING}`), { force: true });

/** The server will never take it: it stays, but is not sent again. */
export const refuseJournal = (folder: string, { key }: Pick<Journal, "key">): Promise<void> =>
  rename(join(folder, `${key}${ENDING}`), join(folder, `${key}${ENDING}-refused`));
