import { align } from "../../server/trace/format/diff/align.ts";
import { pretty } from "./text.ts";

export interface DiffLine {
  kind: "same" | "removed" | "added" | "gap";
  text: string;
}

/** Longer texts are compared up to here. */
const MOST_LINES = 4000;
/** Equal lines kept around a difference. */
const AROUND = 3;

/** The lines of two texts (undefined has none), JSON with its indents, as one list: what is only in the first, only in the second, or in both. */
export function lineDiff(
  before: string | undefined,
  after: string | undefined,
): { lines: DiffLine[]; isCut: boolean } {
  const a = before === undefined ? [] : pretty(before).text.split("\n");
  const b = after === undefined ? [] : pretty(after).text.split("\n");
  const isCut = a.length > MOST_LINES || b.length > MOST_LINES;
  const [left, right] = [a.slice(0, MOST_LINES), b.slice(0, MOST_LINES)];
  const all = align(left, right).map(([one, other]): DiffLine => {
    if (other === null) return { kind: "removed", text: left[one] ?? "" };
    return { kind: one === null ? "added" : "same", text: right[other] ?? "" };
  });
  const near = new Uint8Array(all.length);
  for (const [at, { kind }] of all.entries())
    if (kind !== "same") near.fill(1, Math.max(0, at - AROUND), at + AROUND + 1);
  const lines: DiffLine[] = [];
  let skipped = 0;
  const close = (): void => {
    if (skipped > 0)
      lines.push({ kind: "gap", text: skipped === 1 ? "one equal line" : `${skipped} equal lines` });
    skipped = 0;
  };
  for (const [at, line] of all.entries()) {
    if (near[at] === 1) {
      close();
      lines.push(line);
    } else skipped += 1;
  }
  close();
  return { lines, isCut };
}
