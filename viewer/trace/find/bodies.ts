import { lanesOf } from "../../../server/trace/format/summary-timeline.ts";
import type { FoundBodies } from "../../api/find-answer.ts";
import type { TraceSource } from "../../api/trace-source.ts";
import { oneLine } from "../../ui/text.ts";
import { flat } from "./excerpt.ts";
import { type FoundHit, titleOfEvent } from "./groups.ts";

/** Hits that are read without being asked for, and how often the server is asked for them. */
const READ = 200;
const ASKED = 4;

/** How far recorded pages and the bodies that are stored apart have been searched. */
export interface BodyProgress {
  bodies: { searched: number; total: number };
  pages: { searched: number; total: number };
  /** Bodies of which only the beginning is searched, and what could not be read. */
  tooLarge: number;
  unreadable: number;
}

/** In place of the reference of a body: a page of a Playwright archive has none. */
const PAGE = "page";

export interface BodyReading {
  hits: FoundHit[];
  /** Null until the server was asked. */
  progress: BodyProgress | null;
  isComplete: boolean;
}

/** Looks through recorded pages and stored bodies, a bounded piece at a time. */
export function createBodyReading(find: NonNullable<TraceSource["findInBodies"]>, text: string) {
  const reading: BodyReading = { hits: [], progress: null, isComplete: false };
  let next: string | null = null;

  /** Looks on until enough is found, or enough looked at. `onPiece` is told after each piece. */
  async function read(signal: AbortSignal, onPiece: () => void): Promise<void> {
    const enough = reading.hits.length + READ;
    for (let asked = 0; asked < ASKED && !reading.isComplete && reading.hits.length < enough; asked++) {
      const page = await find(text, next, signal);
      reading.hits.push(...page.hits.map(toBodyHit));
      reading.progress = {
        bodies: { searched: page.searched, total: page.total },
        pages: { searched: page.pages_searched, total: page.pages_total },
        tooLarge: page.too_large,
        unreadable: (reading.progress?.unreadable ?? 0) + page.unreadable,
      };
      next = page.next;
      reading.isComplete = next === null;
      onPiece();
    }
  }

  return { reading, read };
}

export type Bodies = ReturnType<typeof createBodyReading>;

function toBodyHit({ event, field, reference, excerpt, count }: FoundBodies["hits"][number]): FoundHit {
  const name = titleOfEvent(event);
  const isPage = event.kind === "dom.snapshot";
  return {
    seq: event.seq,
    ts: event.ts,
    lane: lanesOf(event)[0] ?? null,
    stepId: event.step_id ?? null,
    group: isPage ? "pages" : "bodies",
    kind: event.kind,
    reference: reference ?? PAGE,
    phase: isPage && typeof event.phase === "string" ? event.phase : null,
    title: { field: "", before: oneLine(name, 300) || event.kind, match: "", after: "" },
    excerpt: {
      field: count > 1 ? `${field} · ${count}${count === 100 ? "+" : ""}` : field,
      before: flat(excerpt.before.slice(-14)),
      match: flat(excerpt.match),
      after: flat(excerpt.after),
    },
  };
}
