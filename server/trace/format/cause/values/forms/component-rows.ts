import { isRecord, jsonOf } from "../json-leaves.ts";

const MOST_ROWS = 500;
const MOST_VALUES = 50_000;
const MAX_DEPTH = 40;

/** What a server action gave, in the rows in which React writes it (Next and others); undefined where they are of a page. */
export function givenByAction(text: string): unknown {
  const rows = new Map<string, string>();
  for (const line of text.split("\n", MOST_ROWS)) {
    const [, id, row] = /^([\da-f]{1,8}):(.*)$/.exec(line) ?? [];
    if (id !== undefined) rows.set(id, row!);
  }
  const first = jsonOf(rows.get("0") ?? "");
  const given = isRecord(first) && typeof first.a === "string" ? /^\$@([\da-f]{1,8})$/.exec(first.a) : null;
  return given ? valueOfRow(given[1]!, rows) : undefined;
}

/** The value of a row with those of the rows that it refers to; undefined when it is larger than what is read of an answer. */
function valueOfRow(id: string, rows: ReadonlyMap<string, string>): unknown {
  let left = MOST_VALUES;
  const open = new Set<string>();
  const ofRow = (row: string): unknown => {
    if (open.has(row) || open.size > MAX_DEPTH) return undefined;
    open.add(row);
    const value = plain(jsonIn(rows.get(row) ?? ""));
    open.delete(row);
    return value;
  };
  const plain = (value: unknown): unknown => {
    left -= 1;
    if (left < 0) return undefined;
    if (typeof value === "string") return value.startsWith("$") ? ofText(value) : value;
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
  const value = ofRow(id);
  return left < 0 ? undefined : value;
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
