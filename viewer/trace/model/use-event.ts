import type { TraceEvent } from "../../../server/trace/format/event.ts";
import type { StepSummary } from "../../../server/trace/format/summary.ts";
import { eventsBetween } from "../../api/trace-source.ts";
import { type Loaded, useLoad } from "../../ui/use-load.ts";
import type { TraceModel } from "./model.ts";

const KEPT = 60;
const caches = new WeakMap<TraceModel, Map<string, Promise<TraceEvent | null>>>();

/** Asks once; the last few answers are kept, so that going back and forth between steps asks nothing. */
function remembered(
  model: TraceModel,
  key: string,
  load: () => Promise<TraceEvent | null>,
): Promise<TraceEvent | null> {
  const cache = caches.get(model) ?? new Map<string, Promise<TraceEvent | null>>();
  caches.set(model, cache);
  const known = cache.get(key);
  if (known) return known;
  const answer = load();
  cache.set(key, answer);
  answer.catch(() => cache.delete(key));
  if (cache.size > KEPT) {
    const oldest = cache.keys().next();
    if (!oldest.done) cache.delete(oldest.value);
  }
  return answer;
}

/** The whole event of a sequence number; null when the trace has none. */
export async function readEvent(model: TraceModel, seq: number | null): Promise<TraceEvent | null> {
  if (seq === null) return null;
  return remembered(model, `seq ${seq}`, async () => {
    const page = await model.source.events({ from_seq: seq, limit: 1 });
    const event = page.events[0];
    return event && event.seq === seq ? event : null;
  });
}

/** The same while it is shown. */
export function useEvent(model: TraceModel, seq: number | null): Loaded<TraceEvent | null> {
  return useLoad(seq === null ? null : `seq ${seq}`, () => readEvent(model, seq));
}

/** The action or assertion that a step is; null for steps that are only the sum of what carries their id. */
export function useStepEvent(model: TraceModel, step: StepSummary | null): Loaded<TraceEvent | null> {
  const isCold = model.detail.value?.tier === "cold";
  const isOwn = step !== null && (step.kind === "agent.action" || step.kind === "assertion");
  const key = isOwn && !isCold ? `step ${step.step_id}` : null;
  return useLoad(key, () =>
    remembered(model, key ?? "", async () => {
      const query = { step: step?.step_id ?? "", kind: "agent.action,assertion" };
      const { events } = await eventsBetween(model.source, query, { offset: 0, limit: 20 });
      const failed = events.find((event) =>
        event.kind === "assertion" ? event.ok === false : Boolean(event.error),
      );
      return failed ?? events[0] ?? null;
    }),
  );
}
