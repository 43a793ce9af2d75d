import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import type { EventLine, EventPage, EventQuery } from "../../../store/events/types.ts";
import { createEventWriter } from "../../../store/events/writer.ts";

export interface Place {
  folder: string;
  path: string;
  indexPath: string;
}

/** Runs work in a folder of its own that is gone afterwards. */
export async function inFolder<Value>(work: (place: Place) => Promise<Value>): Promise<Value> {
  const folder = mkdtempSync(join(tmpdir(), "tracedeck-events-"));
  try {
    return await work({
      folder,
      path: join(folder, "events.ndjson.zst"),
      indexPath: join(folder, "events.index"),
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The line of an event with whatever other fields. */
export function eventLine(
  event: { seq: number; ts: number; kind: string; step_id?: string },
  rest = {},
): EventLine {
  return { ...event, line: JSON.stringify({ ...event, ...rest }) };
}

export async function writeFile(place: Place, events: EventLine[], level?: number) {
  const writer = await createEventWriter({ ...place, ...(level === undefined ? {} : { level }) });
  for (const event of events) await writer.append(event.line, event);
  return writer.finish();
}

/** `count` ordinary events with text enough that a few thousand of them make several frames. */
export function sampleEvents(count: number, padding = 200): EventLine[] {
  const kinds = ["network.request", "network.response", "console.log", "agent.action"];
  return Array.from({ length: count }, (_, i) =>
    eventLine(
      {
        seq: i + 1,
        ts: 1_760_000_000_000 + i * 3,
        kind: i % 997 === 5 ? "clock.advance" : kinds[i % kinds.length]!,
        step_id: `call@${Math.floor(i / 50)}`,
      },
      { text: `${i}:${"abcdefgh".repeat(padding / 8)}` },
    ),
  );
}

/** What a query must answer, by looking at every line. */
export function naive(events: EventLine[], query: EventQuery): EventPage {
  const matches = events.filter((event) => {
    const { kinds, step, text, fromSeq } = query;
    if (kinds && !kinds.some((pattern) => matchesKind(pattern, event.kind))) return false;
    if (step !== undefined && event.step_id !== step) return false;
    if (fromSeq !== undefined && event.seq < fromSeq) return false;
    return !text || event.line.includes(text);
  });
  const wanted = matches.slice(query.offset, query.offset + query.limit).map((event) => event.line);
  return { lines: firstBytes(wanted, query.isFromEnd === true), total: matches.length };
}

/** Lines of 8 MiB together, from the one end or the other; one alone in any case. */
function firstBytes(lines: string[], isFromEnd: boolean): string[] {
  const kept: string[] = [];
  let bytes = 0;
  for (const line of isFromEnd ? lines.toReversed() : lines) {
    bytes += Buffer.byteLength(line);
    if (kept.length > 0 && bytes > 8 * 1024 * 1024) break;
    kept.push(line);
  }
  return isFromEnd ? kept.reverse() : kept;
}

function matchesKind(pattern: string, kind: string): boolean {
  return pattern.endsWith("*") ? kind.startsWith(pattern.slice(0, -1)) : kind === pattern;
}

export const KINDS = [
  "network.request",
  "network.response",
  "network",
  "console.log",
  "console.error",
  "agent.action",
  "__proto__",
  "клон",
];
export const STEPS = ["call@1", "call@2", "call@10", "", "пауза ⏸", "s".repeat(300), `${"s".repeat(300)}t`];
const TEXTS = ["needle", "наоборот", "🦊", 'a"b', "back\\slash", "x", ""];

/**
 * Events with gaps in `seq`, falling `ts`, absent steps and lines from 60 bytes to 60 kB, so that a few hundred of them
 * fill several frames unevenly.
 */
export const eventsArbitrary: fc.Arbitrary<EventLine[]> = fc
  .array(
    fc.record({
      gap: fc.oneof(
        { weight: 4, arbitrary: fc.constant(1) },
        { weight: 1, arbitrary: fc.integer({ min: 1, max: 900 }) },
      ),
      ts: fc.integer({ min: 0, max: 2_000_000_000_000 }),
      kind: fc.constantFrom(...KINDS),
      step: fc.option(fc.constantFrom(...STEPS)),
      text: fc.constantFrom(...TEXTS),
      padding: fc.constantFrom(0, 10, 300, 60_000),
    }),
    { minLength: 0, maxLength: 300, size: "max" },
  )
  .map((drafts) => {
    let seq = 0;
    return drafts.map(({ gap, ts, kind, step, text, padding }) => {
      seq += gap;
      return eventLine(
        { seq, ts, kind, ...(step === null ? {} : { step_id: step }) },
        { text, padding: "p".repeat(padding) },
      );
    });
  });

export const queryArbitrary: fc.Arbitrary<EventQuery> = fc.record(
  {
    kinds: fc.array(fc.constantFrom(...KINDS, "network.*", "console.*", "*", "net*", "none", "none.*"), {
      minLength: 1,
      maxLength: 3,
    }),
    step: fc.constantFrom(...STEPS, "call", "nowhere"),
    text: fc.constantFrom(...TEXTS, "nowhere", "\n", '"kind":"console'),
    fromSeq: fc.integer({ min: -1, max: 20_000 }),
    offset: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 320 })),
    limit: fc.constantFrom(1, 7, 200, 1000),
  },
  { requiredKeys: ["offset", "limit"] },
);
