import { valueAt } from "../../exchanges/difference-words.ts";
import type { Difference } from "../../exchanges/differences.ts";
import { queryOf } from "../../exchanges/sent.ts";
import type { Exchange } from "../../run/run-facts.ts";
import { isRecord } from "../../values/json-leaves.ts";
import { hasSeveralWords, quoted } from "../../words.ts";

const MOST_ITEMS = 100;
const MOST_FIELDS = 40;

/**
 * The number that a question asks with, below or above which all is in a list that no pass has in it, and nothing that passes have, as a
 * clause: the answer left that part of the question aside. Empty where there is none.
 *
 * @param mine the answer, and `theirs` those of passes to the same question
 */
export function askedBound(
  one: Exchange,
  { path }: Difference,
  mine: unknown,
  theirs: readonly unknown[],
): string {
  const [here, there] = [[mine], theirs].map((values) => values.flatMap((value) => itemsAt(value, path)));
  const known = new Set(there!.map(nameOf));
  const fresh = here!.filter((item) => !known.has(nameOf(item)));
  const [first] = fresh;
  if (!first || there!.length === 0) return "";
  const asked = queryOf(one).filter(([, text]) => /^\d{1,6}$/.test(text));
  for (const field of Object.keys(first).slice(0, MOST_FIELDS))
    for (const [name, text] of asked) {
      const bound = Number(text);
      const isAll = (items: readonly Item[], is: (value: number) => boolean) =>
        items.every((item) => typeof item[field] === "number" && is(item[field]));
      const isBelow = isAll(fresh, (value) => value < bound) && isAll(there!, (value) => value >= bound);
      const isAbove = isAll(fresh, (value) => value > bound) && isAll(there!, (value) => value <= bound);
      if (!isBelow && !isAbove) continue;
      return `; it was asked with ${name}=${text} and ignored that: what is new in it has ${isBelow ? "less" : "more"} for ${quoted(field, 40)} (${quoted(nameOf(first), 60)}: ${first[field]})`;
    }
  return "";
}

type Item = Record<string, unknown>;

function itemsAt(value: unknown, path: string): Item[] {
  const list = valueAt(value, path);
  return Array.isArray(list) ? list.slice(0, MOST_ITEMS).filter(isRecord) : [];
}

/** What a thing goes by: several words, else one, else the whole of it. */
function nameOf(item: Item): string {
  const texts = Object.values(item).filter((value): value is string => typeof value === "string");
  return texts.find(hasSeveralWords) ?? texts[0] ?? JSON.stringify(item);
}
