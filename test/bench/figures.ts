import type { BenchResult } from "./bench.ts";

/** Where and when figures were measured. */
export interface Measured {
  /** ISO date. */
  date: string;
  /** In words: processor, memory, system, browser. */
  machine: string;
}

const opening = (bench: string): string => `<!-- bench ${bench} -->`;
const closing = (bench: string): string => `<!-- /bench ${bench} -->`;

/**
 * Puts the figures of a bench between its two markers in a Markdown text, in place of what is there.
 * @throws Error when the text does not have each marker once, the opening one first
 */
export function writeFigures(
  text: string,
  bench: string,
  results: readonly BenchResult[],
  measured: Measured,
): string {
  const [before, rest, ...more] = text.split(opening(bench));
  const [, after, ...others] = rest?.split(closing(bench)) ?? [];
  if (after === undefined || more.length > 0 || others.length > 0 || before!.includes(closing(bench)))
    throw new Error(`The text needs ${opening(bench)} and ${closing(bench)} once each, in this order.`);
  const told = `Measured on ${measured.date}: ${measured.machine}.`;
  return `${before}${opening(bench)}\n\n${told}\n\n${markdownTable(rowsOf(results))}\n\n${closing(bench)}${after}`;
}

/** As many cells as the head of the table has, a row for each figure, or for each group of them. */
function rowsOf(results: readonly BenchResult[]): string[][] {
  const groups = new Map<string, BenchResult[]>();
  for (const result of results) {
    const name = result.group ?? result.name;
    groups.set(name, [...(groups.get(name) ?? []), result]);
  }
  return [...groups].map(([name, some]) => {
    const sorted = some.toSorted((a, b) => a.ratio - b.ratio);
    const [least, most] = [sorted[0]!, sorted.at(-1)!];
    const worst = /^[≥>]/.test(least.target) ? least : most;
    const [from, to] = [ratioInWords(least.ratio), ratioInWords(most.ratio)];
    const isMet = some.every(({ ok }) => ok);
    return [
      name,
      from === to ? from : `${from} to ${to}`,
      `${worst.target}${isMet ? "" : ", missed"}`,
      some.length === 1 ? worst.detail : `worst: ${worst.detail}`,
    ];
  });
}

/** Three digits at most behind the point of what is small, none of what is large. */
export const ratioInWords = (ratio: number): string =>
  ratio >= 100 ? Math.round(ratio).toLocaleString("en-GB") : ratio.toFixed(2);

function markdownTable(rows: string[][]): string {
  const escaped = rows.map((row) => row.map((cell) => cell.replaceAll("|", "\\|").replaceAll(/\s+/g, " ")));
  const head = ["what", "ratio", "target", "measured"];
  const lines = [head, head.map((cell) => "-".repeat(cell.length)), ...escaped];
  return alignedRows(lines)
    .map((row) => `| ${row.join(" | ")} |`)
    .join("\n");
}

/** The same cells, as wide in each column as its widest; dashes go on to the end. */
export function alignedRows(rows: readonly string[][]): string[][] {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => Bun.stringWidth(row[column]!))));
  return rows.map((row) =>
    row.map((cell, column) => {
      const filler = /^-+$/.test(cell) ? "-" : " ";
      return cell + filler.repeat(widths[column]! - Bun.stringWidth(cell));
    }),
  );
}
