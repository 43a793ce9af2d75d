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

const ISLAND = /<script\b[^<>]{0,500}\btype=["']?application\/json\b[^<>]{0,500}>/i;

/** What a served page hands to its scripts as JSON, by the ids of these parts; undefined where it hands nothing over. */
export function handedOver(html: string): unknown {
  const parts: Record<string, unknown> = {};
  // Up to each end one part at most is looked for, so that the page is read once: what begins within a script is its text.
  for (const piece of html.slice(0, LONGEST_PAGE).split("</script").slice(0, -1)) {
    const begin = ISLAND.exec(piece);
    if (!begin) continue;
    const value = jsonOf(piece.slice(begin.index + begin[0].length));
    const id = /\bid=["']?([\w-]{1,60})/i.exec(begin[0])?.[1] ?? "data";
    if (value !== undefined && Object.keys(parts).length < MOST_PARTS) parts[id] = value;
  }
  const all = Object.values(parts);
  return all.length > 1 ? parts : all[0];
}

const LONGEST_PAGE = 2_000_000;
const MOST_PARTS = 10;

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
