import { isRecord, jsonOf } from "../json-leaves.ts";
import { merged } from "./merged.ts";

const MOST_ROWS = 2_000;
const MOST_VALUES = 50_000;
const MAX_DEPTH = 60;

/** What rows hold in which React writes what a server gives a page (Next and others). */
export interface ComponentRows {
  /** What a server action gave; undefined where they answer none. */
  given: unknown;
  /** What the server hands to the product's own components in the page, as one; undefined where they hand nothing over. */
  page: Record<string, unknown> | undefined;
  /** By what the framework knows the error that it gave a part of the page up with; null where there was none. */
  digest: string | null;
}

/** Whether a text begins as such rows do. */
export const isComponentRows = (text: string): boolean => /^[\da-f]{0,8}:[A-Z"[{tfn$]/.test(text);

/** What is larger than what is read of an answer is left out. */
export function ofComponentRows(text: string): ComponentRows {
  const rows = rowsIn(text);
  const reader = createReader(rows);
  const first = jsonOf(rows.get("0")?.text ?? "");
  const action = isRecord(first) && typeof first.a === "string" ? /^\$@([\da-f]{1,8})$/.exec(first.a) : null;
  const given = action ? reader.ofRow(action[1]!) : undefined;
  const parts = handedTo(rows, reader);
  const isRead = !reader.isTooLarge();
  return {
    given: isRead ? given : undefined,
    page: isRead && parts.length > 0 ? merged(parts) : undefined,
    digest: digestIn(rows),
  };
}

/** An error of the product, and what leads elsewhere. What only has the browser draw a part of the page is none. */
const TOLD = /^(?:\d+$|NEXT_(?:REDIRECT|HTTP_ERROR_FALLBACK);)/;

function digestIn(rows: ReadonlyMap<string, Row>): string | null {
  for (const { tag, text } of rows.values()) {
    const error = tag === "E" ? jsonOf(text) : undefined;
    if (isRecord(error) && typeof error.digest === "string" && TOLD.test(error.digest)) return error.digest;
  }
  return null;
}

interface Row {
  /** Upper case: what it is, where it is no value. */
  tag: string;
  text: string;
}

/** A text of any length has its number of bytes before it, and no end of line behind it. */
const HEAD = /([\da-f]{0,8}):(?:T([\da-f]{1,8}),|([A-Z]{0,2}))/y;

function rowsIn(text: string): Map<string, Row> {
  const rows = new Map<string, Row>();
  for (let at = 0; at < text.length && rows.size < MOST_ROWS; ) {
    HEAD.lastIndex = at;
    const head = HEAD.exec(text);
    if (!head) break;
    const [whole, id, size, tag] = head;
    const from = at + whole.length;
    const end =
      size === undefined ? text.indexOf("\n", from) : from + lengthOf(text, from, Number.parseInt(size, 16));
    const until = end < 0 ? text.length : end;
    if (id) rows.set(id, { tag: size === undefined ? tag! : "T", text: text.slice(from, until) });
    at = size === undefined ? until + 1 : until;
  }
  return rows;
}

/** How many characters of a text have so many bytes (UTF-8). */
function lengthOf(text: string, from: number, bytes: number): number {
  let at = from;
  for (let left = bytes; left > 0 && at < text.length; ) {
    const code = text.codePointAt(at)!;
    left -= code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    at += code < 0x10000 ? 1 : 2;
  }
  return at - from;
}

interface Reader {
  /** The value of a row with those of the rows that it refers to. */
  ofRow(id: string): unknown;
  plain(value: unknown): unknown;
  isTooLarge(): boolean;
}

function createReader(rows: ReadonlyMap<string, Row>): Reader {
  let left = MOST_VALUES;
  const open = new Set<string>();
  const ofRow = (id: string): unknown => {
    const row = rows.get(id);
    if (!row || open.has(id) || open.size > MAX_DEPTH) return undefined;
    if (row.tag === "T") return row.text;
    if (row.tag !== "") return undefined;
    open.add(id);
    const value = plain(jsonIn(row.text));
    open.delete(id);
    return value;
  };
  const plain = (value: unknown): unknown => {
    left -= 1;
    if (left < 0) return undefined;
    if (typeof value === "string") return value.startsWith("$") ? ofText(value) : value;
    // What the server has drawn is no data of the page.
    if (isElement(value)) return undefined;
    if (Array.isArray(value)) return value.map(plain);
    if (!isRecord(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, plain(inner)]));
  };
  const ofText = (text: string): unknown => {
    const [, type, rest] = /^\$([$DnLQW@]?)(.*)$/s.exec(text)!;
    if (type === "$") return `$${rest}`;
    if (type === "D" || type === "n") return rest;
    if (/^[\da-f]{1,8}$/.test(rest!)) return ofRow(rest!);
    return rest === "NaN" || rest === "Infinity" ? rest : undefined;
  };
  return { ofRow, plain, isTooLarge: () => left < 0 };
}

type Element = [mark: "$", type: string, key: unknown, props: Record<string, unknown>, ...rest: unknown[]];

const isElement = (value: unknown): value is Element =>
  Array.isArray(value) && value[0] === "$" && typeof value[1] === "string" && isRecord(value[3]);

/** What each component of the product is handed. Those of the framework come with its own script, and with no other. */
function handedTo(rows: ReadonlyMap<string, Row>, { plain, isTooLarge }: Reader): [string, unknown][] {
  const components = new Map<string, { name: string; handed: Record<string, unknown>[] }>();
  for (const [id, { tag, text }] of rows) {
    const name = tag === "I" ? nameIn(text) : null;
    if (name !== null) components.set(`$L${id}`, { name, handed: [] });
  }
  const visit = (value: unknown, depth: number): void => {
    if (depth > MAX_DEPTH || isTooLarge()) return;
    if (isElement(value)) components.get(value[1])?.handed.push(dataOf(value[3]));
    if (Array.isArray(value) || isRecord(value))
      for (const inner of Object.values(value)) visit(inner, depth + 1);
  };
  const dataOf = ({ children: _, ...props }: Record<string, unknown>) =>
    Object.fromEntries(
      Object.entries(props).flatMap(([name, value]) => {
        const data = plain(value);
        return data === undefined ? [] : [[name, data]];
      }),
    );
  for (const { tag, text } of rows.values()) if (tag === "") visit(jsonIn(text), 0);
  return [...components.values()].flatMap(({ name, handed }): [string, unknown][] => {
    const told = handed.filter((data) => Object.keys(data).length > 0);
    if (told.length === 0) return [];
    return [told.length > 1 ? ["", { [name]: told }] : [name === "default" ? "" : name, told[0]]];
  });
}

/** What a component is exported as; null where it is the framework's. */
function nameIn(text: string): string | null {
  const [, scripts, name] = (jsonOf(text) as unknown[] | undefined) ?? [];
  const isOwn = Array.isArray(scripts) && scripts.length > 0;
  return isOwn && typeof name === "string" && /^\w+$/.test(name) ? name : null;
}

/** A row may be a text, a number or nothing as well. */
function jsonIn(row: string): unknown {
  if (!/^["tfn\d-]/.test(row)) return jsonOf(row);
  try {
    return JSON.parse(row) as unknown;
  } catch {
    return undefined;
  }
}
