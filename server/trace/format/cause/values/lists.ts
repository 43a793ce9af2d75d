import { isRecord } from "./json-leaves.ts";

const MOST_LISTS = 8;
/** Names of an object, or items of a list, that are looked into. */
const MOST_ENTRIES = 20;

/** The lists of things within a value, outer ones first. */
export function listsIn(value: unknown): { path: string; items: unknown[] }[] {
  const lists: { path: string; items: unknown[] }[] = [];
  const visit = (node: unknown, path: string, depth: number): void => {
    if (typeof node !== "object" || node === null || depth > 4 || lists.length >= MOST_LISTS) return;
    if (Array.isArray(node) && node.some(isRecord)) lists.push({ path, items: node });
    for (const [name, inner] of Object.entries(node).slice(0, MOST_ENTRIES))
      visit(inner, path === "" ? name : `${path}.${name}`, depth + 1);
  };
  visit(value, "", 0);
  return lists;
}
