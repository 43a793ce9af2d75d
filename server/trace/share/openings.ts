import { recordShareViews, type ShareView } from "../../../store/records/share.ts";
import { type CommitDeps, commit } from "../../jobs/commit.ts";
import type { PeriodicTask } from "../../jobs/types.ts";

/** Openings that wait to be written; with so many they are written at once. */
const MOST_WAITING = 200;
const EVERY_MS = 1_000;

/** Openings of shared pages, written several at a time: whoever opens a page must not cost a transaction each time. */
export interface Openings {
  add(view: ShareView): Promise<void>;
  /** Writes what waits: before it is read, and before the records are closed. */
  flush(): Promise<void>;
}

/** A crash loses those of its last second. */
export function createOpenings(deps: CommitDeps): Openings {
  let waiting: ShareView[] = [];
  let writing: Promise<void> = Promise.resolve();

  async function flush(): Promise<void> {
    const views = waiting;
    waiting = [];
    if (views.length > 0) {
      const write = () => commit(deps, (trx) => recordShareViews(trx, views));
      writing = writing.then(write, write);
    }
    await writing;
  }

  return {
    flush,
    async add(view) {
      waiting.push(view);
      if (waiting.length >= MOST_WAITING) await flush();
    },
  };
}

/** Writes the openings of shared pages. */
export function openingsTask(openings: Openings): PeriodicTask {
  return { name: "new openings of shares", everyMs: EVERY_MS, of: "server", run: () => openings.flush() };
}
