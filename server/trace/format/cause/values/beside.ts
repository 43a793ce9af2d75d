import { oneLine } from "../../error-text.ts";
import type { Leaf } from "./json-leaves.ts";

const SHORTEST = 3;
/** What a thing is of, and not what it is called. */
const OF_KIND = /(?:^|\.)(?:__typename|type|kind)$/;

/** The values that stand beside one in its own thing. */
export function besideOf(leaves: readonly Leaf[], { path }: Leaf): Leaf[] {
  const around = path.slice(0, path.lastIndexOf(".") + 1);
  return leaves.filter(
    (one) => one.path !== path && one.path.startsWith(around) && !one.path.slice(around.length).includes("."),
  );
}

/** What the thing of a value is called in a text: the longest of the words beside that value which stand in there; null where none does. */
export function calledIn(text: string, leaves: readonly Leaf[], leaf: Leaf): string | null {
  const said = text.toLowerCase();
  const names = besideOf(leaves, leaf).flatMap(({ path, value }) => {
    const name = typeof value === "string" && !OF_KIND.test(path) ? oneLine(value) : "";
    return name.length >= SHORTEST && /\p{L}/u.test(name) && said.includes(name.toLowerCase()) ? [name] : [];
  });
  return names.toSorted((a, b) => b.length - a.length)[0] ?? null;
}
