import type { TraceEvent } from "../../server/trace/format/event.ts";

/** `GET …/find`. */
export interface FoundBodies {
  hits: {
    event: TraceEvent;
    field: string;
    /** Null for a page of a Playwright archive. */
    reference: string | null;
    excerpt: { before: string; match: string; after: string };
    count: number;
  }[];
  searched: number;
  total: number;
  pages_searched: number;
  pages_total: number;
  too_large: number;
  unreadable: number;
  next: string | null;
}
