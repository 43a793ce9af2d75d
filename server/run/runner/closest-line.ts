import { similarity } from "../../trace/format/similarity.ts";

/** Less alike is another text. */
const LEAST_ALIKE = 0.6;
const MOST_LINES = 2000;
const LONGEST_LINE = 300;

/**
 * Of a text of several lines the one that is most like what was wanted.
 * @returns null for a text of one line, and where none is alike
 */
export function closestLine(text: string, wanted: string): string | null {
  const lines = text
    .split("\n", MOST_LINES)
    .map((line) => line.replace(/\s+/g, " ").trim())
    .filter((line) => line !== "" && line.length <= LONGEST_LINE);
  if (lines.length < 2) return null;
  let closest: { line: string; likeness: number } | null = null;
  for (const line of lines) {
    const likeness = similarity(wanted, line);
    if (likeness >= LEAST_ALIKE && likeness > (closest?.likeness ?? 0)) closest = { line, likeness };
  }
  return closest?.line ?? null;
}
