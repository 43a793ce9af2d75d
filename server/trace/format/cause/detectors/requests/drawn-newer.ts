import { oneLine } from "../../../error-text.ts";
import { textsOf } from "../../page/page-texts.ts";
import type { Exchange } from "../../run/run-facts.ts";
import type { RunEvidence, SeenPage } from "../../types.ts";
import { jsonOf, leavesOf } from "../../values/json-leaves.ts";
import { bodyOf } from "../../words.ts";

/** Of one field of an answer. */
const MOST_VALUES = 200;
const FEWEST = 2;

/** Whether a page shows what the newer of two answers says, in its order, and nothing that only the older one has. */
export function isOfNewer(page: SeenPage, older: Exchange, newer: Exchange, run: RunEvidence): boolean {
  const places = placesOn(page);
  const [before, now] = [valuesIn(older, run), valuesIn(newer, run)];
  const known = new Set([...now.values()].flat());
  const isShown = (value: string) => places.has(value);
  if ([...before.values()].flat().some((value) => !known.has(value) && isShown(value))) return false;
  return [...now].some(([field, mine]) => {
    const theirs = before.get(field) ?? [];
    if (!mine.some(isShown)) return false;
    const lacked = theirs.filter((value) => !known.has(value));
    const isMine = (value: string) => !theirs.includes(value) && isShown(value);
    return mine.some(isMine) || (lacked.length > 0 && mine.every(isShown)) || isInOrder(mine, theirs, places);
  });
}

/** Whether what both have stands on the page as the newer one lists it, which the older one lists otherwise. */
function isInOrder(
  mine: readonly string[],
  theirs: readonly string[],
  places: ReadonlyMap<string, number>,
): boolean {
  const shared = mine.filter((value) => theirs.includes(value) && places.has(value));
  const rises = (at: number[]) => at.every((place, nth) => nth === 0 || place > at[nth - 1]!);
  return (
    shared.length >= FEWEST &&
    rises(shared.map((value) => places.get(value)!)) &&
    !rises(shared.map((value) => theirs.indexOf(value)))
  );
}

/** Where each text stands first on a page; what can be chosen stands there anyhow. */
function placesOn({ elements }: SeenPage): Map<string, number> {
  const places = new Map<string, number>();
  for (const [at, { own, tag, isHidden }] of elements.entries()) {
    const text = oneLine(own);
    if (!isHidden && tag !== "option" && !places.has(text)) places.set(text, at);
  }
  return places;
}

/** The texts of an answer in words, by the last names of their fields. */
function valuesIn(one: Exchange, { bodies }: RunEvidence): Map<string, string[]> {
  const body = bodyOf(one, bodies) ?? "";
  const said = /html/.test(one.mediaType)
    ? textsOf(body).map((value) => ({ path: "", value }))
    : leavesOf(jsonOf(body));
  const fields = new Map<string, Set<string>>();
  for (const { path, value } of said) {
    if (typeof value !== "string" || value.length <= FEWEST || !/\p{L}/u.test(value)) continue;
    const field = path.slice(path.lastIndexOf(".") + 1);
    const values = fields.get(field) ?? new Set<string>();
    if (values.size < MOST_VALUES) values.add(value);
    fields.set(field, values);
  }
  return new Map([...fields].map(([field, values]) => [field, [...values]]));
}
