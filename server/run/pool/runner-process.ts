import { systemClock } from "../../platform/clock.ts";
import { createIds } from "../../platform/ids.ts";
import { removeTempFolder } from "../../platform/temp-folder.ts";
import { launchBrowser, type OwnedBrowser } from "../browsers/launch.ts";
import type { CaptureSink } from "../capture/sink.ts";
import { RunnerError, StepFailure } from "../errors.ts";
import { loadPageScripts } from "../page-scripts/build.ts";
import { readRecorded } from "../playback/plan.ts";
import { executeScenario } from "../runner/execute.ts";
import { runnerBroke } from "../runner/verdict.ts";
import { describe } from "./log-lines.ts";
import type { FromRunner, RunTask, SinkCall, ToRunner } from "./protocol.ts";

/** Nothing bounds the calls to the process that started this one. */
const FLUSH_MS = 500;

/** The channel to the server, as Bun gives it to a child that was started with `ipc`. */
export interface Channel {
  send(message: FromRunner): void;
  onMessage(listener: (message: ToRunner) => void): void;
  /** The server went away. */
  onClose(listener: () => void): void;
  /** An error came that nothing waited for. */
  onFault(listener: (error: unknown) => void): void;
}

/**
 * A process of its own that carries runs out one after the other, all in one browser. It keeps nothing: what it records
 * goes to the server that started it. Ends with the channel, and its browser with it.
 * @param folder of its temporary files
 */
export function serveRuns(channel: Channel, folder: string): Promise<void> {
  const ids = createIds(systemClock);
  const calls = new Map<number, { resolve: (value: unknown) => void; reject: (error: Error) => void }>();
  let lastCall = 0;
  let owned: OwnedBrowser | null = null;
  let stop = new AbortController();

  /** To the server, for a run. */
  function sinkOf(run: number): CaptureSink {
    const ask = (what: SinkCall): Promise<unknown> =>
      new Promise((resolve, reject) => {
        lastCall += 1;
        calls.set(lastCall, { resolve, reject });
        channel.send({ type: "call", run, call: lastCall, what });
      });
    return {
      pace: { eventsMs: FLUSH_MS, blobsMs: FLUSH_MS },
      begin: async (manifest) =>
        (await ask({ method: "begin", manifest })) as { traceId: string; shortId: string },
      chunk: async (n, bytes) => void (await ask({ method: "chunk", n, bytes })),
      blobs: async (blobs) => void (await ask({ method: "blobs", blobs: [...blobs] })),
      artifact: async (kind, bytes) =>
        void (await ask({ method: "artifact", kind, bytes: await bytes.bytes() })),
      end: async (status, endedAt) => void (await ask({ method: "end", status, endedAt })),
    };
  }

  async function browserFor({ executable, allowPrivateTargets }: RunTask): Promise<OwnedBrowser> {
    if (owned?.browser.isConnected()) return owned;
    // Of one that died, a process may have stayed.
    owned?.kill();
    owned = await launchBrowser({ executable, isProxied: !allowPrivateTargets });
    channel.send({ type: "browser", pid: owned.pid });
    return owned;
  }

  async function carryOut(run: number, task: RunTask): Promise<void> {
    stop = new AbortController();
    try {
      const { executable: _, playback, ...rest } = task;
      const { browser, kill } = await browserFor(task);
      const outcome = await executeScenario({
        ...rest,
        playback: playback ? await readRecorded(playback) : null,
        filesFolder: null,
        browser,
        endBrowser: kill,
        pageScripts: await loadPageScripts(),
        sink: sinkOf(run),
        clock: systemClock,
        ids,
        signal: stop.signal,
        onProgress: (progress) => {
          if (progress.type === "caught_up")
            channel.send({ type: "caught_up", run, caughtUp: progress.caughtUp });
          const line = describe(progress);
          if (line) channel.send({ type: "log", run, line });
        },
      });
      channel.send({ type: "ended", run, outcome });
    } catch (error) {
      const reason = error instanceof RunnerError ? error.reason : "runner_failed";
      channel.send({
        type: "broken",
        run,
        reason,
        message: error instanceof Error ? error.message : String(error),
      });
    }
  }

  channel.onMessage((message) => {
    switch (message.type) {
      case "run":
        return void carryOut(message.run, message.task);
      case "stop":
        return stop.abort(
          message.how === "timeout" ? new StepFailure(message.message) : new Error(message.message),
        );
      case "answer":
        calls.get(message.call)?.resolve(message.value);
        return void calls.delete(message.call);
      case "refusal":
        calls.get(message.call)?.reject(new RunnerError("recording_lost", message.message));
        return void calls.delete(message.call);
    }
  });
  channel.onFault((error) => {
    channel.send({
      type: "fault",
      message: error instanceof Error ? (error.stack ?? error.message) : String(error),
    });
    stop.abort(runnerBroke(error));
  });
  channel.send({ type: "ready" });
  return new Promise((resolve) =>
    channel.onClose(() => {
      owned?.kill();
      removeTempFolder(folder);
      resolve();
    }),
  );
}
