import type { TraceEvent } from "../../server/trace/format/event.ts";
import type { EventColumns } from "../../server/trace/format/page-data.ts";
import type { EventPage, EventQuery } from "../api/answers.ts";
import { looseMatcher } from "./loose.ts";
import { partText, wholeFile } from "./parts.ts";

/** Rows of one part, looked up without unpacking the part itself. */
interface Chunk {
  seqs: Float64Array;
  columns: EventColumns;
}

/** Unpacked text that is kept, in characters. */
const MOST_KEPT = 48_000_000;
const USUAL_LIMIT = 200;

type Filter = (chunk: Chunk) => ((row: number) => boolean) | null;

/** The events of this file, answered the way the server answers for a stored trace. */
export function createEvents() {
  let loading: Promise<Chunk[]> | null = null;
  const kept = new Map<number, string[]>();
  let keptSize = 0;

  async function load(): Promise<Chunk[]> {
    await wholeFile();
    const chunks: Chunk[] = [];
    for (let text = partText("columns-0"); text !== null; text = partText(`columns-${chunks.length}`)) {
      const columns = JSON.parse(text) as EventColumns;
      const seqs = new Float64Array(columns.seqs.length);
      let seq = 0;
      for (const [row, step] of columns.seqs.entries()) {
        seq += step;
        seqs[row] = seq;
      }
      chunks.push({ seqs, columns });
    }
    return chunks;
  }

  function linesOf(number: number): string[] {
    const known = kept.get(number);
    if (known) return known;
    const text = partText(`events-${number}`) ?? "";
    const lines = text.split("\n");
    kept.set(number, lines);
    keptSize += text.length;
    for (const [oldest, old] of kept) {
      if (keptSize <= MOST_KEPT || kept.size === 1) break;
      kept.delete(oldest);
      for (const line of old) keptSize -= line.length + 1;
    }
    return lines;
  }

  return async (query: EventQuery, signal?: AbortSignal): Promise<EventPage> => {
    loading ??= load();
    const chunks = await loading;
    const { offset = 0, limit = USUAL_LIMIT, from_seq: fromSeq = 0 } = query;
    const filter = filterOf(query);
    const holds = query.q ? textFilter(query.q, query.match === "loose") : null;
    const events: TraceEvent[] = [];
    let total = 0;
    for (const [number, chunk] of chunks.entries()) {
      const isWanted = (chunk.seqs.at(-1) ?? -1) >= fromSeq ? filter(chunk) : null;
      if (!isWanted) continue;
      if (holds) await pause(signal);
      for (let row = 0; row < chunk.seqs.length; row += 1) {
        if ((chunk.seqs[row] ?? 0) < fromSeq || !isWanted(row)) continue;
        if (holds && !holds(linesOf(number)[row] ?? "")) continue;
        if (total >= offset && events.length < limit)
          events.push(JSON.parse(linesOf(number)[row] ?? "null") as TraceEvent);
        total += 1;
      }
    }
    const next = offset + events.length;
    return { events, total, next_offset: next < total ? next : null };
  };
}

function filterOf({ kind, step }: EventQuery): Filter {
  const patterns = kind ? kind.split(",") : null;
  return ({ columns }) => {
    const kinds = columns.kinds.map((name) => patterns === null || patterns.some((one) => fits(name, one)));
    const wanted = step ? columns.steps.indexOf(step) + 1 : null;
    if (!kinds.includes(true) || wanted === 0) return null;
    return (row) =>
      kinds[columns.kind[row] ?? -1] === true && (wanted === null || columns.step[row] === wanted);
  };
}

/** `network.*` stands for every kind that begins so. */
function fits(name: string, pattern: string): boolean {
  return pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}

function textFilter(text: string, isLoose: boolean): (line: string) => boolean {
  return isLoose ? looseMatcher(text) : (line) => line.includes(text);
}

/** Lets the page draw, and ends a search that nobody waits for any more. */
async function pause(signal: AbortSignal | undefined): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve));
  signal?.throwIfAborted();
}
