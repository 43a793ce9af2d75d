import { type ReadonlySignal, signal } from "@preact/signals";
import type { TraceEvent } from "../../../server/trace/format/event.ts";
import type { EventQuery } from "../../api/answers.ts";
import { isAbort } from "../../api/request.ts";
import { eventsBetween, type TraceSource } from "../../api/trace-source.ts";

const PAGE = 100;
const KEPT = 30;

/** A list of events of any length, of which only the pages around what is on screen are held. */
export interface PagedEvents {
  /** Null before the first answer. */
  readonly total: ReadonlySignal<number | null>;
  readonly error: ReadonlySignal<unknown>;
  /** Rises with each page that arrives. */
  readonly version: ReadonlySignal<number>;
  get(index: number): TraceEvent | null;
  /** Sees to it that these rows are there or on their way. */
  want(first: number, last: number): void;
  /** There may be more events than before: asks for the end of the list anew. What is held stays, and is shown meanwhile. */
  grow(): void;
  dispose(): void;
}

export function createPagedEvents(source: TraceSource, query: EventQuery): PagedEvents {
  const total = signal<number | null>(null);
  const error = signal<unknown>(null);
  const version = signal(0);
  const controller = new AbortController();
  const pages = new Map<number, readonly TraceEvent[] | null>();

  let isGrowing = false;
  let isMoreExpected = false;

  async function load(page: number): Promise<void> {
    if (!pages.has(page)) pages.set(page, null);
    try {
      const { events, total: count } = await eventsBetween(
        source,
        query,
        { offset: page * PAGE, limit: PAGE },
        controller.signal,
      );
      pages.delete(page);
      pages.set(page, events);
      total.value = count;
      error.value = null;
      for (const old of pages.keys()) {
        if (pages.size <= KEPT) break;
        if (old !== page) pages.delete(old);
      }
      version.value += 1;
    } catch (problem) {
      if (pages.get(page) === null) pages.delete(page);
      if (!isAbort(problem)) error.value = problem;
    }
  }

  /** Reads the page that the list ends in, which tells the new total too. One at a time; the last wish is heard. */
  async function readEnd(): Promise<void> {
    isMoreExpected = true;
    if (isGrowing) return;
    isGrowing = true;
    while (isMoreExpected && !controller.signal.aborted) {
      isMoreExpected = false;
      await load(Math.floor((total.peek() ?? 0) / PAGE));
    }
    isGrowing = false;
  }

  void load(0);
  return {
    total,
    error,
    version,
    get: (index) => pages.get(Math.floor(index / PAGE))?.[index % PAGE] ?? null,
    want(first, last) {
      for (let page = Math.floor(first / PAGE); page <= Math.floor(last / PAGE); page += 1) {
        if (!pages.has(page)) void load(page);
      }
    },
    grow: () => void readEnd(),
    dispose() {
      controller.abort();
    },
  };
}

/** The first position whose event is at or after a moment, found in about log2(total) single events. */
export async function offsetAt(
  source: TraceSource,
  query: EventQuery,
  total: number,
  ts: number,
  signal: AbortSignal,
): Promise<number> {
  let low = 0;
  let high = total;
  while (low < high) {
    const middle = (low + high) >> 1;
    const { events } = await source.events({ ...query, limit: 1, offset: middle }, signal);
    if ((events[0]?.ts ?? Number.POSITIVE_INFINITY) < ts) low = middle + 1;
    else high = middle;
  }
  return low;
}
