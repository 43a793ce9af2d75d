import { lanesOf } from "../../../server/trace/format/summary-timeline.ts";
import type { FoundBodies, TraceSource } from "../../api.ts";
import { oneLine } from "../../ui/text.ts";
import { flat } from "./excerpt.ts";
import { type FoundHit, titleOfEvent } from "./groups.ts";

/** Hits that are read without being asked for, and how often the server is asked for them. */
const READ = 200;
const ASKED = 4;

/** How far the bodies that are stored apart have been searched. */
export interface BodyProgress {
  searched: number;
  total: number;
  tooLarge: number;
}

export interface BodyReading {
  hits: FoundHit[];
  /** Null until the server was asked. */
  progress: BodyProgress | null;
  isComplete: boolean;
}

/** Looks through stored bodies, a bounded piece at a time. */
export function createBodyReading(find: NonNullable<TraceSource["findInBodies"]>, text: string) {
  const reading: BodyReading = { hits: [], progress: null, isComplete: false };

  /** Looks on until enough is found, or enough looked at. `onPiece` is told after each piece. */
  async function read(signal: AbortSignal, onPiece: () => void): Promise<void> {
    const enough = reading.hits.length + READ;
    for (let asked = 0; asked < ASKED && !reading.isComplete && reading.hits.length < enough; asked++) {
      const page = await find(text, reading.progress?.searched ?? 0, signal);
      reading.hits.push(...page.hits.map(toBodyHit));
      reading.progress = { searched: page.searched, total: page.total, tooLarge: page.too_large };
      reading.isComplete = page.next === null;
      onPiece();
    }
  }

  return { reading, read };
}

export type Bodies = ReturnType<typeof createBodyReading>;

function toBodyHit({ event, field, reference, excerpt, count }: FoundBodies["hits"][number]): FoundHit {
  const name = titleOfEvent(event);
  return {
    seq: event.seq,
    ts: event.ts,
    lane: lanesOf(event)[0] ?? null,
    stepId: event.step_id ?? null,
    group: "bodies",
    kind: event.kind,
    reference,
    title: { field: "", before: oneLine(name, 300) || event.kind, match: "", after: "" },
    excerpt: {
      field: count > 1 ? `${field} · ${count}${count === 100 ? "+" : ""}` : field,
      before: flat(excerpt.before.slice(-14)),
      match: flat(excerpt.match),
      after: flat(excerpt.after),
    },
  };
}
