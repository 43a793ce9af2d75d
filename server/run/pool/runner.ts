import type { Clock } from "../../platform/clock.ts";
import type { Log } from "../../platform/log.ts";
import { removeTempFolder, tempFolderForChild } from "../../platform/temp-folder.ts";
import { RunnerError } from "../errors.ts";
import type { CaughtUp } from "../playback/catch-up.ts";
import type { Outcome } from "../runner/execution.ts";
import type { FromRunner, LogLine, RunTask, SinkCall, ToRunner } from "./protocol.ts";

export interface RunWatch {
  /** Keeps what is recorded. */
  keep(what: SinkCall): Promise<unknown>;
  log(line: LogLine): void;
  /** Of a replay: what is sent again to the target as it goes live. */
  onCaughtUp?(caughtUp: CaughtUp): void;
  /** Ends the run: it is `aborted`. */
  signal: AbortSignal;
  /** Longest time for the whole run, ms. */
  timeoutMs: number;
}

/** Why a runner process ended: its runs were used up, it had none for long, an error came in it, it had to be forced, it died, its server stops. */
export const RUNNER_ENDS = ["recycled", "idle", "faulty", "forced", "lost", "stopped"] as const;
export type RunnerEnd = (typeof RUNNER_ENDS)[number];

/** One process that carries runs out, one at a time, with its browser and its temporary files. */
export interface Runner {
  /** Runs that it was given. */
  readonly runs: number;
  /** An error came in it that nothing waited for. */
  readonly isFaulty: boolean;
  /** It is ended, or is being ended: it takes no more runs. */
  readonly isEnding: boolean;
  /**
   * Carries a run out.
   * @throws RunnerError `runner_lost`, `timeout`, `aborted`, `browser_missing`, … when no verdict came
   */
  carryOut(task: RunTask, watch: RunWatch): Promise<Outcome>;
  /** Ends the process and its browser at once. */
  end(why: RunnerEnd): void;
  /** When it is gone, and what it left is cleared away. */
  exited: Promise<void>;
}

/** How long a run that was told to end may take to do so, before its process is ended by force. */
export const GRACE_MS = 5000;
/** A process that has not come up by then never will, on the most loaded machine. */
const START_MS = 120_000;

interface Running {
  run: number;
  watch: RunWatch;
  resolve: (outcome: Outcome) => void;
  reject: (error: RunnerError) => void;
}

/** @param onExit is told once, when the process is gone and what it left is cleared away */
export function startRunner(options: {
  /** The command line that starts a runner process; the folder for its temporary files comes after it. */
  command: string[];
  clock: Clock;
  log: Log;
  onExit: (runner: Runner, why: RunnerEnd) => void;
}): Runner {
  const { clock, log } = options;
  let browserPid: number | null = null;
  let runs = 0;
  let isFaulty = false;
  let current: Running | null = null;
  let endedFor: { why: RunnerEnd; error: RunnerError | null } | null = null;
  const ready = Promise.withResolvers<void>();
  const gone = Promise.withResolvers<void>();
  const folder = tempFolderForChild();
  const child = start();
  const isAlive = () => child.exitCode === null && child.signalCode === null;

  function start() {
    try {
      return Bun.spawn([...options.command, folder], {
        stdio: ["ignore", "ignore", "inherit"],
        serialization: "advanced",
        ipc: hear,
        onExit: lose,
      });
    } catch (error) {
      removeTempFolder(folder);
      throw error;
    }
  }

  function send(message: ToRunner): void {
    // A process that has ended is told of by `onExit`.
    if (isAlive()) child.send(message);
  }

  function hear(message: FromRunner): void {
    if (message.type === "ready") {
      ready.resolve();
      return;
    }
    if (message.type === "browser") {
      browserPid = message.pid;
      return;
    }
    if (message.type === "fault") {
      isFaulty = true;
      log.error("An error came in a runner that nothing waited for", { error: message.message });
      if (!current) end("faulty");
      return;
    }
    // What a run that is over still says must not be taken for its successor's.
    if (!current || message.run !== current.run) {
      if (message.type === "call")
        send({ type: "refusal", call: message.call, message: "The run of this recording is over." });
      return;
    }
    if (message.type === "log") current.watch.log(message.line);
    if (message.type === "caught_up") current.watch.onCaughtUp?.(message.caughtUp);
    if (message.type === "call")
      current.watch.keep(message.what).then(
        (value) => send({ type: "answer", call: message.call, value }),
        (error: unknown) =>
          send({
            type: "refusal",
            call: message.call,
            message: error instanceof Error ? error.message : String(error),
          }),
      );
    if (message.type === "ended") current.resolve(message.outcome);
    if (message.type === "broken") current.reject(new RunnerError(message.reason, message.message));
  }

  /** Its browser may have outlived it. */
  function lose(): void {
    ready.resolve();
    endBrowser();
    try {
      removeTempFolder(folder);
    } catch (error) {
      log.warn("The temporary files of a runner could not be removed", { folder, error });
    }
    current?.reject(
      endedFor?.error ?? new RunnerError("runner_lost", "The process that carried the run out has ended."),
    );
    options.onExit(runner, endedFor?.why ?? "lost");
    gone.resolve();
  }

  function endBrowser(): void {
    if (browserPid === null) return;
    try {
      process.kill(process.platform === "win32" ? browserPid : -browserPid, "SIGKILL");
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
    }
  }

  function end(why: RunnerEnd, error: RunnerError | null = null): void {
    endedFor ??= { why, error };
    child.kill("SIGKILL");
    endBrowser();
  }

  async function untilReady(signal: AbortSignal): Promise<void> {
    const over = new AbortController();
    const late = clock.sleep(START_MS, AbortSignal.any([over.signal, signal])).then(() => "late" as const);
    const first = await Promise.race([ready.promise, late]);
    over.abort();
    if (signal.aborted) throw new RunnerError("aborted", "The run was ended before it began.");
    const unready = new RunnerError("runner_lost", "The process that carries runs out did not start.");
    if (first === "late") end("forced", unready);
    if (first === "late" || !isAlive()) throw unready;
  }

  async function carryOut(task: RunTask, watch: RunWatch): Promise<Outcome> {
    const { signal } = watch;
    await untilReady(signal);
    const over = new AbortController();
    const verdict = Promise.withResolvers<Outcome>();
    runs += 1;
    current = { run: runs, watch, resolve: verdict.resolve, reject: verdict.reject };
    const endBy = async (how: "cancelled" | "timeout", message: string): Promise<void> => {
      if (over.signal.aborted) return;
      send({ type: "stop", how, message });
      await clock.sleep(GRACE_MS, over.signal);
      if (over.signal.aborted) return;
      log.warn("A run did not end when it was told to; its process is ended", { how });
      end("forced", new RunnerError(how === "cancelled" ? "aborted" : "timeout", message));
    };
    const cancel = () => void endBy("cancelled", "The run was cancelled.");
    signal.addEventListener("abort", cancel, { once: true });
    const seconds = Math.round(watch.timeoutMs / 1000);
    void clock
      .sleep(watch.timeoutMs, over.signal)
      .then(() => endBy("timeout", `The run took longer than its ${seconds} s.`));
    try {
      send({ type: "run", run: runs, task });
      return await verdict.promise;
    } finally {
      over.abort();
      signal.removeEventListener("abort", cancel);
      current = null;
    }
  }

  const runner: Runner = {
    get runs() {
      return runs;
    },
    get isFaulty() {
      return isFaulty;
    },
    get isEnding() {
      return endedFor !== null || !isAlive();
    },
    carryOut,
    end,
    exited: gone.promise,
  };
  return runner;
}
