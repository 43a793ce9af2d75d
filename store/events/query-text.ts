import { isMatch, lineNumber, lineOffset } from "./filter.ts";
import type { Needle } from "./needle.ts";
import { createPageLines } from "./page.ts";
import type { Plan, QuerySource } from "./query-plan.ts";
import type { EventPage, EventQuery } from "./types.ts";

const NEWLINE = 10;

/**
 * Text search through the bytes of every frame that may hold a match; lets other work run between frames.
 * @throws the reason of the query's signal
 */
export async function searchFrames(
  source: QuerySource,
  plan: Plan,
  needle: Needle,
  { offset, limit, signal }: Pick<EventQuery, "offset" | "limit" | "signal">,
): Promise<EventPage> {
  const page = createPageLines();
  let total = 0;
  for await (const { frame, data } of source.walk(plan.frames)) {
    const from = frame === plan.frames[0] ? plan.fromLocal : 0;
    for (const [start, end] of hitLines(source, plan, frame, data, needle, from)) {
      if (total >= offset && total < offset + limit && !page.isFull)
        page.add([data.toString("utf8", start, end)], end - start);
      total++;
    }
    // Unpacking alone lets nobody else run when the next frame is there already.
    await new Promise((resolve) => setImmediate(resolve));
    signal?.throwIfAborted();
  }
  return { lines: page.lines, total };
}

/** Start and end of every matching line of a frame that holds the needle. */
function* hitLines(
  source: QuerySource,
  plan: Plan,
  frame: number,
  data: Buffer,
  needle: Needle,
  from: number,
): Generator<[number, number]> {
  const { filter } = plan;
  const isFiltered = filter.keys.length > 0;
  const columns = isFiltered || from > 0 ? source.index.columns(frame) : null;
  let at = from > 0 ? lineOffset(data, columns!, from) : 0;
  const text = needle.prepare(data);
  for (;;) {
    const hit = text.indexOf(needle.bytes, at);
    if (hit === -1) return;
    const start = hit === 0 ? 0 : data.lastIndexOf(NEWLINE, hit - 1) + 1;
    const end = data.indexOf(NEWLINE, hit);
    const isWanted = !isFiltered || isMatch(filter, columns!, lineNumber(data, columns!, start));
    if (isWanted && needle.accepts(text, hit, end)) yield [start, end];
    at = end + 1;
  }
}
