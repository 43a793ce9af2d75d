import { listOpenRuns, pruneRuns } from "../../../store/records/runs.ts";
import type { Deps } from "../../deps.ts";
import type { JobHandler, JobHandlers, PeriodicTask } from "../../jobs/types.ts";
import { RUN_ENDED } from "../../trace/kinds.ts";
import { runnerCommand } from "../pool/command.ts";
import { createRunnerPool, type RunnerPool } from "../pool/pool.ts";
import { RUNNER_ENDS } from "../pool/runner.ts";
import { executeRun, type RunControls } from "./execute.ts";
import { failOrphanedRun } from "./fail-orphaned.ts";
import { EXECUTE } from "./kinds.ts";

const DAY_MS = 24 * 60 * 60_000;
const PRUNED_AT_ONCE = 1000;

/** What carries runs out in a running program: its processes, and how to end a run. */
export interface RunWork {
  pool: RunnerPool;
  controls: RunControls;
}

const works = new WeakMap<Deps, RunWork>();

/** One for the whole process: the routes end what the jobs began. */
export function runWork(deps: Deps): RunWork {
  const known = works.get(deps);
  if (known) return known;
  const { slots, recycle_after_runs } = deps.config.settings.browser;
  const { metrics } = deps;
  const started = metrics.counter("runner_processes_started_total", "Processes that were started for runs.");
  const ended = metrics.counter(
    "runner_processes_ended_total",
    `Processes of runs that ended, by why: ${RUNNER_ENDS.join(", ")}.`,
    ["why"],
  );
  const pool = createRunnerPool({
    command: runnerCommand(),
    slots,
    recycleAfterRuns: recycle_after_runs,
    clock: deps.clock,
    log: deps.log,
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
  const work: RunWork = { pool, controls: new Map() };
  works.set(deps, work);
  return work;
}

/** Jobs that carry runs out. */
export function runHandlers(deps: Deps): JobHandlers {
  return [
    {
      kind: EXECUTE,
      atMost: deps.config.settings.browser.slots,
      handle: ({ run_id }, context) => executeRun(deps, runWork(deps), String(run_id), context),
    },
    { kind: RUN_ENDED, handle: followRunEnd },
  ];
}

/**
 * What follows the end of a run and must not be lost with the process; payload `{ run_id }` of a run that has its final status.
 * Nothing does yet: checks with their alerts and incidents (watch), and the decision on a pull request (gate), will. They lie on
 * higher floors, so `work.ts` is to hand them in.
 */
const followRunEnd: JobHandler = async () => {};

/** Runs that were under way when the last server of this folder ended. Call it before any job is taken. */
export async function failOrphanedRuns(deps: Deps): Promise<void> {
  for (const run of await listOpenRuns(deps.store.records, "running")) await failOrphanedRun(deps, run);
}

/** Removes runs that are older than the settings keep them. */
export function pruneRunsTask(deps: Deps): PeriodicTask {
  return {
    name: "runs.prune",
    everyMs: 60 * 60_000,
    async run() {
      const before = deps.clock.now() - deps.config.settings.retention.runs_days * DAY_MS;
      await pruneRuns(deps.store.records, before, PRUNED_AT_ONCE);
    },
  };
}
