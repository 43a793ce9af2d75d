import { whereWritable } from "../../../store/records/outcome.ts";
import { recordShareViews, type ShareView } from "../../../store/records/share.ts";
import { type CommitDeps, commit } from "../../jobs/commit.ts";
import type { PeriodicTask } from "../../jobs/types.ts";

/** Openings that wait to be written; with so many they are written at once. */
const MOST_WAITING = 200;
/** Of those that could not be written: later ones are not counted. */
const MOST_KEPT = 2_000;
const EVERY_MS = 1_000;

/** Openings of shared pages, written several at a time: whoever opens a page must not cost a transaction each time. */
export interface Openings {
  add(view: ShareView): Promise<void>;
  /** Writes what waits: before it is read, and before the records are closed. */
  flush(): Promise<void>;
  /** The same before they are shown; where nothing can be written, they wait on. */
  tryFlush(): Promise<void>;
}

/** A crash loses those of its last second. */
export function createOpenings(deps: CommitDeps): Openings {
  let waiting: ShareView[] = [];
  let writing: Promise<void> = Promise.resolve();

  async function flush(): Promise<void> {
    const views = waiting;
    waiting = [];
    if (views.length > 0) {
      const write = async () => {
        try {
          await commit(deps, (trx) => recordShareViews(trx, views));
        } catch (error) {
          waiting = [...views, ...waiting].slice(0, MOST_KEPT);
          throw error;
        }
      };
      writing = writing.then(write, write);
    }
    await writing;
  }

  const tryFlush = async () => void (await whereWritable(deps.store.records, flush));

  return {
    flush,
    tryFlush,
    async add(view) {
      waiting.push(view);
      if (waiting.length >= MOST_WAITING) await tryFlush();
    },
  };
}

/** Writes the openings of shared pages. */
export function openingsTask(openings: Openings): PeriodicTask {
  return { name: "new openings of shares", everyMs: EVERY_MS, of: "server", run: () => openings.flush() };
}
