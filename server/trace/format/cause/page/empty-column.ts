import type { SeenElement } from "./page-view.ts";
import { insideOf } from "./within.ts";

const MOST_TABLES = 10;
const MOST_ROWS = 50;

/** The one column of a page's tables that has a head and nothing in any row; null where there is none, or several. */
export function emptyColumn(elements: readonly SeenElement[]): string | null {
  const tables = elements.filter(({ role, isHidden }) => role === "table" && !isHidden).slice(0, MOST_TABLES);
  const [column, ...others] = tables.flatMap((table) => emptyIn(insideOf(elements, table)));
  return others.length === 0 ? (column ?? null) : null;
}

function emptyIn(inside: readonly SeenElement[]): string[] {
  const rows = inside.filter(({ role, isHidden }) => role === "row" && !isHidden).slice(0, MOST_ROWS);
  const cells = rows.map((row) => insideOf(inside, row).filter(({ role }) => CELLS.test(role)));
  const heads = cells[0]?.every(({ role }) => role === "columnheader") ? cells[0] : [];
  // What spans columns has no place of its own.
  const filled = cells.slice(1).filter((one) => one.length === heads.length);
  if (filled.length === 0 || filled.length < cells.length - 1) return [];
  return heads.flatMap(({ text }, at) =>
    text.trim() !== "" && filled.every((row) => isEmpty(row[at]!, inside)) ? [text.trim()] : [],
  );
}

const CELLS = /^(?:cell|gridcell|columnheader|rowheader)$/;

/** Whether a cell has neither a text nor anything else in it. */
const isEmpty = (cell: SeenElement, inside: readonly SeenElement[]): boolean =>
  cell.text.trim() === "" && insideOf(inside, cell).length === 0;
