import { cut } from "../error-text.ts";
import type { Normaliser } from "./normalise.ts";
import { type Difference, MOST_DIFFERENCES } from "./types.ts";

const MAX_VALUE = 300;
const MOST_NODES = 20_000;

/** Both normalisers, of the site of each trace. */
export interface Normalisers {
  a: Normaliser;
  b: Normaliser;
}

/**
 * Where two JSON values differ once everything that varies between runs is replaced: JSON Pointers below `path` with
 * the values as recorded, the first `MOST_DIFFERENCES` of them.
 */
export function differencesOf(path: string, a: unknown, b: unknown, by: Normalisers): Difference[] {
  const found: Difference[] = [];
  let visited = 0;

  function visit(at: string, one: Value, other: Value) {
    if (found.length >= MOST_DIFFERENCES || ++visited > MOST_NODES) return;
    const [left, right] = [one.normal, other.normal];
    if (left === right) return;
    if (!isBranch(left) || !isBranch(right) || Array.isArray(left) !== Array.isArray(right)) {
      found.push({ path: at, ...shown("a", one.raw), ...shown("b", other.raw) });
      return;
    }
    const [mine, yours] = [entries(one), entries(other)];
    for (const key of new Set([...mine.keys(), ...yours.keys()]))
      visit(
        `${at}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`,
        mine.get(key) ?? NONE,
        yours.get(key) ?? NONE,
      );
  }

  visit(path, { raw: a, normal: by.a.json(a) }, { raw: b, normal: by.b.json(b) });
  return found;
}

interface Value {
  raw: unknown;
  normal: unknown;
}

const NONE: Value = { raw: undefined, normal: undefined };

const isBranch = (value: unknown): value is object => typeof value === "object" && value !== null;

/** Children by their normalised key; their values as recorded stand at the same places. */
function entries({ raw, normal }: Value): Map<string, Value> {
  const values = isBranch(raw) ? Object.values(raw) : [];
  const keys = isBranch(raw) ? Object.keys(raw) : [];
  const normals = isBranch(normal) ? normal : {};
  const isList = Array.isArray(normal);
  const found = new Map<string, Value>();
  for (const [key, value] of Object.entries(normals)) found.set(key, { raw: undefined, normal: value });
  if (isList || keys.length === found.size)
    for (const [at, key] of [...found.keys()].entries()) found.get(key)!.raw = values[at];
  else for (const [key, value] of found) value.raw = value.normal ?? key;
  return found;
}

function shown(side: "a" | "b", value: unknown): Partial<Difference> {
  if (value === undefined) return {};
  if (typeof value === "string") return { [side]: cut(value, MAX_VALUE) };
  if (!isBranch(value)) return { [side]: value };
  const text = JSON.stringify(value);
  return { [side]: text.length <= MAX_VALUE ? value : cut(text, MAX_VALUE) };
}

/** One difference between two plain values, or none. */
export function differenceAt(path: string, a: unknown, b: unknown): Difference[] {
  return a === b ? [] : [{ path, ...shown("a", a), ...shown("b", b) }];
}
