/** A unit of work that survives a crash. Payloads are JSON. */
export interface NewJob {
  kind: string;
  payload: Record<string, unknown>;
  /** While a job of this kind and key is queued or running, adding another is a no-op. */
  dedupeKey?: string;
  /** Epoch ms at which the period began that the job is for. Adding another of its kind for that period is a no-op for ever. */
  periodAt?: number;
  /** Epoch ms; now when absent. */
  runAt?: number;
  /** What it waits for: of the jobs of one lane, the handler's `apart.perLane` go on at once. */
  lane?: string;
  /** Failures reported by the handler before the job is dead. Crashes do not count. Default 3. */
  maxAttempts?: number;
}

export interface JobContext {
  id: string;
  /** 1 for the first try. */
  attempt: number;
  /** Whether a failure now is the last one. */
  isLastAttempt: boolean;
  /** Aborts at shutdown and when the lease is lost. */
  signal: AbortSignal;
  /** Extends the lease; call it during long work. */
  heartbeat(): Promise<void>;
  /** How often the process died after `begin`, as far as this job knows. */
  deaths: number;
  /** Notes that work begins which the process may die of, when what others sent takes all its memory, say. */
  begin(): Promise<void>;
}

/** Idempotent: it may run again after a crash at any point. Throwing counts as one failed attempt. */
export type JobHandler = (payload: Record<string, unknown>, context: JobContext) => Promise<void>;

/** The table of handlers; start-up refuses a kind with none or two. */
export type JobHandlers = {
  kind: string;
  handle: JobHandler;
  /**
   * Called after the last failed attempt and before the job is marked dead, so that its verdict cannot be lost. It is
   * called again when a crash fell in between.
   */
  onDead?: (payload: Record<string, unknown>, error: string) => Promise<void>;
  /**
   * How many of this kind run at once; bounded by the runner's own limit when absent. It is for work that takes long: all the
   * kinds that have one together leave a slot to those that have none.
   */
  atMost?: number;
  /**
   * For work that only waits for somebody else's answer: `atMost` slots of its own, beside the runner's, so that one who
   * hangs holds up nothing else. Instead of the other `atMost`.
   */
  apart?: { atMost: number; perLane: number };
}[];

/** Work that recurs by the clock and may be skipped: at start and then every `everyMs`. */
export interface PeriodicTask {
  name: string;
  everyMs: number;
  /**
   * `server`: what this process holds in memory, or keeps on its own disk; every server does it, by a timer. `store`: what all
   * servers of a store share; one of them does it, as a job.
   */
  of: "server" | "store";
  /** A cheap look whether there is something to do; no job is added where there is nothing. */
  isDue?(): Promise<boolean>;
  run(): Promise<void>;
}
