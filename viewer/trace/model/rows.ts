import { batch, type ReadonlySignal, signal } from "@preact/signals";
import type { TraceEvent } from "../../../server/trace/format/event.ts";
import type { EventQuery } from "../../api/answers.ts";
import { isAbort } from "../../api/request.ts";
import type { TraceSource } from "../../api/trace-source.ts";
import type { RowList } from "./row-list.ts";

const PAGE = 1000;
/** Lists show what has come once it is this much more than they show: each showing costs as much as there is. */
const WORTH_SHOWING = 1.5;

/**
 * Small rows made of the events of some kinds, page after page. Rows keep only what a table shows; headers, bodies and
 * long texts are asked for again by `seq` when someone looks at them, so memory stays small however long the trace.
 */
export interface Rows<R, List extends RowList<R> = readonly R[]> {
  readonly rows: ReadonlySignal<List>;
  readonly state: ReadonlySignal<"idle" | "loading" | "ready" | "error">;
  readonly error: ReadonlySignal<unknown>;
  /** Events read so far, and events there are; both 0 before the first page. */
  readonly progress: ReadonlySignal<{ read: number; total: number }>;
  /** Loads all pages, once; again after an error. */
  ensure(): void;
  /** Takes events that arrive while the trace runs. Those read before are passed over. */
  accept(events: readonly TraceEvent[]): void;
  dispose(): void;
}

/** Collects events into rows. `snapshot` answers a new list whenever something changed. */
export interface Collector<R, List extends RowList<R> = readonly R[]> {
  add(event: TraceEvent): void;
  snapshot(): List;
  /** All that were asked for are here: room that was kept for more can go. */
  settle?(): void;
}

/** The same source, asked for events that fit more than their kind. */
export function asking(source: TraceSource, more: EventQuery): TraceSource {
  return { ...source, events: (query, signal) => source.events({ ...query, ...more }, signal) };
}

export function createRows<R, List extends RowList<R> = readonly R[]>(
  source: TraceSource,
  /** As the server's `kind` parameter; asked when the first page is, where it depends on what the trace has. */
  kinds: string | (() => string),
  matches: (kind: string) => boolean,
  collector: Collector<R, List>,
): Rows<R, List> {
  const rows = signal(collector.snapshot());
  const state = signal<"idle" | "loading" | "ready" | "error">("idle");
  const error = signal<unknown>(null);
  const progress = signal({ read: 0, total: 0 });
  const controller = new AbortController();
  let lastSeq = -1;

  function add(events: readonly TraceEvent[]): boolean {
    let isChanged = false;
    for (const event of events) {
      if (event.seq <= lastSeq || !matches(event.kind)) continue;
      lastSeq = event.seq;
      collector.add(event);
      isChanged = true;
    }
    return isChanged;
  }

  async function load(): Promise<void> {
    state.value = "loading";
    const wanted = typeof kinds === "string" ? kinds : kinds();
    let shown = 0;
    let isStale = false;
    try {
      for (;;) {
        const page = await source.events(
          { kind: wanted, limit: PAGE, ...(lastSeq >= 0 ? { from_seq: lastSeq + 1 } : {}) },
          controller.signal,
        );
        batch(() => {
          const { read } = progress.value;
          progress.value = {
            read: read + page.events.length,
            total: read + Math.max(page.total, page.events.length),
          };
          const isLast = page.next_offset === null;
          isStale = add(page.events) || isStale;
          if (isStale && (isLast || progress.value.read >= shown * WORTH_SHOWING)) {
            shown = progress.value.read;
            isStale = false;
            rows.value = collector.snapshot();
          }
          if (isLast) {
            collector.settle?.();
            state.value = "ready";
          }
        });
        if (page.next_offset === null) break;
      }
    } catch (problem) {
      if (isAbort(problem)) return;
      batch(() => {
        if (isStale) rows.value = collector.snapshot();
        error.value = problem;
        state.value = "error";
      });
    }
  }

  return {
    rows,
    state,
    error,
    progress,
    ensure() {
      if (state.value === "idle" || state.value === "error") void load();
    },
    accept(events) {
      if (add(events)) rows.value = collector.snapshot();
      if (state.value === "idle") state.value = "ready";
    },
    dispose() {
      controller.abort();
    },
  };
}
