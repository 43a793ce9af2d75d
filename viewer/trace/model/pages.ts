import type { TraceEvent } from "../../../server/trace/format/event.ts";
import { blobHash, type TraceSource } from "../../api/trace-source.ts";
import { createRows, type Rows } from "./rows.ts";

/** A page that was recorded whole: a snapshot of the Playwright archive by its name, or markup of its own. */
export interface PageRow {
  seq: number;
  ts: number;
  stepId: string | null;
  url: string;
  phase: string | null;
  /** As the server renders it. */
  snapshot: { name: string; page: string } | null;
  /** Blob reference of the markup. */
  html: string | null;
}

const text = (value: unknown): string | null => (typeof value === "string" ? value : null);

/** The page that an event tells of; null when it is a frame's, or names none. */
export function toPageRow(event: TraceEvent): PageRow | null {
  const { snapshot: name, page, is_main_frame: isMain, phase, html, url } = event;
  const isNamed = isMain === true && typeof name === "string" && typeof page === "string";
  const markup = typeof html === "string" && blobHash(html) ? html : null;
  if (!isNamed && !markup) return null;
  return {
    seq: event.seq,
    ts: event.ts,
    stepId: event.step_id ?? null,
    url: text(url) ?? "",
    phase: text(phase),
    snapshot: isNamed ? { name, page } : null,
    html: markup,
  };
}

/** Every recorded page of a main frame, ordered by time. */
export function createPageRows(source: TraceSource): Rows<PageRow> {
  const rows: PageRow[] = [];
  return createRows(source, "dom.snapshot", (kind) => kind === "dom.snapshot", {
    add(event) {
      const row = toPageRow(event);
      if (row) rows.push(row);
    },
    snapshot: () => rows.toSorted((a, b) => a.ts - b.ts),
  });
}

/** The last page at or before a moment, else the first one. Pages are ordered by time. */
export function pageAt(pages: readonly PageRow[], ts: number): PageRow | null {
  return pages.findLast((page) => page.ts <= ts) ?? pages[0] ?? null;
}
