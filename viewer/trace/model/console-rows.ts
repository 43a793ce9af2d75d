import type { ConsoleRow } from "./console.ts";
import { filterRows, type RowList } from "./row-list.ts";

/** Lines, and how often each came again right after itself; no counts when none did. */
export interface FoldedRows {
  rows: RowList<ConsoleRow>;
  counts: Uint32Array;
}

/** Lines that repeat the one before them (level, text and place) become one with a count. */
export function foldRepeats(rows: RowList<ConsoleRow>): FoldedRows {
  const counts = new Uint32Array(rows.length);
  let length = 0;
  let last: ConsoleRow | null = null;
  const folded = filterRows(rows, (row) => {
    const isAgain = last !== null && isSame(row, last);
    last = row;
    if (!isAgain) length += 1;
    counts[length - 1] = (counts[length - 1] ?? 0) + 1;
    return !isAgain;
  });
  return { rows: folded, counts: counts.some((count) => count > 1) ? counts.slice(0, length) : NONE };
}

/** Told by the mark first: most lines need not be read for it. */
const isSame = (row: ConsoleRow, last: ConsoleRow): boolean =>
  row.textMark === last.textMark &&
  row.level === last.level &&
  !row.isCut &&
  row.text === last.text &&
  row.location === last.location;

const NONE = new Uint32Array(0);

export interface TextFilter {
  test(text: string): boolean;
  /** Why the pattern cannot be used; null when it can. */
  problem: string | null;
}

const PATTERN = /^\/(.+)\/([gimsuy]*)$/;
const ALL: TextFilter = { test: () => true, problem: null };

/** Words in either case, or a regular expression between slashes: `/^GET .*5\d\d/i`. */
export function textFilter(typed: string): TextFilter {
  const words = typed.trim();
  if (words === "") return ALL;
  const match = PATTERN.exec(words);
  if (!match) {
    const lower = words.toLowerCase();
    return { test: (text) => text.toLowerCase().includes(lower), problem: null };
  }
  try {
    const pattern = new RegExp(match[1] ?? "", (match[2] ?? "").replace(/[gy]/g, ""));
    return { test: (text) => pattern.test(text), problem: null };
  } catch (error) {
    return { ...ALL, problem: error instanceof Error ? error.message : String(error) };
  }
}
