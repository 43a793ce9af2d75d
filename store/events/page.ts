import type { EventFile, EventQuery } from "./types.ts";

/** Most bytes of stored lines in one page, line ends not counted. One line alone always comes, however long. */
export const PAGE_BYTES = 8 << 20;

/** The lines of a page while they are gathered. */
export interface PageLines {
  /** In the order of the file. */
  readonly lines: string[];
  /** Nothing more has room. */
  readonly isFull: boolean;
  readonly isFromEnd: boolean;
  /** Adds lines that together have so many bytes. */
  add(lines: string[], bytes: number): void;
}

/** @param isFromEnd the lines come from the last to the first, a frame's worth at a time. */
export function createPageLines(isFromEnd = false): PageLines {
  let lines: string[] = [];
  let left = PAGE_BYTES;
  let isFull = false;

  function fitting(given: string[]): string[] {
    let count = 0;
    for (; count < given.length; count++) {
      const bytes = Buffer.byteLength(given[isFromEnd ? given.length - 1 - count : count]!);
      if (bytes > left && (lines.length > 0 || count > 0)) break;
      left -= bytes;
    }
    isFull = count < given.length;
    return isFromEnd ? given.slice(given.length - count) : given.slice(0, count);
  }

  return {
    get lines() {
      return lines;
    },
    get isFull() {
      return isFull || left <= 0;
    },
    isFromEnd,
    add(given, bytes) {
      if (isFull || left <= 0) return;
      if (bytes <= left) left -= bytes;
      else given = fitting(given);
      if (isFromEnd) lines = given.concat(lines);
      else for (const line of given) lines.push(line);
    },
  };
}

/** The lines of a query page after page: no more than a page of them is held at once, however many are wanted. */
export async function* pagesOf(
  file: EventFile,
  query: Omit<EventQuery, "limit" | "offset" | "isFromEnd"> & { limit?: number },
): AsyncGenerator<string[]> {
  const { limit = Number.POSITIVE_INFINITY, ...wanted } = query;
  for (let offset = 0; offset < limit; ) {
    const { lines, total } = await file.query({ ...wanted, offset, limit: Math.min(LINES, limit - offset) });
    if (lines.length > 0) yield lines;
    offset += lines.length;
    if (lines.length === 0 || offset >= total) return;
  }
}

const LINES = 1_000;
