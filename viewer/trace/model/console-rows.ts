import type { ConsoleRow } from "./console.ts";

/** Lines, and how often each came again right after itself: 1 where it did not. */
export interface FoldedRows {
  rows: readonly ConsoleRow[];
  counts: Uint32Array;
}

/** Lines that repeat the one before them (level, text and place) become one with a count. */
export function foldRepeats(rows: readonly ConsoleRow[]): FoldedRows {
  const folded: ConsoleRow[] = [];
  const counts = new Uint32Array(rows.length);
  let last: { text: string; level: string; location: string | null } | null = null;
  for (const row of rows) {
    const { text, level, location } = row;
    const isSame =
      last !== null && last.text === text && last.level === level && last.location === location && !row.isCut;
    if (!isSame) folded.push(row);
    counts[folded.length - 1] = (counts[folded.length - 1] ?? 0) + 1;
    last = { text, level, location };
  }
  return { rows: folded.length === rows.length ? rows : folded, counts: counts.slice(0, folded.length) };
}

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
