import { CHANGING, isRead, requestBodyOf, SECRET } from "../../exchanges/sent.ts";
import { exchangeKey, exchangesOf } from "../../run/keys.ts";
import type { Exchange, Step } from "../../run/run-facts.ts";
import type { RunEvidence } from "../../types.ts";
import { leavesOf } from "../../values/json-leaves.ts";
import { pathOf, quoted } from "../../words.ts";

/** What a request asks for, to the letter. */
export const askedFor = (one: Exchange): string => `${addressOf(one)}${URL.parse(one.url)?.search ?? ""}`;

export const addressOf = ({ method, url }: Exchange): string => `${method} ${pathOf(url)}`;

/** An address without its last part, which names one of a kind; one of a single part is of no kind but its own. */
function kindOf(one: Exchange): string {
  const address = addressOf(one);
  const at = address.lastIndexOf("/");
  return at > address.indexOf("/") ? address.slice(0, at) : address;
}

interface Asked {
  ts: number;
  words: string;
  /** As it is called across runs. */
  key: string;
  /** Names of the fields that it was sent with. */
  carries: ReadonlySet<string>;
}

/** What was asked for and when, by the kind of thing that it was asked of. */
export const askedByKind = (exchanges: readonly Exchange[], run: RunEvidence): Map<string, Asked[]> => {
  const kinds = Map.groupBy(exchanges, kindOf);
  const askedIn = (one: Exchange) => ({
    ts: one.ts,
    words: askedFor(one),
    key: exchangeKey(one, run.facts),
    carries: new Set(CHANGING.has(one.method) ? carriedBy(one, run) : []),
  });
  return new Map([...kinds].map(([kind, all]) => [kind, all.map(askedIn)]));
};

/** Whether the same was sent of another thing of the kind, which may have another id here. What carries other fields is another write. */
export function isSentOfAnother(
  missed: Exchange,
  pass: RunEvidence,
  kinds: ReadonlyMap<string, readonly Asked[]>,
  action: Step,
): boolean {
  const [mine, key, carried] = [askedFor(missed), exchangeKey(missed, pass.facts), carriedBy(missed, pass)];
  const isAnotherWrite = (one: Asked) =>
    one.key === key &&
    one.carries.size > 0 &&
    carried.length > 0 &&
    !carried.some((field) => one.carries.has(field));
  return (
    kinds
      .get(kindOf(missed))
      ?.some((one) => one.ts >= action.ts - 5 && one.words !== mine && !isAnotherWrite(one)) === true
  );
}

const MOST_FIELDS = 40;

/** The plain values that a request was sent with, by their last names. */
export const fieldsOf = (one: Exchange, run: RunEvidence): ReadonlyMap<string, string> =>
  new Map(
    leavesOf(requestBodyOf(one, run))
      .filter(({ path, value }) => !SECRET.test(path) && /^(?:string|number|boolean)$/.test(typeof value))
      .slice(0, MOST_FIELDS)
      .map(({ path, value }) => [path.slice(path.lastIndexOf(".") + 1), String(value)]),
  );

/** The names of the fields that a write was sent with; what stands in a list goes by the list. */
const carriedBy = (one: Exchange, run: RunEvidence): string[] =>
  leavesOf(requestBodyOf(one, run))
    .filter(({ path, value }) => value !== null && !SECRET.test(path))
    .slice(0, MOST_FIELDS)
    .flatMap(({ path }) => path.split(".").findLast((name) => !/^\d+$/.test(name)) ?? []);

/** The fields of a request that no other to its address was sent with here, as what follows its name, those of a question with their values; empty where none was sent at all. */
export function toldByFields(one: Exchange, key: string, pass: RunEvidence, run: RunEvidence): string {
  const sent = CHANGING.has(one.method) ? exchangesOf(run.facts, key) : [];
  const carried = new Set(sent.flatMap((other) => carriedBy(other, run)));
  const own = [...new Set(carriedBy(one, pass))].filter((field) => !carried.has(field));
  if (sent.length === 0 || own.length === 0) return "";
  const asked = isRead(one, pass) ? fieldsOf(one, pass) : undefined;
  const told = own.slice(0, MOST_TOLD).map((field) => {
    const value = asked?.get(field);
    return `${value === undefined ? "" : `${quoted(value, 60)} for `}${quoted(field, 60)}`;
  });
  return ` with ${told.join(" and ")}`;
}

const MOST_TOLD = 2;
