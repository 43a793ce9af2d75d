import type { TraceEvent } from "../event.ts";
import { eventOf, type Step, type Steps, wallTimeOf } from "./actions.ts";
import type { Context } from "./context.ts";
import { text } from "./shape.ts";
import type { PlaywrightSink } from "./source.ts";
import type { Spool } from "./spool.ts";

/** Spooled events by time; equal times in the order of the files. */
export interface Timeline {
  order: Uint32Array;
  /** Epoch ms by spool index. */
  times: Float64Array;
  latest: number;
}

const LATEST_EPOCH = 8_640_000_000_000_000;

/** Puts all spooled events on the wall clock and in order. */
export function timelineOf(spool: Spool, contexts: Context[]): Timeline {
  const times = new Float64Array(spool.length);
  let latest = Number.NEGATIVE_INFINITY;
  for (let index = 0; index < spool.length; index++) {
    const { context, time, isWall } = spool.head(index);
    times[index] = bounded(isWall ? time : wallTimeOf(contexts[context]!, time));
    if (times[index]! > latest) latest = times[index]!;
  }
  const order = Uint32Array.from(times.keys()).sort((a, b) => times[a]! - times[b]! || a - b);
  return { order, times, latest };
}

/** Times that no clock shows, as hostile or broken recordings have them, would break every sum behind. */
export function bounded(time: number): number {
  return Math.min(Math.max(time, 0), LATEST_EPOCH);
}

/** Hands steps and spooled events to the sink in order of time; returns the first and the last moment. */
export async function emit(
  timeline: Timeline,
  spool: Spool,
  steps: Steps,
  sink: PlaywrightSink,
): Promise<{ from: number; to: number } | null> {
  let from = Number.POSITIVE_INFINITY;
  let to = Number.NEGATIVE_INFINITY;
  const running = runningSteps();
  let nextStep = 0;
  let seq = 0;

  const span = (start: number, end: number) => {
    from = Math.min(from, start);
    to = Math.max(to, end);
  };
  const isStepDue = (time: number) =>
    nextStep < steps.inOrder.length && steps.inOrder[nextStep]!.start <= time;
  const emitStepsUntil = async (time: number) => {
    for (; isStepDue(time); nextStep++) {
      const step = steps.inOrder[nextStep]!;
      running.start(step);
      const start = bounded(step.start);
      span(start, bounded(step.end));
      const waiting = sink.event({ seq: ++seq, ...eventOf(step, Math.round(start)) });
      if (waiting) await waiting;
    }
  };

  for (const index of timeline.order) {
    const time = timeline.times[index]!;
    if (isStepDue(time)) await emitStepsUntil(time);
    span(time, time);
    const event = spool.event(index);
    const { kind, callId } = event;
    const own = typeof callId === "string" ? steps.find(spool.head(index).context, callId) : undefined;
    const stepId = own?.id ?? running.at(time)?.id;
    // One copy and no more: there are hundreds of thousands.
    const known: TraceEvent = { seq: ++seq, ts: Math.round(time), kind: text(kind) ?? "" };
    if (stepId) known.step_id = stepId;
    const waiting = sink.event(Object.assign(known, event, { callId: undefined }));
    if (waiting) await waiting;
  }
  await emitStepsUntil(Number.POSITIVE_INFINITY);
  return from <= to ? { from, to } : null;
}

/**
 * Which step a moment falls into: the one begun last among those still running, else the one begun last of all. Asked
 * with rising times only, so a step that has ended is forgotten.
 */
function runningSteps() {
  const stack: Step[] = [];
  let last: Step | undefined;
  return {
    start(step: Step) {
      // A route handler runs beside what the person called; the person's call is the step.
      if (step.action.className === "Route") return;
      stack.push(step);
      last = step;
    },
    at(time: number): Step | undefined {
      while (stack.length > 0 && stack.at(-1)!.end < time) stack.pop();
      return stack.at(-1) ?? last;
    },
  };
}
