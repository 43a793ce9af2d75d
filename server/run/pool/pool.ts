import type { Subprocess } from "bun";
import type { Clock } from "../../platform/clock.ts";
import type { Log } from "../../platform/log.ts";
import { removeTempFolder } from "../../platform/temp-folder.ts";
import type { Outcome } from "../runner/execute.ts";
import { RunnerError } from "../runner/failure.ts";
import type { FromRunner, LogLine, RunTask, SinkCall, ToRunner } from "./protocol.ts";

/** Runner processes: how many there are at once, how long each lives, and that nothing of them stays. */
export interface RunnerPool {
  /**
   * Carries a run out; waits for a free process before.
   * @throws RunnerError `runner_lost`, `browser_missing`, … when no verdict came
   */
  run(task: RunTask, watch: RunWatch): Promise<Outcome>;
  /** Processes that there are, busy or waiting. */
  size(): number;
  /** Ends every process. */
  close(): Promise<void>;
}

export interface RunWatch {
  /** Keeps what is recorded. */
  keep(what: SinkCall): Promise<unknown>;
  log(line: LogLine): void;
  /** Ends the run: it is `aborted`. */
  signal: AbortSignal;
  /** Longest time for the whole run, ms. */
  timeoutMs: number;
}

/** How long a run that was told to end may take to do so, before its process is ended by force. */
const GRACE_MS = 5000;
/** A process that has nothing to do gives its memory back. */
const IDLE_MS = 60_000;

interface Runner {
  child: Subprocess;
  browserPid: number | null;
  /** Of its temporary files; null until it is ready. */
  folder: string | null;
  /** What its run is told when it was ended by force. */
  endedFor: RunnerError | null;
  runs: number;
  ready: Promise<void>;
  current: Running | null;
}

interface Running {
  watch: RunWatch;
  resolve: (outcome: Outcome) => void;
  reject: (error: RunnerError) => void;
}

export function createRunnerPool(options: {
  /** The command line that starts a runner process. */
  command: string[];
  slots: number;
  recycleAfterRuns: number;
  clock: Clock;
  log: Log;
}): RunnerPool {
  const { clock, log, slots } = options;
  const free: Runner[] = [];
  const all = new Set<Runner>();
  const waiting: (() => void)[] = [];
  const closed = new AbortController();

  function start(): Runner {
    let ready = () => {};
    const runner: Runner = {
      browserPid: null,
      folder: null,
      endedFor: null,
      runs: 0,
      current: null,
      ready: new Promise((resolve) => {
        ready = resolve;
      }),
      child: Bun.spawn(options.command, {
        stdio: ["ignore", "ignore", "inherit"],
        serialization: "advanced",
        ipc: (message: FromRunner) => {
          if (message.type === "ready") {
            runner.folder = message.folder;
            ready();
          } else hear(runner, message);
        },
        onExit: () => {
          ready();
          lose(runner);
        },
      }),
    };
    all.add(runner);
    return runner;
  }

  const send = (runner: Runner, message: ToRunner): void => {
    // A process that has ended is told of by `onExit`.
    if (runner.child.exitCode === null && runner.child.signalCode === null) runner.child.send(message);
  };

  function hear(runner: Runner, message: FromRunner): void {
    const { current } = runner;
    if (message.type === "browser") runner.browserPid = message.pid;
    if (!current) return;
    if (message.type === "log") current.watch.log(message.line);
    if (message.type === "call")
      current.watch.keep(message.what).then(
        (value) => send(runner, { type: "answer", call: message.call, value }),
        (error: unknown) =>
          send(runner, {
            type: "refusal",
            call: message.call,
            message: error instanceof Error ? error.message : String(error),
          }),
      );
    if (message.type === "ended") current.resolve(message.outcome);
    if (message.type === "broken") current.reject(new RunnerError(message.reason, message.message));
  }

  /** Its browser may have outlived it. */
  function lose(runner: Runner): void {
    all.delete(runner);
    const at = free.indexOf(runner);
    if (at >= 0) free.splice(at, 1);
    endBrowser(runner);
    if (runner.folder) removeTempFolder(runner.folder);
    runner.current?.reject(
      runner.endedFor ?? new RunnerError("runner_lost", "The process that carried the run out has ended."),
    );
    waiting.shift()?.();
  }

  async function take(signal: AbortSignal): Promise<Runner> {
    while (!signal.aborted) {
      const known = free.pop();
      if (known) return known;
      if (all.size < slots) return start();
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
        signal.addEventListener("abort", () => resolve(), { once: true });
      });
    }
    throw new RunnerError("aborted", "The run was ended before it began.");
  }

  function giveBack(runner: Runner): void {
    runner.current = null;
    if (!all.has(runner)) return;
    if (runner.runs >= options.recycleAfterRuns || closed.signal.aborted) {
      end(runner);
      return;
    }
    free.push(runner);
    waiting.shift()?.();
    const runs = runner.runs;
    void clock.sleep(IDLE_MS, closed.signal).then(() => {
      if (runner.runs === runs && free.includes(runner)) end(runner);
    });
  }

  function end(runner: Runner): void {
    const at = free.indexOf(runner);
    if (at >= 0) free.splice(at, 1);
    runner.child.kill("SIGKILL");
    endBrowser(runner);
  }

  function endBrowser({ browserPid }: Runner): void {
    if (browserPid === null) return;
    try {
      process.kill(process.platform === "win32" ? browserPid : -browserPid, "SIGKILL");
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
    }
  }

  async function run(task: RunTask, watch: RunWatch): Promise<Outcome> {
    const signal = AbortSignal.any([watch.signal, closed.signal]);
    const runner = await take(signal);
    await runner.ready;
    if (signal.aborted) {
      giveBack(runner);
      throw new RunnerError("aborted", "The run was ended before it began.");
    }
    const over = new AbortController();
    const outcome = new Promise<Outcome>((resolve, reject) => {
      runner.current = { watch, resolve, reject };
    });
    runner.runs += 1;
    const endBy = async (how: "cancelled" | "timeout", message: string): Promise<void> => {
      if (over.signal.aborted) return;
      send(runner, { type: "stop", how, message });
      await clock.sleep(GRACE_MS, over.signal);
      if (over.signal.aborted) return;
      log.warn("A run did not end when it was told to; its process is ended", { how });
      runner.endedFor = new RunnerError(how === "cancelled" ? "aborted" : "timeout", message);
      end(runner);
    };
    const cancel = () => void endBy("cancelled", "The run was cancelled.");
    signal.addEventListener("abort", cancel, { once: true });
    const seconds = Math.round(watch.timeoutMs / 1000);
    void clock
      .sleep(watch.timeoutMs, over.signal)
      .then(() => endBy("timeout", `The run took longer than its ${seconds} s.`));
    try {
      if (!all.has(runner))
        throw new RunnerError("runner_lost", "The process that carries runs out did not start.");
      send(runner, { type: "run", task });
      return await outcome;
    } finally {
      over.abort();
      signal.removeEventListener("abort", cancel);
      giveBack(runner);
    }
  }

  return {
    run,
    size: () => all.size,
    async close() {
      closed.abort();
      for (const wake of waiting.splice(0)) wake();
      const ending = [...all];
      for (const runner of ending) if (!runner.current) end(runner);
      // A sleep that nobody waits for would hold the program up.
      const over = new AbortController();
      const exits = Promise.all(ending.map(({ child }) => child.exited));
      await Promise.race([exits, clock.sleep(GRACE_MS * 2, over.signal)]);
      over.abort();
      for (const runner of all) end(runner);
    },
  };
}
