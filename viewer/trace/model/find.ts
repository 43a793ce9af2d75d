import { computed, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { Lane } from "../../../server/trace/format/summary.ts";
import { query, setQuery } from "../../router.ts";
import type { TraceModel } from "./model.ts";
import { perModel } from "./scope.ts";

const ADDRESS_MS = 300;

/** An event that holds what is looked for. */
export interface Hit {
  seq: number;
  ts: number;
  lane: Lane | null;
  stepId: string | null;
  /** Of a body that is stored apart, when the text is in it. */
  reference?: string;
}

/** Whether two hits are one: an event may hold the text itself and in several bodies. */
export const isSameHit = (a: Hit | null, b: Hit | null): boolean =>
  a?.seq === b?.seq && a?.reference === b?.reference;

export interface FindState {
  /** What is looked for; null while the search is closed. */
  text: Signal<string | null>;
  /** The hits that are read so far, as the list shows them. */
  hits: Signal<readonly Hit[]>;
  /** The hit that was gone to last. */
  current: Signal<Hit | null>;
  /** The stored body that was gone to last, and what is to be found in it. */
  openBody: Signal<{ reference: string; text: string } | null>;
  hitsByStep: ReadonlySignal<ReadonlyMap<string, number>>;
  /** Rises whenever the field is asked to take the focus. */
  focusRequests: Signal<number>;
  /** Set by the list while it is shown: goes to the next or the one before. */
  move: Signal<((by: 1 | -1) => void) | null>;
}

/** What is looked for in a trace and where it was found: shown by the timeline and the step list too. */
export const findState = perModel((_model: TraceModel): FindState => {
  const hits = signal<readonly Hit[]>([]);
  return {
    text: signal(query.peek().get("find")),
    hits,
    current: signal(null),
    openBody: signal(null),
    hitsByStep: computed(() => {
      const counts = new Map<string, number>();
      for (const { stepId } of hits.value) if (stepId) counts.set(stepId, (counts.get(stepId) ?? 0) + 1);
      return counts;
    }),
    focusRequests: signal(0),
    move: signal(null),
  };
});

export function openFind(model: TraceModel): boolean {
  const { text, focusRequests } = findState(model);
  text.value ??= "";
  focusRequests.value += 1;
  return true;
}

export function closeFind(model: TraceModel): boolean {
  const { text } = findState(model);
  if (text.peek() === null) return false;
  text.value = null;
  return true;
}

/** Keeps `find=` of the address and what is looked for the same. */
export function useFindAddress(model: TraceModel): void {
  const { text } = findState(model);
  const wanted = text.value || null;
  const given = query.value.get("find");
  const written = useRef(given);
  useEffect(() => {
    if (wanted === written.current) return;
    const timer = setTimeout(() => {
      written.current = wanted;
      setQuery({ find: wanted }, { replace: true });
    }, ADDRESS_MS);
    return () => clearTimeout(timer);
  }, [wanted]);
  useEffect(() => {
    if (given === written.current) return;
    written.current = given;
    text.value = given;
  }, [given]);
}
