import { isTooDeep } from "../../event.ts";

/** A value of a document with its place in it: `items.0.price`. */
export interface Leaf {
  path: string;
  value: unknown;
}

/** Whether a value at a place names a thing: `items.0.id`, `ownerId`. */
export const isIdAt = (path: string): boolean => /(?:^|[._])id$|[a-z]Id$/.test(path);

const MOST_LEAVES = 2_000;
const MAX_DEPTH = 20;

/** The values of a JSON document that hold no others, in order; at most `MOST_LEAVES`. */
export function leavesOf(value: unknown): Leaf[] {
  const leaves: Leaf[] = [];
  const visit = (node: unknown, path: string, depth: number): void => {
    if (leaves.length >= MOST_LEAVES || depth > MAX_DEPTH) return;
    if (typeof node !== "object" || node === null) {
      if (node !== undefined) leaves.push({ path, value: node });
      return;
    }
    for (const [name, inner] of Object.entries(node))
      visit(inner, path === "" ? name : `${path}.${name}`, depth + 1);
  };
  visit(value, "", 0);
  return leaves;
}

/** The object or list that a text is; undefined when it is none. */
export function jsonOf(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isTooDeep(text, value) ? undefined : value;
  } catch {
    return undefined;
  }
}

/** Whether a value is an object with names, and no list. */
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
