import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fsyncFile, fsyncFolder } from "../../../store/blobs/sync.ts";
import { dropUnnamed } from "../../../store/loose-blobs.ts";
import { hasTrace } from "../../../store/records/traces.ts";
import type { Store } from "../../../store/store.ts";
import type { Deps } from "../../deps.ts";
import { forEachApart } from "../../jobs/each-apart.ts";

/** The folder of one upload among the work in progress: everything in it goes unless a transaction says that it stays. */
export interface Staging {
  folder: string;
  /** The uploaded file as it came. */
  upload: string;
  /** Blobs by hash, checked. */
  blobs: string;
  /** What becomes the trace's folder. */
  trace: string;
}

const PREFIX = "ingest-";
const JOURNAL = "journal.json";

/** What publishing is about to move out of the staging folder. */
interface Journal {
  trace_id: string;
  /** Hashes. */
  blobs: string[];
  /** Of their files' names; absent in journals of older versions, which had none. */
  suffix?: string;
}

/** Makes the folder of a new upload. */
export async function openStaging(deps: Pick<Deps, "store" | "ids">): Promise<Staging> {
  const staging = stagingAt(deps.store.work.path(`${PREFIX}${deps.ids.uuid()}`));
  await mkdir(staging.blobs, { recursive: true, mode: 0o700 });
  await mkdir(staging.trace, { mode: 0o700 });
  return staging;
}

/** Notes, durably, what publishing is about to move, so that an interrupted one can be taken back. */
export async function writeJournal(staging: Staging, journal: Journal): Promise<void> {
  const draft = join(staging.folder, `${JOURNAL}.draft`);
  await writeFile(draft, JSON.stringify(journal), { mode: 0o600 });
  await fsyncFile(draft);
  await rename(draft, join(staging.folder, JOURNAL));
  await fsyncFolder(staging.folder);
}

/** Removes the folder of an upload that is done with, whatever became of it, and what it moved without need. */
export async function closeStaging(store: Store, staging: Staging): Promise<void> {
  const journal = await readJournal(staging.folder);
  if (journal) await takeBack(store, journal);
  await rm(staging.folder, { recursive: true, force: true });
}

/**
 * Takes back what a crash left of uploads that were never acknowledged: their staging folders, and the files they had
 * already moved into place. Call it at start, before uploads are taken.
 * @returns how many there were.
 */
export async function sweepStaging(deps: Pick<Deps, "store" | "log">): Promise<number> {
  const { work } = deps.store;
  const left = await work.named(PREFIX);
  // One that cannot be cleared away stays for the next start.
  await forEachApart(
    deps,
    left.map((id) => ({ id })),
    "An unfinished upload could not be cleared away",
    ({ id }) => closeStaging(deps.store, stagingAt(work.path(id))),
  );
  if (left.length > 0) deps.log.info("unfinished uploads were cleared away", { count: left.length });
  return left.length;
}

function stagingAt(folder: string): Staging {
  return {
    folder,
    upload: join(folder, "upload"),
    blobs: join(folder, "blobs"),
    trace: join(folder, "trace"),
  };
}

async function readJournal(folder: string): Promise<Journal | null> {
  try {
    return JSON.parse(await readFile(join(folder, JOURNAL), "utf8")) as Journal;
  } catch (error) {
    // Without a journal nothing was moved: it is made durable first.
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

/** Whether the records have a trace. @throws when they cannot be asked: then nothing may be taken back */
export async function isCommitted(store: Pick<Store, "records">, traceId: string): Promise<boolean> {
  return hasTrace(store.records, traceId);
}

/** Also of an upload that is in: blobs that were there before it have a file too many. */
async function takeBack(store: Store, { trace_id, blobs, suffix = "" }: Journal): Promise<void> {
  if (!(await isCommitted(store, trace_id))) await store.files.removeTrace(trace_id);
  await dropUnnamed(
    store,
    blobs.map((hash) => ({ hash, suffix })),
  );
}
