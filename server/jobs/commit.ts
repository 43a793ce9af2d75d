import type { Trx } from "../../store/records/db.ts";
import { hasJob } from "../../store/records/jobs.ts";
import { orCommitted } from "../../store/records/outcome.ts";
import type { Store } from "../../store/store.ts";
import type { Hub } from "../platform/hub.ts";
import type { JobQueue } from "./queue.ts";
import type { NewJob } from "./types.ts";

/** What a change of the records needs. */
export interface CommitDeps {
  store: Pick<Store, "records">;
  hub: Hub;
  jobs: Pick<JobQueue, "add" | "wake">;
}

/** What follows a transaction. */
export interface After {
  /** Tells whoever listens once the transaction is in, in the order of the calls. */
  publish: Hub["publish"];
  /** Does it once the transaction is in: what this process remembers of the rows is forgotten, say. It must not throw. */
  follow(act: () => void): void;
  /** Adds a job in the transaction. One that is new wakes the runner once the transaction is in. */
  add(job: NewJob): Promise<void>;
}

/**
 * Carries out one transaction: rows in, and news out after the commit and only then. A transaction that throws tells nobody.
 *
 * A commit that fails on the disk may be in all the same. The records are then asked; when it is in, its news go out and
 * it counts as done. Without a job and without `isIn` nobody can ask: such a transaction fails, and its news, which only
 * say that something is to be read again, are not sent.
 * @param isIn whether the transaction's own rows are there; without it, its first new job is looked up
 * @returns what `work` returns
 * @throws what `work` or the commit throws
 */
export async function commit<Result>(
  deps: CommitDeps,
  work: (trx: Trx, after: After) => Promise<Result>,
  isIn?: () => Promise<boolean>,
): Promise<Result> {
  const { records } = deps.store;
  const news: (() => void)[] = [];
  let jobId = null as string | null;
  let done = null as { result: Result } | null;
  const write = async (trx: Trx) => {
    const after: After = {
      publish: (topic, key, message) => void news.push(() => deps.hub.publish(topic, key, message)),
      follow: (act) => void news.push(act),
      async add(job) {
        const added = await deps.jobs.add(trx, job);
        jobId ??= added;
      },
    };
    done = { result: await work(trx, after) };
  };
  const isKnown = isIn ?? (async () => jobId !== null && (await hasJob(records, jobId)));
  await orCommitted(
    records,
    records.transaction().execute(write),
    async () => done !== null && (await isKnown()),
  );
  for (const tell of news) tell();
  if (jobId !== null) deps.jobs.wake();
  return done!.result;
}
