import type { Normaliser } from "../../diff/normalise.ts";
import type { Evidence } from "../types.ts";
import { byFactor } from "../values/figures.ts";
import type { Leaf } from "../values/json-leaves.ts";
import { isRecord } from "../values/json-leaves.ts";
import { type Turned, turnedBy } from "../values/list-order.ts";
import { hasSeveralWords, partingOf, quoted } from "../words.ts";
import { isNamedByTest, withFresh, withoutWanted } from "./difference-rank.ts";
import { type Difference, ORDER, shapeOf } from "./differences.ts";
import { isRetyped, withKind } from "./retyped.ts";

/** A difference in words, as what follows “answered”. */
export function tell(difference: Difference, evidence: Evidence): string {
  const { before, now, renamedTo, gone, come, turned } = difference;
  const path = namedPath(difference);
  if (renamedTo !== undefined)
    return `with a field ${quoted(renamedTo, 60)} now, where the last pass had ${quoted(path.slice(1).replaceAll("/", "."), 80)}${before === "<id>" || before === "<time>" ? "" : ` (${short(before)})`}`;
  if (now === ORDER)
    return `in another order than in the last pass${path === "/" ? "" : `: ${quoted(path.slice(1).replaceAll("/", "."), 80)}`}${turned ? turnedWords(turned) : ""}`;
  const name = path === "/" ? "" : ` for ${quoted(path.slice(1).replaceAll("/", "."), 80)}`;
  if (typeof now === "string" && /items?$/.test(now) && typeof before === "string" && /items?$/.test(before))
    return `with ${now === before ? `other items${name} than in the last pass` : `${now === "no items" ? "an empty list" : now}${name} instead of ${before}`}${withoutWanted(gone ?? [], evidence)}${withFresh(come ?? [], evidence)}`;
  const [mine, theirs] = partingOf(now, before);
  if (isRetyped(now, before)) return `${withKind(now)}${name}, where the last pass had ${withKind(before)}`;
  return `${short(mine)}${name}${ofWanted(difference, path, evidence)}${withoutQuery(now, before)}, where the last pass had ${short(theirs)}${byFactor(now, before)}`;
}

/** What the thing of a list is called that the test speaks of, as a clause; empty where its place says so, or it is another one. */
function ofWanted({ path, of = [] }: Difference, told: string, evidence: Evidence): string {
  const name = told === path ? of.find((text) => isNamedByTest([text], evidence)) : undefined;
  return name === undefined ? "" : ` of ${quoted(name, 60)}`;
}

/** That an address has lost its query, as a clause; empty where it has not. */
function withoutQuery(now: unknown, before: unknown): string {
  if (typeof now !== "string" || typeof before !== "string" || !/^(?:https?:\/\/|\/)/.test(now)) return "";
  return now !== "" && !now.includes("?") && before.startsWith(`${now}?`) ? ", without its query" : "";
}

/** The smaller number of the same answer by which a sum is another one, or what its list has lost or got, as a clause; empty where there is none. */
export function partOf(differences: readonly Difference[], sum: Difference, value: unknown): string {
  const by = apartBy(sum);
  if (by === null) return "";
  const part = differences.find(
    (one) => one.path !== sum.path && apartBy(one) === by && Number(one.now) < Number(sum.now),
  );
  return part
    ? `; it has ${short(part.now)} for ${placeOf(part, value)} in it, where the last pass had ${short(part.before)}`
    : listOf(differences, sum);
}

/**
 * The one value of another thing in the same answer that is another one by as much the other way, as a clause; empty where there is
 * none, and where two have changed places.
 */
export function goneTo(differences: readonly Difference[], told: Difference): string {
  const by = apartBy(told);
  if (by === null) return "";
  const [other, ...others] = differences.filter(
    (one) => one.path !== told.path && shapeOf(one.path) === shapeOf(told.path) && apartBy(one) === -by,
  );
  if (!other || others.length > 0 || (other.now === told.before && other.before === told.now)) return "";
  const place = quoted(namedPath(other).slice(1).replaceAll("/", "."), 80);
  const had = `which has ${short(other.now)} where the last pass had ${short(other.before)}`;
  return by < 0
    ? `; what it lacks is in ${place}, ${had}`
    : `; what it has too much is lacking in ${place}, ${had}`;
}

/**
 * The value of the same answer that is another one than its request was sent with, as a clause; empty where there is none.
 * @param sent what the request was sent with
 */
export function notAsSent(
  differences: readonly Difference[],
  told: Difference,
  value: unknown,
  sent: readonly Leaf[],
): string {
  const isSent = ({ path, before }: Difference) =>
    sent.some((leaf) => leaf.value === before && lastOf(leaf.path) === lastOf(path));
  const apart = differences.find(
    (one) => lastOf(one.path) !== lastOf(told.path) && isPlain(one.before) && isPlain(one.now) && isSent(one),
  );
  return apart
    ? `; it has ${short(apart.now)} for ${placeOf(apart, value)} in it, though it was sent with ${short(apart.before)}`
    : "";
}

const lastOf = (path: string): string =>
  path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf(".")) + 1);

const isPlain = (value: unknown): boolean => typeof value === "number" || typeof value === "string";

/** A place of an answer by its name and what it is of. */
function placeOf(part: Difference, value: unknown): string {
  const [, around = "", name = ""] = /^(.*)\/([^/]*)$/.exec(part.path) ?? [];
  const item = valueAt(value, around);
  const label = isRecord(item) && LABELS.map((key) => item[key]).find((text) => typeof text === "string");
  return label
    ? `${quoted(name, 60)} of ${quoted(label as string, 60)}`
    : quoted(part.path.slice(1).replaceAll("/", "."), 80);
}

/** The list of the same answer that has lost or got something where a sum of it is another one, as a clause; empty where there is none. */
function listOf(differences: readonly Difference[], sum: Difference): string {
  if (apartBy(sum) === null) return "";
  const list = differences.find(
    ({ path, now, before, gone = [], come = [] }) =>
      /items?$/.test(String(now)) &&
      parentOf(path) === parentOf(sum.path) &&
      (now !== before || [gone, come].some((texts) => texts.length > 0 && texts.length <= FEW_TEXTS)),
  );
  if (!list) return "";
  const named = (texts: readonly string[] = [], word: string) => {
    const name = texts.length > FEW_TEXTS ? undefined : (texts.find(hasSeveralWords) ?? texts[0]);
    return name === undefined ? "" : `, ${word} ${quoted(name, 60)}`;
  };
  const has = list.now === list.before ? "other items" : `${list.now} instead of ${list.before}`;
  return `; its ${quoted(list.path.slice(1).replaceAll("/", "."), 60)} has ${has}${named(list.gone, "without")}${named(list.come, "with")}`;
}

/** The texts of one item, or of two. */
const FEW_TEXTS = 6;

const parentOf = (path: string): string => path.slice(0, path.lastIndexOf("/"));

/** By how much two numbers differ; null for anything else. */
const apartBy = ({ now, before }: Difference): number | null =>
  typeof now === "number" && typeof before === "number" && now !== before
    ? Math.round((now - before) * 1e6) / 1e6
    : null;

const LABELS = ["label", "name", "title", "kind", "type", "code"];

function turnedWords({ field, isTime, isDescending, mixed }: Turned): string {
  if (mixed) return `, no longer by ${quoted(field, 60)}: ${mixed[0]} comes before ${mixed[1]}`;
  const [high, low] = isTime ? ["latest", "earliest"] : ["highest", "lowest"];
  const [first, last] = isDescending ? [high, low] : [low, high];
  return `, with the ${first} ${quoted(field, 60)} first and the ${last} last`;
}

/**
 * A difference with what the answers themselves say of it: addresses are compared without where their site listens, and lists without what varies.
 * @param mine the answer, and `theirs` those of the passes, as they came
 */
export function asWritten(
  difference: Difference,
  mine: unknown,
  theirs: readonly unknown[],
  { json }: Pick<Normaliser, "json">,
): Difference {
  const { path, before, now } = difference;
  const written = valueAt(mine, path);
  if (now === ORDER) {
    const turned = turnedAt(path, mine, theirs);
    return turned === null ? difference : { ...difference, turned };
  }
  const named = difference.of ? difference : { ...difference, ...titlesAt(path, mine, theirs) };
  const isAddress = (value: unknown) => typeof value === "string" && ADDRESS.test(value);
  if (!isAddress(written) || json(written) !== now) return named;
  const other = theirs.map((value) => valueAt(value, path)).find((value) => json(value) === before);
  return isAddress(other) ? { ...named, before: other, now: written } : named;
}

/** What the item of a list goes by in which a place lies, where passes have the same there: times of day, which are compared as such and not by their words. */
function titlesAt(path: string, mine: unknown, theirs: readonly unknown[]): Pick<Difference, "of"> {
  const around = parentOf(path);
  const textsOf = (value: unknown) => {
    const item = /\/\d+$/.test(around) ? valueAt(value, around) : null;
    return isRecord(item)
      ? Object.values(item).filter((text) => typeof text === "string" && text.length > 2)
      : [];
  };
  const known = new Set(theirs.slice(-MOST_LISTS).flatMap(textsOf));
  const of = textsOf(mine).filter((text) => known.has(text)) as string[];
  return of.length === 0 ? {} : { of };
}

/** The difference that explains one within a list of some length: the list runs the other way round than in every pass. */
export function turnedAround(
  difference: Difference,
  mine: unknown,
  theirs: readonly unknown[],
): Difference | null {
  const path = /^(.*?)\/\d+(?=\/|$)/.exec(difference.path)?.[1];
  const list = path === undefined ? null : valueAt(mine, path);
  const turned =
    path !== undefined && Array.isArray(list) && list.length >= SURE ? turnedAt(path, mine, theirs) : null;
  return turned === null ? null : { path: path || "/", before: "its former order", now: ORDER, turned };
}

/** So many things stand in one order, and in the opposite, by no chance. */
const SURE = 4;
/** Answers of passes that are looked at for it. */
const MOST_LISTS = 10;

const turnedAt = (path: string, mine: unknown, theirs: readonly unknown[]): Turned | null =>
  turnedBy(
    valueAt(mine, path),
    theirs.slice(-MOST_LISTS).map((value) => valueAt(value, path)),
  );

const ADDRESS = /^(?:https?|wss?):\/\//i;

/** What stands at a place of a value, `/rooms/0`; undefined where nothing does. */
export const valueAt = (value: unknown, path: string): unknown =>
  path
    .split("/")
    .slice(1)
    .filter((name) => name !== "")
    .reduce<unknown>((at, name) => (at as Record<string, unknown> | null | undefined)?.[name], value);

const PLAIN_NAME = /^[\w-]{3,40}$/;

/** A place in the one list of an answer by what the thing there is called: `/flags/dark-mode/on` in place of `/flags/3/on`. */
function namedPath({ path, of }: Difference): string {
  const name = of?.find((one) => PLAIN_NAME.test(one));
  const isOne = path.match(/\/\d+(?=\/)/g)?.length === 1;
  return name !== undefined && isOne ? path.replace(/\/\d+(?=\/)/, () => `/${name}`) : path;
}

const MAX_SHORT = 60;

/** A value as it is told, cut. */
export function short(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === "<id>" || value === "<time>") return value === "<id>" ? "a value" : "a time";
  if (typeof value === "string") return value === "" ? "an empty text" : quoted(value, MAX_SHORT);
  return quoted(JSON.stringify(value), MAX_SHORT);
}
