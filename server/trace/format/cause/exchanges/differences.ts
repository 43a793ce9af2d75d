import { oncePer } from "../once.ts";
import { isRecord, leavesOf } from "../values/json-leaves.ts";
import type { Turned } from "../values/list-order.ts";

/** One place in which two answers differ. */
export interface Difference {
  renamedTo?: string;
  /** `/items/0/price`; `/` for the whole. */
  path: string;
  before: unknown;
  now: unknown;
  /** Texts of the items that a list has no longer, or has in another order. */
  gone?: string[];
  /** Texts of the items that only the newer list has. */
  come?: string[];
  /** What the item of a list goes by that the place lies in. */
  of?: string[];
  /** Of a list in another order: by what it runs the other way round. */
  turned?: Turned;
}

/** What answers to one request do from pass to pass: nobody takes it for news. */
export interface Varying {
  /** Shapes of the places that hold another value each time. */
  values: ReadonlySet<string>;
  /** Shapes of the lists that come in another order each time. */
  orders: ReadonlySet<string>;
}

const NOTHING: Varying = { values: new Set(), orders: new Set() };

export const ORDER = "another order";

const MOST = 40;
const MAX_DEPTH = 20;
const MOST_ITEMS = 50;

/**
 * Where two values of answers differ, at most `MOST` places.
 * @param isTelling whether a place counts although it varies from pass to pass
 */
export function differencesOf(
  before: unknown,
  now: unknown,
  varying: Varying = NOTHING,
  isTelling: (difference: Difference, isSteadySwitch: boolean) => boolean = () => false,
): Difference[] {
  const into: Difference[] = [];
  let of: string[] = [];
  const add = (found: Difference): void => {
    const difference = of.length > 0 ? { ...found, of } : found;
    const { path, now } = difference;
    const shape = shapeOf(path);
    const name = switchOf(difference);
    const isSteadySwitch = name !== null && !varying.values.has(name);
    if (
      now === ORDER
        ? varying.orders.has(shape)
        : varying.values.has(shape) && !isTelling(difference, isSteadySwitch)
    )
      return;
    into.push(difference);
  };
  const visit = (path: string, before: unknown, now: unknown, depth: number): void => {
    if (into.length >= MOST || depth > MAX_DEPTH || Object.is(before, now)) return;
    if (Array.isArray(before) && Array.isArray(now)) {
      const isUnordered = varying.orders.has(shapeOf(path));
      const isSameLength = before.length === now.length && before.length > 1;
      if (isSameLength && (isReordered(before, now) || isReorderedBut(varying, path, before, now))) {
        add({ path: path || "/", before: "its former order", now: ORDER, gone: textsOf(before) });
        return;
      }
      if (before.length !== now.length)
        add({
          path: path || "/",
          before: counted(before),
          now: counted(now),
          gone: goneFrom(before, now),
          come: goneFrom(now, before),
        });
      // What goes by one name is one thing, wherever it stands; else what stands in its place.
      const name = identityIn(before, now);
      if (name !== null) {
        const nameOf = (item: unknown) => fieldOf(item as Named, name);
        const known = new Map(before.map((item) => [nameOf(item), item]));
        const here = new Set(now.map(nameOf));
        // Others that came in between have moved the rest.
        const isMoved = (item: unknown, at: number) =>
          !known.has(nameOf(item)) && here.has(nameOf(before[at]));
        if (before.length === now.length && now.some(isMoved))
          add({
            path: path || "/",
            before: counted(before),
            now: counted(now),
            gone: goneFrom(before, now),
            come: goneFrom(now, before),
          });
        for (const [at, item] of now.slice(0, MOST_ITEMS).entries()) {
          const instead = before.length === now.length ? before[at] : undefined;
          const isInstead = instead !== undefined && !here.has(nameOf(instead));
          const other = known.get(nameOf(item)) ?? (isInstead ? instead : undefined);
          if (other === undefined) continue;
          const around = of;
          of = namesOf(item as Named);
          visit(`${path}/${at}`, other, item, depth + 1);
          of = around;
        }
        return;
      }
      const [mine, theirs] = isUnordered ? unlike(now, before) : [now, before];
      for (let at = 0; at < Math.min(mine.length, theirs.length, MOST_ITEMS); at++)
        visit(`${path}/${at}`, theirs[at], mine[at], depth + 1);
      return;
    }
    if (isRecord(before) && isRecord(now)) {
      const renamed = renamedIn(before, now);
      if (renamed) {
        const { from, to } = renamed;
        add({ path: `${path}/${from}`, before: before[from], now: undefined, renamedTo: to });
        return;
      }
      for (const name of new Set([...Object.keys(before), ...Object.keys(now)]))
        visit(`${path}/${name}`, before[name], now[name], depth + 1);
      return;
    }
    add({ path: path || "/", before, now });
  };
  visit("", before, now, 0);
  return into;
}

/** Answers of one pass that are compared with another's. */
const MOST_COMPARED = 8;

/**
 * What differs between passes alike: a list that comes in another order, a time, a count of visitors. Places are told by their
 * shape, so that one item that differs speaks for all.
 * @param passes the values that the answers to one request had, by pass, in order
 */
export function varyingIn(passes: readonly (readonly unknown[])[]): Varying {
  const values = new Set<string>();
  const orders = new Set<string>();
  for (const [at, mine] of passes.entries()) {
    const theirs = passes[at + 1] ?? [];
    if (theirs.length === 0) continue;
    for (const value of mine.slice(-MOST_COMPARED)) {
      const nearest = theirs
        .slice(-MOST_COMPARED)
        .map((other) => differencesOf(other, value))
        .reduce((best, one) => (one.length < best.length ? one : best));
      for (const difference of nearest) {
        const name = switchOf(difference);
        (difference.now === ORDER ? orders : values).add(shapeOf(difference.path));
        if (name !== null) values.add(name);
      }
    }
  }
  return { values, orders };
}

/** A place without the indices of lists. */
export const shapeOf = (path: string) => path.replace(/\/\d+(?=\/|$)/g, "/*");

/** What a switch goes by in a list of them, of which some may change at any time and others never do; null for what is none. */
const switchOf = ({ path, before, now, of }: Difference): string | null =>
  of !== undefined && [before, now].some((value) => typeof value === "boolean")
    ? `${shapeOf(path)} of ${of.join()}`
    : null;

type Named = Record<string, unknown>;

/** What things of a list go by. Ids are read as such, and tell nothing apart. */
const IDENTITIES = "id key slug code sku email username title name subject path href url label".split(" ");

/** The value of a field, or of one of a part: `user.name`. */
function fieldOf(item: Named, name: string): unknown {
  const [part, of] = name.split(".") as [string, string?];
  const value = item[part];
  return of === undefined ? value : isRecord(value) ? value[of] : undefined;
}

/** What an item may go by: a field of its own, else one of a part of it, as a row of a person's hours does. */
const identitiesOf = (item: Named | undefined): string[] => [
  ...IDENTITIES,
  ...Object.entries(item ?? {}).flatMap(([part, value]) =>
    isRecord(value) ? IDENTITIES.map((name) => `${part}.${name}`) : [],
  ),
];

const namesOf = (item: Named): string[] =>
  identitiesOf(item).flatMap((name) => {
    const value = fieldOf(item, name);
    return typeof value === "string" && value.length > 2 && !/^<\w+>$/.test(value) ? [value] : [];
  });

/** The field by which the items of two lists are told apart, and some known again; null where there is none. */
function identityIn(before: unknown[], now: unknown[]): string | null {
  const [theirs, mine] = [before, now].map((list) => list.filter(isRecord)) as [Named[], Named[]];
  if (theirs.length < before.length || mine.length < now.length) return null;
  const isUnique = (values: unknown[]) =>
    values.every(
      (value) => (typeof value === "string" && !/^<\w+>$/.test(value)) || typeof value === "number",
    ) && new Set(values).size === values.length;
  return (
    identitiesOf(theirs[0]).find((name) => {
      const [known, fresh] = [theirs, mine].map((list) => list.map((item) => fieldOf(item, name))) as [
        unknown[],
        unknown[],
      ];
      return isUnique(known) && isUnique(fresh) && fresh.some((value) => known.includes(value));
    }) ?? null
  );
}

/** The same things in another order. */
function isReordered(before: unknown[], now: unknown[]): boolean {
  const [one, other] = [before.map((item) => JSON.stringify(item)), now.map((item) => JSON.stringify(item))];
  return one.some((item, at) => item !== other[at]) && one.toSorted().join() === other.toSorted().join();
}

/** The same with what varies left out, where no name tells the things of the list from each other. One place that differs may be another value. */
function isReorderedBut({ values }: Varying, path: string, before: unknown[], now: unknown[]): boolean {
  if (values.size === 0 || before.length > MOST_ITEMS) return false;
  const steady = steadyIn(values, shapeOf(`${path}/0`));
  const [theirs, mine] = [before, now].map((list) => list.map(steady)) as [string[], string[]];
  if (!mine.some((text, at) => text !== theirs[at]) || mine.toSorted().join() !== theirs.toSorted().join())
    return false;
  const apart = new Set(mine.flatMap((text, at) => placesApart(text, theirs[at]!)));
  return apart.size > 1 && identityIn(before, now) === null;
}

/** Writes what of an item of a list does not vary. An answer is compared with many, and its items are written once. */
const steadyIn = oncePer((values: Varying["values"], shape: string) => {
  const written = oncePer((item: object, _: "steady") =>
    JSON.stringify(
      leavesOf(item).flatMap(({ path, value }) =>
        values.has(shapeOf(`${shape}/${path.replaceAll(".", "/")}`)) ? [] : [[path, value]],
      ),
    ),
  );
  return (item: unknown): string =>
    typeof item === "object" && item !== null ? written(item, "steady") : JSON.stringify(item);
});

/** The places at which two items differ, each as it was written. */
function placesApart(mine: string, theirs: string): string[] {
  if (mine === theirs) return [];
  const [here, there] = [mine, theirs].map((text) => JSON.parse(text) as [string, unknown][]) as [
    [string, unknown][],
    [string, unknown][],
  ];
  return here.flatMap(([path, value], nth) => (there[nth]?.[1] === value ? [] : [path]));
}

/** Both lists without the items that the other has as well. */
function unlike(some: unknown[], others: unknown[]): [unknown[], unknown[]] {
  const [mine, theirs] = [some, others].map((list) => list.map((item) => JSON.stringify(item))) as [
    string[],
    string[],
  ];
  const [known, own] = [new Set(theirs), new Set(mine)];
  return [some.filter((_, at) => !known.has(mine[at]!)), others.filter((_, at) => !own.has(theirs[at]!))];
}

/** Whether a place is one that varies, or lies in a list whose order does. */
export function isWithin({ values, orders }: Varying, path: string): boolean {
  const shape = shapeOf(path);
  return values.has(shape) || [...orders].some((list) => shape.startsWith(`${list}/`));
}

const MOST_GONE = 60;

const textsOf = (list: unknown[]) => goneFrom(list, []);

/** The texts of items that only the former list has. */
function goneFrom(before: unknown[], now: unknown[]): string[] {
  const known = new Set(leavesOf(now).map(({ value }) => value));
  return leavesOf(before)
    .flatMap(({ value }) =>
      typeof value === "string" && value.length > 2 && !known.has(value) ? [value] : [],
    )
    .slice(0, MOST_GONE);
}

/** A field that went by another name with the same value. */
function renamedIn(
  before: Record<string, unknown>,
  now: Record<string, unknown>,
): { from: string; to: string } | null {
  const gone = Object.keys(before).filter((name) => !Object.hasOwn(now, name));
  const fresh = Object.keys(now).filter((name) => !Object.hasOwn(before, name));
  if (gone.length !== 1 || fresh.length !== 1) return null;
  const [from, to] = [gone[0]!, fresh[0]!];
  return typeof before[from] === typeof now[to] || isReplaced(before[from], now[to]) ? { from, to } : null;
}

/** Of what is an id by its name in one of two answers, the value is not known there. */
const isReplaced = (before: unknown, now: unknown): boolean =>
  (before === "<id>" && typeof now === "number") || (now === "<id>" && typeof before === "number");

const counted = (list: unknown[]) =>
  list.length === 0 ? "no items" : list.length === 1 ? "1 item" : `${list.length} items`;
