import { oneLine } from "../../error-text.ts";
import type { Exchange } from "../run/run-facts.ts";
import { isRecord, jsonOf } from "../values/json-leaves.ts";
import { listsIn } from "../values/lists.ts";
import { bodyOf } from "../words.ts";

const MOST_ROWS = 500;

/** The things that an answer lists: of JSON those of its first list, of a page the rows of its first table under the names of its columns. */
export function thingsOf(one: Exchange, bodies: Map<number, string>): Record<string, unknown>[] {
  const body = bodyOf(one, bodies) ?? "";
  return /html/.test(one.mediaType) ? rowsIn(body) : (listsIn(jsonOf(body))[0]?.items.filter(isRecord) ?? []);
}

function rowsIn(html: string): Record<string, unknown>[] {
  const start = html.search(/<table\b/i);
  if (start < 0) return [];
  const end = html.indexOf("</table>", start);
  const [head, ...rows] = html
    .slice(start, end < 0 ? undefined : end)
    .split(/<tr\b/i)
    .slice(1, MOST_ROWS + 2)
    .map(cellsOf);
  if (!head) return [];
  return rows
    .filter((cells) => cells.length === head.length)
    .map((cells) => Object.fromEntries(head.map((name, at) => [name, cells[at]])));
}

/** The texts of the cells of a row, whose closing tags may be left out (HTML, optional tags). */
const cellsOf = (row: string): string[] =>
  row
    .split(/<t[hd]\b[^<>]*>/i)
    .slice(1)
    .map((cell) => oneLine(cell.replace(/<[^<>]*>/g, " ")));
