import type { Config } from "../config.ts";
import type { Metrics } from "../http/metrics.ts";
import type { Clock } from "../platform/clock.ts";
import type { Log } from "../platform/log.ts";
import { createSemaphore, type Semaphore } from "../platform/semaphore.ts";
import { RunnerError } from "./errors.ts";
import { createRunnerPool, type RunnerPool } from "./pool/pool.ts";
import { RUNNER_ENDS } from "./pool/runner.ts";

/** Ends runs that are under way, by id: routes end what jobs began. */
export type RunControls = Map<string, AbortController>;

/** What carries runs out: processes, and how to end a run. */
export interface RunWork {
  pool: RunnerPool;
  controls: RunControls;
}

/** The same of replays, and how many of an org go on at once. */
export interface ReplayWork extends RunWork {
  atOnce: Semaphore;
}

/** What the rooms of this wing hold in memory between requests and jobs. */
export interface RunState {
  runs: RunWork;
  /** In the processes that runs are carried out in. */
  replays: ReplayWork;
}

interface Needed {
  config: Pick<Config, "settings" | "limits">;
  metrics: Metrics;
  clock: Clock;
  log: Log;
  /** The command line that starts a runner process. */
  command: string[];
}

/** Starts no process: the first run does. */
export function createRunState(deps: Needed): RunState {
  const pool = createMeasuredPool(deps);
  const ended = () => new RunnerError("aborted", "The replay was ended before it began.");
  return {
    runs: { pool, controls: new Map() },
    replays: {
      pool,
      controls: new Map(),
      atOnce: createSemaphore(deps.config.limits.replaysAtOnce, ended),
    },
  };
}

function createMeasuredPool({ config, metrics, clock, log, command }: Needed): RunnerPool {
  const { slots, recycle_after_runs } = config.settings.browser;
  const started = metrics.counter("runner_processes_started_total", "Processes that were started for runs.");
  const ended = metrics.counter(
    "runner_processes_ended_total",
    `Processes of runs that ended, by why: ${RUNNER_ENDS.join(", ")}.`,
    ["why"],
  );
  const pool = createRunnerPool({
    command,
    slots,
    recycleAfterRuns: recycle_after_runs,
    clock,
    log,
    onStart: () => started.inc(),
    onEnd: (why) => ended.inc({ why }),
  });
  metrics.gauge(
    "runner_processes",
    "Processes that carry runs out, by state: busy, free.",
    () => {
      const { busy, free } = pool.count();
      return [
        { labels: { state: "busy" }, value: busy },
        { labels: { state: "free" }, value: free },
      ];
    },
    ["state"],
  );
  metrics.gauge("runner_slots", "Runs that may go on at once.", () => [{ value: slots }]);
  metrics.gauge("runs_waiting", "Runs that wait for a process; others are queued as jobs.", () => [
    { value: pool.count().waiting },
  ]);
  return pool;
}
