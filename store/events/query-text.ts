import { isMatch, lineOffset } from "./filter.ts";
import { type FoundLines, linesHolding } from "./found-lines.ts";
import type { Needle } from "./needle.ts";
import { createPageLines, type PageLines } from "./page.ts";
import type { Plan, QuerySource } from "./query-plan.ts";
import type { EventPage, EventQuery } from "./types.ts";

const NEWLINE = 10;

/**
 * Text search through the bytes of every frame that may hold a match and was not looked through before; lets other work run
 * between frames.
 * @throws the reason of the query's signal
 */
export async function searchFrames(
  source: QuerySource,
  plan: Plan,
  { needle, found }: { needle: Needle; found: FoundLines },
  { offset, limit, signal }: Pick<EventQuery, "offset" | "limit" | "signal">,
): Promise<EventPage> {
  const page = createPageLines();
  const unknown = source.walk(plan.frames.filter((frame) => !found.of(frame)));
  let total = 0;
  try {
    for (const frame of plan.frames) {
      let lines = found.of(frame);
      let data: Buffer | null = null;
      if (!lines) {
        data = await nextOf(unknown, frame);
        lines = linesHolding(data, needle);
        found.set(frame, lines);
        // Unpacking alone lets nobody else run when the next frame is there already.
        await new Promise((resolve) => setImmediate(resolve));
        signal?.throwIfAborted();
      }
      const wanted = wantedOf(source, plan, frame, lines);
      const onPage = wanted.slice(Math.max(0, offset - total), Math.max(0, offset + limit - total));
      if (onPage.length > 0 && !page.isFull)
        takeLines(source, frame, data ?? (await nextOf(source.walk([frame]), frame)), onPage, page);
      total += wanted.length;
    }
  } finally {
    await unknown.return(undefined);
    found.keep();
  }
  return { lines: page.lines, total };
}

type Walk = ReturnType<QuerySource["walk"]>;

/** The next frame of a walk, which is the one that is wanted. */
async function nextOf(walk: Walk, frame: number): Promise<Buffer> {
  const { value } = await walk.next();
  if (value?.frame !== frame) throw new Error(`Frame ${frame} was left out of a walk.`);
  return value.data;
}

/** Of the lines that hold the text those that the query's other conditions let through. */
function wantedOf(source: QuerySource, plan: Plan, frame: number, lines: Uint32Array): Uint32Array {
  const { filter } = plan;
  const from = frame === plan.frames[0] ? plan.fromLocal : 0;
  if (lines.length === 0 || (filter.keys.length === 0 && from === 0)) return lines;
  const columns = source.index.columns(frame);
  return lines.filter((line) => line >= from && (filter.keys.length === 0 || isMatch(filter, columns, line)));
}

function takeLines(
  source: QuerySource,
  frame: number,
  data: Buffer,
  lines: Uint32Array,
  page: PageLines,
): void {
  const columns = source.index.columns(frame);
  for (const line of lines) {
    if (page.isFull) return;
    const start = lineOffset(data, columns, line);
    const end = data.indexOf(NEWLINE, start);
    page.add([data.toString("utf8", start, end)], end - start);
  }
}
