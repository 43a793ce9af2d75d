import type { Clock } from "../../platform/clock.ts";
import type { Log } from "../../platform/log.ts";
import { RunnerError } from "../errors.ts";
import type { Outcome } from "../runner/execution.ts";
import type { RunTask } from "./protocol.ts";
import { GRACE_MS, type Runner, type RunnerEnd, type RunWatch, startRunner } from "./runner.ts";

/** Runner processes: how many there are at once, how long each lives, and that nothing of them stays. */
export interface RunnerPool {
  /**
   * Carries a run out; waits for a free process before, first come, first served.
   * @throws RunnerError `runner_lost`, `browser_missing`, … when no verdict came
   */
  run(task: RunTask, watch: RunWatch): Promise<Outcome>;
  /** Processes that there are, and runs that wait for one. */
  count(): { busy: number; free: number; waiting: number };
  /** Ends every process. */
  close(): Promise<void>;
}

/** A process that has nothing to do gives its memory back. */
const IDLE_MS = 60_000;

export function createRunnerPool(options: {
  /** The command line that starts a runner process. */
  command: string[];
  slots: number;
  recycleAfterRuns: number;
  clock: Clock;
  log: Log;
  /** Are told of processes, for the metrics. */
  onStart?: () => void;
  onEnd?: (why: RunnerEnd) => void;
}): RunnerPool {
  const { command, clock, log, slots } = options;
  /** Each with what ends its wait for a run. */
  const free = new Map<Runner, AbortController>();
  const all = new Set<Runner>();
  const waiting: { got: (runner: Runner) => void; failed: (error: RunnerError) => void }[] = [];
  const closed = new AbortController();

  function start(): Runner {
    const runner = startRunner({
      command,
      clock,
      log,
      onExit(gone, why) {
        all.delete(gone);
        forget(gone);
        options.onEnd?.(why);
        serve();
      },
    });
    all.add(runner);
    options.onStart?.();
    return runner;
  }

  function forget(runner: Runner): void {
    free.get(runner)?.abort();
    free.delete(runner);
  }

  function nextFree(): Runner | null {
    const [known] = free.keys();
    if (known) forget(known);
    return known ?? (all.size < slots && !closed.signal.aborted ? start() : null);
  }

  /** Whoever waits longest comes first. */
  function serve(): void {
    while (waiting.length > 0) {
      try {
        const runner = nextFree();
        if (!runner) return;
        waiting.shift()!.got(runner);
      } catch (error) {
        // The system gives no process: the next run asks anew.
        const why = error instanceof Error ? error.message : String(error);
        const told = `No process for the run could be started: ${why}`;
        waiting.shift()!.failed(new RunnerError("runner_unavailable", told, error));
      }
    }
  }

  function take(signal: AbortSignal): Promise<Runner> {
    const { promise, resolve, reject } = Promise.withResolvers<Runner>();
    const waiter = { got: resolve, failed: reject };
    const leave = () => {
      const at = waiting.indexOf(waiter);
      if (at >= 0) waiting.splice(at, 1);
      reject(new RunnerError("aborted", "The run was ended before it began."));
    };
    signal.addEventListener("abort", leave, { once: true });
    if (signal.aborted) leave();
    else waiting.push(waiter);
    serve();
    return promise.finally(() => signal.removeEventListener("abort", leave));
  }

  function giveBack(runner: Runner): void {
    if (runner.isEnding) return;
    const isUsedUp = runner.runs >= options.recycleAfterRuns;
    if (runner.isFaulty || isUsedUp || closed.signal.aborted) {
      runner.end(runner.isFaulty ? "faulty" : isUsedUp ? "recycled" : "stopped");
      return;
    }
    const taken = new AbortController();
    free.set(runner, taken);
    serve();
    void clock.sleep(IDLE_MS, taken.signal).then(() => {
      if (taken.signal.aborted) return;
      forget(runner);
      runner.end("idle");
    });
  }

  return {
    async run(task, watch) {
      const signal = AbortSignal.any([watch.signal, closed.signal]);
      const runner = await take(signal);
      try {
        return await runner.carryOut(task, { ...watch, signal });
      } finally {
        giveBack(runner);
      }
    },
    count: () => ({ busy: all.size - free.size, free: free.size, waiting: waiting.length }),
    async close() {
      closed.abort();
      const ending = [...all];
      for (const runner of free.keys()) runner.end("stopped");
      // A sleep that nobody waits for would hold the program up.
      const over = new AbortController();
      const exits = Promise.all(ending.map(({ exited }) => exited));
      await Promise.race([exits, clock.sleep(GRACE_MS * 2, over.signal)]);
      over.abort();
      for (const runner of all) runner.end("stopped");
    },
  };
}
