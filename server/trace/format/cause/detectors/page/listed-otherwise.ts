import { oneLine } from "../../../error-text.ts";
import { counted } from "../../../words.ts";
import { knownActs, sameAct } from "../../page/acts.ts";
import type { SeenElement } from "../../page/page-view.ts";
import { targetOf } from "../../page/target.ts";
import { foundWithin, testIdOf } from "../../page/wanted.ts";
import { insideOf } from "../../page/within.ts";
import type { Evidence, SeenPage } from "../../types.ts";
import { figureOf } from "../../values/figures.ts";
import { howOften, pathOf, quoted } from "../../words.ts";
import { saidToScripts } from "./drawn-by.ts";

/** Things of a page that are looked at. */
const MOST = 300;
const MOST_NAMED = 3;
/** Fewer numbers stand in an order by chance. */
const FEWEST_FIGURES = 4;
const ITEMS = new Set(["listitem", "row", "article"]);

/** A list of the page that is another one than in each pass. */
export interface ListedOtherwise {
  /** What the page lists, as a clause: `it lists …`. */
  words: string;
  /** Whether the same stood there before the last action, and not in the passes. */
  isAsBefore: boolean;
  /** The things that it lists, and those that the passes list and it does not. */
  now: readonly string[];
  gone: readonly string[];
  /** Whether the step looks for the things themselves, of which the page has none. */
  isSoughtInVain: boolean;
}

/** The list that is another one on the page than in every pass, where that is the one the step looks at or there is but one; null where there is none. */
export function listedOtherwise(evidence: Evidence): ListedOtherwise | null {
  const { run, passes } = evidence;
  const [mine, theirs, ...others] = [run, ...passes].map(({ page }) => page && listsOf(page.elements));
  if (!mine || !theirs || others.some((lists) => !lists)) return null;
  const nameOf = (item: Item) => run.facts.normaliser.text(item.name);
  const isSame = (some: readonly Item[], more: readonly Item[]) =>
    some.length === more.length && some.every((item, at) => nameOf(item) === nameOf(more[at]!));
  const sought = soughtIn(evidence);
  const changed = [...new Set([...theirs.keys(), ...mine.keys()])].flatMap((form) => {
    const [now, before] = [mine.get(form) ?? [], theirs.get(form) ?? []];
    // What each pass lists otherwise is no list of the test's.
    if (isSame(now, before) || others.some((lists) => !isSame(lists!.get(form) ?? [], before))) return [];
    const isSought = [...now, ...before].some(({ element }) => sought.has(element));
    // The same things under other marks, or told by what scripts read.
    const names = new Set(before.map(nameOf));
    const isElsewhere = [...mine].some(
      ([other, items]) =>
        other !== form && items.length === before.length && items.every((item) => names.has(nameOf(item))),
    );
    const isData = [...now, ...before].some(({ name }) => saidToScripts(evidence, name));
    if (isElsewhere || isData) return [];
    // What comes late may not have come in a pass that went on.
    return before.length > 0 || isSought ? [{ form, now, before, isSought }] : [];
  });
  const found = changed.find(({ isSought }) => isSought) ?? (changed.length === 1 ? changed[0] : undefined);
  if (!found) return null;
  const { form, now, before, isSought } = found;
  const here = new Set(now.map(nameOf));
  return {
    words: told(now, before, nameOf),
    isAsBefore: stoodThere(evidence, { form, now, before }, isSame),
    now: now.map(({ name }) => name),
    gone: before.filter((item) => !here.has(nameOf(item))).map(({ name }) => name),
    isSoughtInVain: isSought && now.length === 0,
  };
}

/** The elements that the step's locator names on the page and in the passes, with what they stand in. */
function soughtIn(evidence: Evidence): Set<SeenElement> {
  const target = targetOf(evidence);
  const pages = [evidence.run, ...evidence.passes].flatMap(({ page }) => page ?? []);
  return new Set(pages.flatMap(({ elements }) => foundWithin(target, elements).slice(0, MOST)));
}

type List = { form: string; now: readonly Item[]; before: readonly Item[] };

/** Whether the list is the one that the last action met, and each pass had another one by then, having met the same. */
function stoodThere(
  evidence: Evidence,
  { form, now, before }: List,
  isSame: (some: readonly Item[], more: readonly Item[]) => boolean,
): boolean {
  const { run, passes } = evidence;
  const act = knownActs(evidence).at(-1);
  if (!act || now.length === 0 || !isOfPlace(act.met, run.page!)) return false;
  const listOf = ({ elements }: SeenPage) => listsOf(elements).get(form) ?? [];
  return (
    isSame(listOf(act.met), now) &&
    !isSame(now, before) &&
    passes.every((pass) => {
      const same = sameAct(run, act, pass);
      return same !== null && isSame(listOf(same.met), now);
    })
  );
}

const isOfPlace = ({ shot }: SeenPage, other: SeenPage): boolean =>
  pathOf(shot.url) === pathOf(other.shot.url);

interface Item {
  element: SeenElement;
  name: string;
  /** The figures of its texts, in their order. */
  figures: number[];
}

/** The things that a page lists, by the form of their elements. */
function listsOf(elements: readonly SeenElement[]): Map<string, Item[]> {
  const items = elements.filter((one) => ITEMS.has(one.role) && !one.isHidden).slice(0, MOST);
  const found = items.flatMap((element): Item[] => {
    const inside = insideOf(elements, element).slice(0, MOST);
    const isHead = element.role === "row" && !inside.some(({ role }) => role === "cell");
    return isHead || inside.some(({ role }) => ITEMS.has(role)) ? [] : [itemOf(element, inside)];
  });
  return Map.groupBy(
    found,
    ({ element: { tag, depth, attributes } }) =>
      `${tag} ${depth} ${attributes.class ?? ""} ${testIdOf(attributes) ?? ""}`,
  );
}

function itemOf(element: SeenElement, inside: readonly SeenElement[]): Item {
  const called =
    inside.find(({ role }) => role === "heading") ??
    inside.find(({ role }) => role === "cell" || role === "link");
  return {
    element,
    name: oneLine(called?.name || called?.text || element.text),
    figures: inside.flatMap(({ own }) => {
      const figure = figureOf(own);
      return figure ? [Number(figure.text)] : [];
    }),
  };
}

function told(now: readonly Item[], before: readonly Item[], nameOf: (item: Item) => string): string {
  const [mine, theirs] = [now, before].map((list) => new Set(list.map(nameOf))) as [Set<string>, Set<string>];
  const come = now.filter((item) => !theirs.has(nameOf(item)));
  const gone = before.filter((item) => !mine.has(nameOf(item)));
  const usual = `where the last pass lists ${before.length === 0 ? "nothing" : before.length}`;
  if (now.length === 0) return `it lists nothing ${usual}: ${namesOf(before)}`;
  const order = byFigures(now, before);
  if (come.length === 0 && gone.length === 0)
    return now.length === before.length
      ? `it lists the same ${now.length} things in another order, ${quoted(now[0]!.name, 60)} first where the last pass has ${quoted(before[0]!.name, 60)}${order}`
      : `it lists ${counted(now.length, "thing")} ${usual}: ${timesOf(now, before, nameOf)}`;
  if (come.length === 0)
    return `it lists only ${now.length} ${usual}: ${namesOf(gone)} ${gone.length === 1 ? "is" : "are"} not there`;
  if (gone.length === 0) return `it lists ${counted(now.length, "thing")} ${usual}: also ${namesOf(come)}`;
  return `it lists ${namesOf(now)} where the last pass lists ${namesOf(before)}${order || (come.length === now.length && gone.length === before.length ? ", all of them others" : "")}`;
}

/** How often the first thing is there that a list has more or less often than the other one. */
function timesOf(now: readonly Item[], before: readonly Item[], nameOf: (item: Item) => string): string {
  const timesIn = (items: readonly Item[], name: string) =>
    items.filter((item) => nameOf(item) === name).length;
  const isOther = (item: Item) => timesIn(now, nameOf(item)) !== timesIn(before, nameOf(item));
  const one = now.find(isOther)!;
  const [times, usual] = [now, before].map((items) => timesIn(items, nameOf(one))) as [number, number];
  const isSole = new Set(now.filter(isOther).map(nameOf)).size === 1;
  return `${quoted(one.name, 50)}${isSole ? "" : " and others"} ${howOften(times)}${usual === 1 ? "" : ` instead of ${howOften(usual)}`}`;
}

function namesOf(items: readonly Item[]): string {
  const more = items.length - MOST_NAMED;
  return `${items
    .slice(0, MOST_NAMED)
    .map(({ name }) => quoted(name, 50))
    .join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

/** What the figures of both lists tell of how they are ordered, as a clause; empty where they tell nothing. */
function byFigures(now: readonly Item[], before: readonly Item[]): string {
  if (Math.min(now.length, before.length) < FEWEST_FIGURES) return "";
  const columns = Math.min(...[...now, ...before].map(({ figures }) => figures.length));
  for (let column = 0; column < columns; column++) {
    const [mine, theirs] = [now, before].map((list) => list.map(({ figures }) => figures[column]!)) as [
      number[],
      number[],
    ];
    const way = wayOf(theirs);
    if (way === 0) continue;
    if (wayOf(mine) === 0 && wayOf(mine.map(String)) === way)
      return `: ${stepBack(mine, way)}, as texts are sorted and not numbers`;
    if (wayOf(mine) === -way) return ": the other way round";
    if (wayOf(mine) === way && way * (mine[0]! - theirs.at(-1)!) > 0)
      return `: those that follow in that order (${mine[0]} and on, after ${theirs.at(-1)}), so that the first ones are skipped`;
  }
  return "";
}

/** 1 where values only rise, -1 where they only fall, 0 for any others. */
function wayOf<Value extends number | string>(values: readonly Value[]): -1 | 0 | 1 {
  if (new Set(values).size < FEWEST_FIGURES) return 0;
  if (values.every((one, at) => at === 0 || values[at - 1]! <= one)) return 1;
  return values.every((one, at) => at === 0 || values[at - 1]! >= one) ? -1 : 0;
}

/** The first two neighbours that stand the wrong way round as numbers. */
function stepBack(values: readonly number[], way: number): string {
  const at = values.findIndex((one, place) => place > 0 && way * (one - values[place - 1]!) < 0);
  return `${values[at - 1]} comes before ${values[at]}`;
}
