import type { ConsoleRow } from "./console.ts";

/** A line and how often it came again right after itself. */
export interface FoldedRow {
  row: ConsoleRow;
  count: number;
  /** When the last of them came, epoch ms. */
  lastTs: number;
}

/** Lines that repeat the one before them (level, text and place) become one with a count. */
export function foldRepeats(rows: readonly ConsoleRow[]): FoldedRow[] {
  const folded: FoldedRow[] = [];
  for (const row of rows) {
    const last = folded.at(-1);
    const isSame =
      last !== undefined &&
      last.row.text === row.text &&
      last.row.level === row.level &&
      last.row.location === row.location &&
      !row.isCut;
    if (!isSame) folded.push({ row, count: 1, lastTs: row.ts });
    else {
      last.count += 1;
      last.lastTs = row.ts;
    }
  }
  return folded;
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
