import type { Records } from "../../store/records/db.ts";
import {
  beginDeadly,
  claimJob,
  countUnhandled,
  extendLease,
  failJob,
  finishJob,
  type JobRow,
  nextDueAt,
  pruneJobs,
  pullBackJobs,
  releaseJob,
  releaseJobsOf,
} from "../../store/records/jobs.ts";
import type { Clock } from "../platform/clock.ts";
import type { Ids } from "../platform/ids.ts";
import type { Log } from "../platform/log.ts";
import type { JobQueue } from "./queue.ts";
import type { JobHandlers, PeriodicTask } from "./types.ts";

/** How long a worker may go without a heartbeat before its job is given to another. */
export const LEASE_MS = 60_000;
/** Waits before the second, third and later attempts. */
export const RETRY_MS = [1_000, 5_000, 30_000] as const;
/** A run leaves half a dozen jobs: kept for long, they would be more than what they did. */
const KEEP_DONE_MS = 2 * 60 * 60_000;
const KEEP_PERIODS_MS = 24 * 60 * 60_000;
const PRUNED_AT_ONCE = 1000;
const PRUNE_EVERY_MS = 60 * 60_000;
const LOOK_EVERY_MS = 5_000;
const STOP_WAIT_MS = 10_000;

export interface JobRunner {
  /**
   * Names the handlers without running anything: for `runDue`, and called by `start`.
   * @throws Error when a kind has two handlers, or one that `kinds` names has none.
   */
  prepare(handlers: JobHandlers, kinds?: readonly string[]): void;
  /** Takes back the leases that a crash of this server left, reports jobs that nobody handles, and begins to run what is due. */
  start(handlers: JobHandlers, kinds?: readonly string[]): Promise<void>;
  /** Claims nothing more, aborts what runs, waits up to 10 s for it and gives the rest back. */
  stop(): Promise<void>;
  /** Runs everything due, with what it adds, until nothing is; how many attempts that were. */
  runDue(): Promise<number>;
  /** Looks for work now. */
  wake(): void;
}

export interface JobRunnerOptions {
  records: Records;
  clock: Clock;
  ids: Pick<Ids, "uuid">;
  log: Log;
  /** The id of this server, which its leases carry. */
  server: string;
  /** Wakes the runner when it is told of new work. */
  queue?: Pick<JobQueue, "onWake">;
  /** Jobs at once, beside those of kinds that have slots of their own. */
  concurrency: number;
}

type Handler = JobHandlers[number];

export function createJobRunner(options: JobRunnerOptions): JobRunner {
  const { records, clock, ids, log, server, concurrency } = options;
  const handlers = new Map<string, Handler>();
  const active = new Map<string, { job: JobRow; done: Promise<void>; abort: AbortController }>();
  const running = new Map<string, number>();
  let stopping = false;
  let loop: Promise<void> | null = null;
  let nudge = new AbortController();
  let lastNow = Number.NEGATIVE_INFINITY;
  let attempts = 0;

  function prepare(list: JobHandlers, kinds: readonly string[] = []) {
    handlers.clear();
    for (const handler of list) {
      if (handlers.has(handler.kind)) throw new Error(`The job kind "${handler.kind}" has two handlers.`);
      handlers.set(handler.kind, handler);
    }
    const missing = kinds.filter((kind) => !handlers.has(kind));
    if (missing.length > 0) throw new Error(`No handler for the job kind "${missing.join('", "')}".`);
  }

  function wake() {
    nudge.abort();
  }

  const count = ({ kind }: Handler) => running.get(kind) ?? 0;

  function kindsWithRoom(): string[] {
    const all = [...handlers.values()];
    const sum = (some: Handler[]) => some.reduce((total, handler) => total + count(handler), 0);
    const together = all.filter(({ apart }) => apart === undefined);
    const isFull = sum(together) >= concurrency;
    const limitedCount = sum(together.filter(({ atMost }) => atMost !== undefined));
    const leavesOne = limitedCount < Math.max(1, concurrency - 1);
    const hasRoom = (handler: Handler) => {
      if (handler.apart) return count(handler) < handler.apart.atMost;
      if (isFull) return false;
      return handler.atMost === undefined || (leavesOne && count(handler) < handler.atMost);
    };
    return all.filter(hasRoom).map(({ kind }) => kind);
  }

  /** Lanes that have as many jobs under way as may be. */
  function busyLanes(): string[] {
    const counts = new Map<string, number>();
    const busy = new Set<string>();
    for (const { job } of active.values()) {
      const perLane = handlers.get(job.kind)?.apart?.perLane;
      if (job.lane === null || perLane === undefined) continue;
      const inLane = (counts.get(job.lane) ?? 0) + 1;
      counts.set(job.lane, inLane);
      if (inLane >= perLane) busy.add(job.lane);
    }
    return [...busy];
  }

  /** A clock that went back would leave leases and retries far ahead: they are pulled to where they could be at most. */
  async function currentTime(): Promise<number> {
    const now = clock.now();
    if (now < lastNow)
      await pullBackJobs(records, { now, maxLeaseMs: LEASE_MS, maxRetryMs: RETRY_MS.at(-1)! });
    lastNow = now;
    return now;
  }

  async function claimOne(): Promise<boolean> {
    if (stopping) return false;
    const now = await currentTime();
    const token = ids.uuid();
    const wanted = { kinds: kindsWithRoom(), busyLanes: busyLanes() };
    const job = await claimJob(records, { ...wanted, now, leaseUntil: now + LEASE_MS, token, server });
    if (!job) return false;
    // Nobody would abort it, nor wait for it.
    if (stopping) {
      await releaseJob(records, { id: job.id, token, runAt: now });
      return false;
    }
    const abort = new AbortController();
    running.set(job.kind, (running.get(job.kind) ?? 0) + 1);
    const done = work(job, token, abort)
      .catch((error) => log.error("A job could not be settled", { job: job.id, kind: job.kind, error }))
      .finally(() => {
        active.delete(token);
        running.set(job.kind, running.get(job.kind)! - 1);
        wake();
      });
    active.set(token, { job, done, abort });
    return true;
  }

  async function work(job: JobRow, token: string, abort: AbortController): Promise<void> {
    const handler = handlers.get(job.kind)!;
    const lease = { id: job.id, token };
    const attempt = job.attempts + 1;
    const payload = JSON.parse(job.payload) as Record<string, unknown>;
    attempts += 1;

    async function heartbeat() {
      if (await extendLease(records, { ...lease, leaseUntil: clock.now() + LEASE_MS })) return;
      abort.abort(new Error("The lease of this job was lost."));
      throw abort.signal.reason;
    }

    /** What `begin` added is taken back when the work ends in any way that can be told. */
    let died: number | undefined;
    async function begin() {
      died = (await beginDeadly(records, lease)) ?? undefined;
    }

    try {
      await handler.handle(payload, {
        id: job.id,
        attempt,
        isLastAttempt: attempt >= job.max_attempts,
        signal: abort.signal,
        heartbeat,
        deaths: job.deaths,
        begin,
      });
    } catch (error) {
      if (abort.signal.aborted) {
        await releaseJob(records, { ...lease, runAt: clock.now(), deaths: died });
        return;
      }
      await settleFailure(job, handler, { ...lease, deaths: died }, payload, error, heartbeat);
      return;
    }
    const isMine = await finishJob(records, { ...lease, now: clock.now() });
    if (!isMine) log.warn("A job ended after its lease was lost", { job: job.id, kind: job.kind });
  }

  async function settleFailure(
    job: JobRow,
    handler: Handler,
    lease: { id: string; token: string; deaths: number | undefined },
    payload: Record<string, unknown>,
    thrown: unknown,
    heartbeat: () => Promise<void>,
  ) {
    const error = thrown instanceof Error ? thrown.message : String(thrown);
    const failed = job.attempts + 1;
    const isDead = failed >= job.max_attempts;
    log[isDead ? "error" : "warn"]("A job failed", {
      job: job.id,
      kind: job.kind,
      attempt: failed,
      is_dead: isDead,
      error: thrown,
    });
    const backoff = RETRY_MS[Math.min(failed, RETRY_MS.length) - 1]!;
    if (isDead && handler.onDead) {
      await heartbeat();
      try {
        await handler.onDead(payload, error);
      } catch (cause) {
        log.error("A dead job's verdict could not be written", { job: job.id, kind: job.kind, error: cause });
        await releaseJob(records, { ...lease, runAt: clock.now() + backoff });
        return;
      }
    }
    const now = clock.now();
    await failJob(records, {
      ...lease,
      now,
      attempts: failed,
      error,
      retryAt: isDead ? null : now + backoff,
    });
  }

  async function run() {
    while (!stopping) {
      nudge = new AbortController();
      try {
        if (await claimOne()) continue;
        // What has no room is not asked for: a job that ends wakes the runner, and a due time that lies behind would spin.
        const due = await nextDueAt(records, kindsWithRoom(), busyLanes());
        const wait = due === null ? LOOK_EVERY_MS : Math.max(0, due - clock.now());
        await clock.sleep(Math.min(Math.max(wait, 1), LOOK_EVERY_MS), nudge.signal);
      } catch (error) {
        log.error("The job runner could not look for work", { error });
        await clock.sleep(LOOK_EVERY_MS, nudge.signal);
      }
    }
  }

  async function start(list: JobHandlers, kinds: readonly string[] = []) {
    prepare(list, kinds);
    const released = await releaseJobsOf(records, server, clock.now());
    if (released > 0) log.info("Jobs that a crash left are run again", { count: released });
    lastNow = Number.POSITIVE_INFINITY;
    await currentTime();
    for (const { kind, count } of await countUnhandled(records, [...handlers.keys()]))
      log.warn("Queued jobs have a kind that nobody handles", { kind, count });
    options.queue?.onWake(wake);
    loop = run();
  }

  async function stop() {
    stopping = true;
    wake();
    for (const { abort } of active.values()) abort.abort(new Error("The server is shutting down."));
    const given = new AbortController();
    const settled = Promise.allSettled([...active.values()].map(({ done }) => done));
    await Promise.race([settled, clock.sleep(STOP_WAIT_MS, given.signal)]);
    given.abort();
    await loop;
    if (active.size > 0) await releaseJobsOf(records, server, clock.now());
  }

  async function runDue() {
    const before = attempts;
    for (;;) {
      while (await claimOne());
      if (active.size === 0) return attempts - before;
      await Promise.race([...active.values()].map(({ done }) => done));
    }
  }

  return { prepare, start, stop, runDue, wake };
}

/** Forgets jobs that are done: soon, but for the mark of a period that is not over. */
export function pruneDoneJobs(deps: { records: Records; clock: Pick<Clock, "now"> }): PeriodicTask {
  return {
    name: "jobs.prune",
    everyMs: PRUNE_EVERY_MS,
    of: "store",
    async run() {
      const now = deps.clock.now();
      const old = { before: now - KEEP_DONE_MS, periodsBefore: now - KEEP_PERIODS_MS, limit: PRUNED_AT_ONCE };
      // A transaction each, so that nobody waits long.
      while ((await pruneJobs(deps.records, old)) === PRUNED_AT_ONCE);
    },
  };
}
