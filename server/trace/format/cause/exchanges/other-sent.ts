import { oneLine } from "../../error-text.ts";
import { oncePer } from "../once.ts";
import { exchangeKey, exchangesOf } from "../run/keys.ts";
import type { Exchange } from "../run/run-facts.ts";
import { momentIn } from "../run/select.ts";
import type { Evidence, RunEvidence } from "../types.ts";
import { turned } from "../values/dates.ts";
import { byFactor } from "../values/figures.ts";
import type { Leaf } from "../values/json-leaves.ts";
import { isRecord } from "../values/json-leaves.ts";
import { isAnotherId, isToken } from "../values/made-values.ts";
import { partingOf, quoted } from "../words.ts";
import { isGivenName } from "./given-names.ts";
import { hadBefore } from "./had-before.ts";
import { isRetyped, withKind } from "./retyped.ts";
import { CHANGING, daysFrom, isNoValue, requestBodyOf, type Said, SECRET, saidBy, VARYING } from "./sent.ts";
import { sentAgainAtOnce } from "./sent-at-once.ts";
import { byPath, everSent, partOf, partsOfPasses, sentByPasses } from "./sent-by-passes.ts";

/**
 * What a request said otherwise than in every pass, as a clause: `, which was sent with the header x-line “undefined”
 * where the last pass sent “north”,`. Empty when it said the same, or nothing is known of it.
 */
export function sentOtherwise(evidence: Evidence, one: Exchange): string {
  const other = otherSent(evidence, one);
  return other === null ? sentBesides(evidence, one) : `, which was sent ${toldOf(other, evidence, one)},`;
}

/** What a request said otherwise, with what tells it more closely: `with the field from “May” where the last pass sent “June” (it had that before)`. */
export const toldOf = (other: OtherSent, { run }: Evidence, one: Exchange): string =>
  `${other.words}${other.now === undefined ? ", which the last pass sent" : hadBefore(run, one, other) ? ` (${told(other.now)} is what it had before)` : ""}`;

/** Whether a write was sent with another field than in passes, or without one. */
export const isAskedOtherwise = (evidence: Evidence, one: Exchange): boolean =>
  CHANGING.has(one.method) &&
  (otherSent(evidence, one)?.path.startsWith("the field") ?? sentBesides(evidence, one) !== "");

/** A field of a request that no pass has ever sent with it, as a clause; empty where there is none. */
function sentBesides(evidence: Evidence, one: Exchange): string {
  const known = everSent(evidence, exchangeKey(one, evidence.run.facts));
  const fresh = saidBy(one, evidence.run, evidence.passes.length).find(
    ({ path, value }) =>
      path.startsWith("the field") &&
      !known.has(path) &&
      !SECRET.test(path) &&
      !VARYING.test(String(value)) &&
      !isToken(value),
  );
  return fresh === undefined || known.size === 0
    ? ""
    : `, which was sent with ${fresh.path} ${told(fresh.value)} that no pass sends,`;
}

/** A part of a request that every pass said otherwise. */
export interface OtherSent {
  /** `the field rows`, `the parameter page`, `the header x-line` */
  path: string;
  /** `with the field rows “5” where the last pass sent “6”`, `without the field name “Ana”` */
  words: string;
  /** Undefined where it was left out. */
  now: unknown;
  before: unknown;
  /** Where every pass sends an id: something that is none. */
  isNoId?: true;
  /** What scripts write where they have no value. */
  isNoValue?: true;
  /** The usual date with its day and month in each other's place. */
  isDateTurned?: true;
}

/** The first part of a request that every pass said otherwise, or that it left out; null where nothing is known of such a one. */
export function otherSent(evidence: Evidence, one: Exchange): OtherSent | null {
  const { run, passes } = evidence;
  const key = exchangeKey(one, run.facts);
  const turns = sentInTurn(evidence, key);
  const isName = (now: unknown, before: unknown) => isGivenName(evidence, now, before);
  const at = turns?.orderOf.get(one);
  const known = everSent(evidence, key);
  if (turns === null || at === undefined)
    return apart(
      byPath(saidBy(one, run, passes.length)),
      usuallySent(evidence, key),
      known,
      one,
      run,
      isName,
    );
  const other = apart(turns.mine[at]!, turns.usual[at]!, known, one, run, isName);
  if (other === null) return null;
  if (isInOtherOrder(evidence, key, other)) return null;
  // Of fewer requests than passes sent it may be the first that is missing.
  const isInTurn =
    turns.isWhole ||
    (at > 0 && apart(turns.mine[at - 1]!, turns.usual[at - 1]!, known, one, run, isName) === null);
  return isInTurn ? other : null;
}

/**
 * The first part that is another one than usual, or is missing.
 * @param known the places of all that passes ever send with such a request
 * @param isName whether two values name the same new thing
 */
function apart(
  mine: ReadonlyMap<string, Said>,
  usual: readonly Usual[],
  known: ReadonlySet<string>,
  one: Exchange,
  run: RunEvidence,
  isName: (now: unknown, before: unknown) => boolean,
): OtherSent | null {
  if (usual.length === 0) return null;
  const theirs = new Map(usual.map((part) => [part.path, part]));
  for (const { path, value, days } of mine.values()) {
    const part = theirs.get(path);
    if (part && isNoIdIn(part, value))
      return {
        path,
        words: `with ${path} ${told(value)} where the last pass sent the id ${told(part.id)}`,
        now: value,
        before: part.id,
        isNoId: true,
        ...(isNoValue(value) && { isNoValue: true as const }),
      };
    if (part && isNoValue(value) && !isNoValue(part.value) && path.startsWith("the field")) {
      const isTold = part.isSteady && !SECRET.test(path) && !VARYING.test(String(part.value));
      return {
        path,
        words: `with ${path} ${isTold ? toldApart(value, part.value) : `${told(value)} where the last pass sent a value`}`,
        now: value,
        before: part.value,
        isNoValue: true,
      };
    }
    const meant = part && dateMeant(part, value, days, run);
    if (meant)
      return {
        path,
        words: `with ${path} ${told(value)} where ${meant.isUsual ? `the last pass sent ${told(meant.date)}` : `${told(meant.date)} is as many days away as in the last pass`}: day and month stand in each other's place`,
        now: value,
        before: meant.date,
        isDateTurned: true,
      };
    // What differs between passes differs always.
    if (!part?.isSteady || part.value === value) continue;
    if (isAnotherId(part.value, value) || isName(value, part.value)) continue;
    // Tomorrow is another date each day.
    if (days !== undefined && part.allDays.has(days)) continue;
    const words = SECRET.test(path)
      ? `with ${path} ${value === "" ? "empty, where the last pass sent something" : "of another value than in the last pass"}`
      : (inOtherOrder(path, mine, theirs) ?? `with ${path} ${toldApart(value, part.value)}`);
    return { path, words, now: value, before: part.value };
  }
  const body = requestBodyOf(one, run);
  const hasBody = body !== undefined;
  const gone = usual.find(
    ({ path }) =>
      !mine.has(path) && (path.startsWith("the header") || (hasBody && path.startsWith("the field"))),
  );
  if (!gone) return null;
  const instead = objectAt(body, gone.path);
  if (instead !== undefined && !SECRET.test(gone.path))
    return {
      path: gone.path,
      words: `with ${gone.path} ${told(instead)} where the last pass sent ${told(gone.value)}`,
      now: instead,
      before: gone.value,
    };
  const gives = { path: gone.path, now: undefined, before: gone.value };
  const renamed = renamedTo(gone, [...mine.values()], known);
  if (renamed)
    return { ...gives, words: `with ${renamed.path} ${told(renamed.value)} in the place of ${gone.path}` };
  const value = SECRET.test(gone.path) || VARYING.test(String(gone.value)) ? "" : ` ${told(gone.value)}`;
  return { ...gives, words: `without ${gone.path}${value}` };
}

/** The date that is meant where a request has its day and month in each other's place: the usual one, or the one that lies as many days away as in the passes. */
function dateMeant(
  { value: usual, allDays }: Usual,
  value: unknown,
  days: number | undefined,
  { facts }: RunEvidence,
): { date: string; isUsual: boolean } | null {
  const date = turned(value);
  if (date === null || value === usual || (days !== undefined && allDays.has(days))) return null;
  if (date === usual) return { date, isUsual: true };
  const away = daysFrom(facts.firstTs, date);
  return away !== null && allDays.has(away) ? { date, isUsual: false } : null;
}

/** A list of the same things in another order, as the words of the place at which it differs first; null where it is no such one. */
function inOtherOrder(
  path: string,
  mine: ReadonlyMap<string, Said>,
  theirs: ReadonlyMap<string, Usual>,
): string | null {
  const names = path.replace("the field ", "").split(".");
  const place = names.findLastIndex((name) => /^\d+$/.test(name));
  if (!path.startsWith("the field ") || place < 0 || place < names.length - 2) return null;
  const list = names.slice(0, place).join(".");
  const placeOf = (at: number) => `the field ${names.with(place, String(at)).join(".")}`;
  const itemsOf = (parts: ReadonlyMap<string, Leaf>): unknown[] => {
    const items: unknown[] = [];
    for (let at = 0; at < MOST_ITEMS && parts.has(placeOf(at)); at++)
      items.push(parts.get(placeOf(at))!.value);
    return items;
  };
  const [now, before] = [itemsOf(mine), itemsOf(theirs)];
  // “20” and 20 are written alike, and are no same things.
  const sorted = (items: unknown[]) =>
    items
      .map((item) => JSON.stringify(item))
      .sort()
      .join("\n");
  if (now.length < 2 || now.length !== before.length || sorted(now) !== sorted(before)) return null;
  const from = now.findIndex((item, at) => item !== before[at]);
  const parting = (items: unknown[]) => {
    const some = items.slice(from, from + MOST_IN_ORDER).map(told);
    return `${from > 0 ? "…, " : ""}${some.join(", ")}${items.length > from + some.length ? ", …" : ""}`;
  };
  return `with ${list === "" ? "its list" : `the field ${list}`} in another order: ${parting(now)}, where the last pass sent ${parting(before)}`;
}

const MOST_ITEMS = 200;
/** So many tell how they are ordered. */
const MOST_IN_ORDER = 3;

/** Whether every pass sent an id of its own, and this run a place in a list, or nothing. */
const isNoIdIn = ({ path, id, value: usual, isSteady }: Usual, value: unknown): boolean =>
  id !== undefined &&
  (!isSteady || /<\w+>/.test(String(usual))) &&
  path.startsWith("the field") &&
  !SECRET.test(path) &&
  NO_ID.test(String(value));

const NO_ID = /^(?:\d{1,3}|null|undefined|NaN|\[object Object\]|)$/;

/** The one field beside the missing one that no pass ever sends, where it holds the same, another id, or is called alike. */
function renamedTo(gone: Usual, mine: readonly Said[], known: ReadonlySet<string>): Said | null {
  const around = parentOf(gone.path);
  const all = mine.filter(({ path }) => path.startsWith("the field") && !known.has(path));
  // What stands in a list comes with it.
  const fresh = all.filter(({ path }) => !all.some((list) => path.startsWith(`${list.path}.`)));
  const [one] = fresh;
  if (!one || fresh.length > 1 || parentOf(one.path) !== around || SECRET.test(`${one.path} ${gone.path}`))
    return null;
  const [name, before] = [one.path, gone.path].map((path) => path.slice(around.length).toLowerCase()) as [
    string,
    string,
  ];
  const isCalledAlike = name.includes(before) || before.includes(name);
  return one.value === gone.value ||
    (one.id !== undefined && gone.id !== undefined) ||
    (isCalledAlike && typeof one.value === typeof gone.value)
    ? one
    : null;
}

/** A place without its last name. */
const parentOf = (path: string): string =>
  path.slice(0, Math.max(path.lastIndexOf("."), path.lastIndexOf(" ")) + 1);

/** The object that stands at the place of a field, which is no value of its own; undefined where none does. */
function objectAt(body: unknown, path: string): unknown {
  let at = body;
  for (const name of path.replace("the field ", "").split("."))
    at = isRecord(at) && Object.hasOwn(at, name) ? at[name] : undefined;
  return isRecord(at) ? at : undefined;
}

/** A part of a request that every pass says each time. */
interface Usual extends Leaf {
  /** Where it is an id each time: that of the first. */
  id?: string;
  /** Whether it is always the same. */
  isSteady: boolean;
  /** Of dates: how far they lie from the days of their runs. */
  allDays: ReadonlySet<number>;
}

/** What every pass says each time that it sends a request. */
const usuallySent = oncePer((evidence: Evidence, key: string): Usual[] =>
  usualOf(sentByPasses(evidence, key).flat()),
);

/** A request that a run sends more than once, in the order in which it is sent. */
interface Turns {
  orderOf: ReadonlyMap<Exchange, number>;
  mine: readonly ReadonlyMap<string, Said>[];
  /** What every pass says at that turn. */
  usual: readonly Usual[][];
  /** Whether the run sent it as often as every pass, or as every pass had by then. */
  isWhole: boolean;
}

/** Null where a request is sent but once, or not equally often in passes: then there is no telling which one answers to which. */
const sentInTurn = oncePer((evidence: Evidence, key: string): Turns | null => {
  const { run, passes, failed } = evidence;
  const all = exchangesOf(run.facts, key);
  const again = new Set(
    passes.some((pass) => sentAgainAtOnce(exchangesOf(pass.facts, key), pass).length > 0)
      ? []
      : sentAgainAtOnce(all, run).map(([, second]) => second),
  );
  // What went out twice by one press took but one turn.
  const sent = all.filter((one) => !again.has(one));
  const [first, ...others] = sentByPasses(evidence, key);
  const count = first?.length ?? 0;
  if (count < 2 || sent.length > count || others.some(({ length }) => length !== count)) return null;
  const mine = sent.map((one) => byPath(saidBy(one, run, passes.length)));
  return {
    orderOf: new Map(sent.map((one, at) => [one, at])),
    mine,
    usual: mine.map((_, at) => usualOf([first!, ...others].map((theirs) => theirs[at]!))),
    isWhole:
      sent.length === count ||
      passes.every(({ facts }) => {
        const until = momentIn(facts, run.facts, failed) ?? Number.NEGATIVE_INFINITY;
        return exchangesOf(facts, key).filter(({ ts }) => ts <= until).length === sent.length;
      }),
  };
});

/** Whether what was sent in one turn was sent in another one in every pass, and the other way round: in which order, chance may make. */
const isInOtherOrder = (evidence: Evidence, key: string, { path, now, before }: OtherSent): boolean =>
  partsSent(evidence, key).has(partOf(path, before)) &&
  (now === undefined || partsOfPasses(evidence, key).has(partOf(path, now)));

/** Every part that the run says of a request at any turn. */
const partsSent = oncePer(
  (evidence: Evidence, key: string) =>
    new Set(
      sentInTurn(evidence, key)?.mine.flatMap((parts) =>
        [...parts.values()].map(({ path, value }) => partOf(path, value)),
      ),
    ),
);

/** The parts that all of these have. */
function usualOf([first, ...others]: readonly ReadonlyMap<string, Said>[]): Usual[] {
  return [...(first ?? [])].flatMap(([path, { value, days, id }]): Usual[] => {
    const said = others.map((other) => other.get(path));
    if (said.includes(undefined)) return [];
    return [
      {
        path,
        value,
        isSteady: value !== undefined && said.every((leaf) => leaf?.value === value),
        ...(id !== undefined && said.every((leaf) => leaf?.id !== undefined) && { id }),
        allDays: daysOf([days, ...said.map((leaf) => leaf?.days)]),
      },
    ];
  });
}

const NO_DAYS: ReadonlySet<number> = new Set();

/** Most parts are no dates. */
function daysOf(all: readonly (number | undefined)[]): ReadonlySet<number> {
  const days = all.filter((day) => day !== undefined);
  return days.length === 0 ? NO_DAYS : new Set(days);
}

/** What stood in one place here and in the last pass. */
function toldApart(now: unknown, before: unknown): string {
  if (isRetyped(now, before)) return `as ${withKind(now)}, where the last pass sent ${withKind(before)}`;
  const [mine, theirs] = partingOf(now, before);
  const isCut =
    typeof now === "string" && typeof before === "string" && mine !== now && before.startsWith(now);
  const sent = isCut ? `cut off, with ${told(mine)} at its end,` : told(mine);
  return `${sent} where the last pass sent ${told(theirs)}${endedBy(now, before) || byFactor(now, before)}`;
}

/** The sign at which a value ends that was put into an address as it is (RFC 3986, 2.2), as a clause; empty where it does not end so. */
function endedBy(now: unknown, before: unknown): string {
  if (typeof now !== "string" || typeof before !== "string" || now === "" || !before.startsWith(now))
    return "";
  const sign = /^\s*([&#+])/.exec(before.slice(now.length))?.[1];
  return sign === undefined
    ? ""
    : `, cut off at ${quoted(sign)} as where it is put into an address without being encoded`;
}

const told = (value: unknown) =>
  value === "" ? "empty" : quoted(typeof value === "string" ? oneLine(value) : JSON.stringify(value), 60);
