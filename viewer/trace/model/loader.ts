import { batch, type Signal, signal } from "@preact/signals";
import type { Cause } from "../../../server/trace/format/cause/types.ts";
import type { TraceEvent } from "../../../server/trace/format/event.ts";
import type { Summary } from "../../../server/trace/format/summary.ts";
import type { TraceDetail } from "../../api/answers.ts";
import { ApiError, errorText, isAbort } from "../../api/request.ts";
import type { TraceSource } from "../../api/trace-source.ts";
import { markFresh, markOld } from "../../ui/old.tsx";
import { followTrace, type LiveStream } from "./live.ts";

const POLL_MS = [400, 600, 1000, 2000];
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** Answers that asking again does not change. */
const REFUSED = new Set([401, 403, 404, 410]);

const isMissing = (problem: unknown): boolean => problem instanceof ApiError && problem.status === 404;

interface Target {
  detail: Signal<TraceDetail | null>;
  summary: Signal<Summary | null>;
  cause: Signal<Cause | null>;
  onEvents: (events: TraceEvent[]) => void;
}

/** Brings a trace to the screen whatever state it is in, and keeps it there as the state changes. */
export function createLoader(source: TraceSource, target: Target) {
  const error = signal<unknown>(null);
  /** Events are arriving, or could. */
  const isLive = signal(false);
  const isConnected = signal(false);
  /** The summary is here, or it is known that there is none. */
  const isSettled = signal(false);
  const controller = new AbortController();
  let stream: LiveStream | null = null;
  let timer: ReturnType<typeof setTimeout> | null = null;
  let polls = 0;

  const stop = (problem: unknown): void => {
    if (!isAbort(problem)) error.value = problem;
  };

  function later(run: () => void): void {
    timer = setTimeout(run, POLL_MS[Math.min(polls, POLL_MS.length - 1)]);
    polls += 1;
  }

  async function refreshDetail(): Promise<TraceDetail> {
    const detail = await source.detail(controller.signal);
    target.detail.value = detail;
    return detail;
  }

  /** Null when it cannot be had: the failure is shown without it. */
  async function readCause(): Promise<Cause | null> {
    try {
      return await source.cause(controller.signal);
    } catch (problem) {
      if (!isAbort(problem) && !isMissing(problem)) console.warn(errorText(problem));
      return null;
    }
  }

  /** Both at once, so that the failure does not move when its cause comes. */
  async function readFindings(): Promise<{ summary: Summary; cause: Cause | null }> {
    const [summary, cause] = await Promise.all([source.summary(controller.signal), readCause()]);
    return { summary, cause };
  }

  async function loadSummary(): Promise<void> {
    const loaded = await readFindings();
    batch(() => {
      target.summary.value = loaded.summary;
      target.cause.value = loaded.cause;
      isSettled.value = true;
      isLive.value = false;
    });
  }

  /** Asks again until processing has ended. */
  async function waitForSummary(): Promise<void> {
    try {
      const detail = await refreshDetail();
      if (detail.status === "queued") later(() => void waitForSummary());
      else if (detail.status === "running") await goLive(detail);
      else await loadSummary();
    } catch (problem) {
      stop(problem);
    }
  }

  /** How the trace stands after its stream broke off; null when it is gone or closed to us, which is told. */
  async function statusAfterBreak(): Promise<TraceDetail["status"] | null> {
    try {
      const { status } = await refreshDetail();
      markFresh(isLive);
      return status;
    } catch (problem) {
      // A server that is away comes back; until then the trace counts as running.
      const isFinal = problem instanceof ApiError && REFUSED.has(problem.status);
      if (!isFinal) {
        if (!isAbort(problem)) markOld(isLive, problem, () => void statusAfterBreak());
        return "running";
      }
      isLive.value = false;
      stop(problem);
      return null;
    }
  }

  /** How the steps of the trace's run are written; null when no run of this server carries the trace. */
  async function readTexts({ run_id: runId }: TraceDetail): Promise<ReadonlyMap<string, string> | null> {
    if (!runId || !UUID.test(runId) || !source.stepTexts) return null;
    try {
      return await source.stepTexts(runId, controller.signal);
    } catch (problem) {
      // Runs of other programs have ids too. Their steps keep what the events call them.
      if (!isAbort(problem)) console.warn(errorText(problem));
      return null;
    }
  }

  async function goLive(detail: TraceDetail): Promise<void> {
    if (stream) return;
    const { createLiveSummary } = await import("./live-summary.ts");
    if (controller.signal.aborted) return;
    const live = createLiveSummary(detail);
    const show = () => {
      target.summary.value = live.summary();
    };
    isLive.value = true;
    void readTexts(detail).then((texts) => {
      if (!texts) return;
      live.takeTexts(texts);
      if (isLive.peek() && target.summary.peek()) show();
    });
    stream = followTrace({
      url: source.streamUrl,
      onOpen() {
        markFresh(isLive);
        isConnected.value = true;
      },
      onEvents(events) {
        for (const event of events) live.add(event);
        batch(() => {
          target.onEvents(events);
          show();
        });
      },
      async onEnd() {
        isConnected.value = false;
        const status = await statusAfterBreak();
        if (status === "running") return true;
        stream = null;
        if (status === null) return false;
        isLive.value = false;
        polls = 0;
        void waitForSummary();
        return false;
      },
    });
  }

  /** A running trace has no summary yet; anything else that keeps it from us is told. */
  async function begin(): Promise<void> {
    const ask = () =>
      readFindings().then(
        (found) => found,
        (problem: unknown) => ({ problem }),
      );
    const early = ask();
    try {
      const detail = await refreshDetail();
      if (detail.status === "running") return await goLive(detail);
      if (detail.status === "queued") return later(() => void waitForSummary());
      let answer = await early;
      // It may have ended between the two answers.
      if ("problem" in answer && isMissing(answer.problem)) answer = await ask();
      isSettled.value = true;
      if ("summary" in answer) {
        const { summary, cause } = answer;
        batch(() => {
          target.summary.value = summary;
          target.cause.value = cause;
        });
      } else if (!isMissing(answer.problem)) stop(answer.problem);
      else if (detail.status !== "error" && detail.status !== "aborted") stop(answer.problem);
    } catch (problem) {
      stop(problem);
    }
  }

  if (target.summary.peek()) isSettled.value = true;
  else void begin();
  return {
    error,
    isLive,
    isConnected,
    isSettled,
    refreshDetail,
    /** Begins anew after an error or a restore. */
    reload(): void {
      error.value = null;
      polls = 0;
      void begin();
    },
    dispose(): void {
      controller.abort();
      markFresh(isLive);
      stream?.close();
      if (timer) clearTimeout(timer);
    },
  };
}
