import { leavesOf } from "./json-leaves.ts";

/** By what a list is ordered, where it runs the other way round than it did. */
export interface Turned {
  /** The place in an item: `handedInAt`, `author.age` */
  field: string;
  isTime: boolean;
  /** Whether the latest or highest comes first now. */
  isDescending: boolean;
  /** Where the same numbers are in no order any more: the first, and a larger or smaller one that comes only after it. */
  mixed?: [first: number, later: number];
}

const MOST_ITEMS = 50;
const MOST_FIELDS = 40;
/** Fewer things stand in either order by chance. */
const FEWEST = 2;

/**
 * The field by which a list rises in every pass and falls here, or the other way round; null where there is none. A time says more than a number.
 *
 * @param mine the list as it came, and `theirs` those of the passes
 */
export function turnedBy(mine: unknown, theirs: readonly unknown[]): Turned | null {
  // A list of one thing has no order.
  const lists = theirs.filter((list) => Array.isArray(list) && list.length >= FEWEST);
  if (lists.length === 0) return null;
  const here = columnsOf(mine);
  const there = lists.map(columnsOf);
  const found = [...here].flatMap(([field, values]): Turned[] => {
    const way = wayOf(values);
    const ways = there.map((columns) => wayOf(columns.get(field) ?? []));
    if (way !== 0)
      return ways.every((other) => other === -way)
        ? [{ field, isTime: typeof values[0] === "string", isDescending: way < 0 }]
        : [];
    const mixed = ways.every((other) => other !== 0 && other === ways[0])
      ? mixedIn(values, there[0]!.get(field)!)
      : null;
    return mixed ? [{ field, isTime: false, isDescending: false, mixed }] : [];
  });
  return found.find(({ isTime }) => isTime) ?? found[0] ?? null;
}

/** A field by which a list only rises or only falls, first of all a moment, and what it goes from and to; null where there is none. */
export function steadyFieldOf(
  list: readonly unknown[],
): { field: string; isDescending: boolean; from: unknown; to: unknown } | null {
  const steady = [...columnsOf(list)].flatMap(([field, values]) => {
    const way = wayOf(values);
    return way === 0 ? [] : [{ field, isDescending: way < 0, from: values[0], to: values.at(-1) }];
  });
  return steady.find(({ from }) => typeof from === "string") ?? steady[0] ?? null;
}

/** So many numbers are the same by no chance. */
const SURE = 4;

/** The first of the same numbers in another order, and the one that stood first; null where they are others. */
function mixedIn(values: readonly unknown[], usual: readonly unknown[]): [number, number] | null {
  if (values.length < SURE || values.length !== usual.length) return null;
  const known = new Set(usual);
  const isSame = values.every((value) => typeof value === "number" && known.delete(value));
  return isSame && values[0] !== usual[0] ? [values[0] as number, usual[0] as number] : null;
}

type Columns = ReadonlyMap<string, readonly unknown[]>;

/** The numbers and times of a list by their places in its items. */
function columnsOf(list: unknown): Columns {
  const columns = new Map<string, unknown[]>();
  if (
    !Array.isArray(list) ||
    list.length < FEWEST ||
    !list.every((item) => typeof item === "object" && item !== null)
  )
    return columns;
  for (const item of list.slice(0, MOST_ITEMS))
    for (const { path, value } of leavesOf(item).slice(0, MOST_FIELDS)) {
      if (typeof value !== "number" && !(typeof value === "string" && TIME.test(value))) continue;
      const column = columns.get(path) ?? [];
      columns.set(path, column);
      column.push(value);
    }
  const length = Math.min(list.length, MOST_ITEMS);
  return new Map([...columns].filter(([, column]) => column.length === length));
}

const TIME = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d|$)/;

/** 1 where each value is above the one before it, -1 where each is below it, 0 for any other list. */
function wayOf(values: readonly unknown[]): -1 | 0 | 1 {
  const numbers = values.map((value) => (typeof value === "number" ? value : Date.parse(String(value))));
  const isSteady = (way: 1 | -1) =>
    numbers.length >= FEWEST && numbers.every((one, at) => at === 0 || way * (one - numbers[at - 1]!) > 0);
  return isSteady(1) ? 1 : isSteady(-1) ? -1 : 0;
}
