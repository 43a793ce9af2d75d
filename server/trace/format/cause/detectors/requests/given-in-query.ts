import { CHANGING, queryOf, SECRET } from "../../exchanges/sent.ts";
import { pickedBy } from "../../page/field-values.ts";
import type { Exchange, RunFacts, Step } from "../../run/run-facts.ts";
import type { RunEvidence } from "../../types.ts";
import { quoted, requestOf, withoutQuery } from "../../words.ts";
import { fieldsOf } from "./asked-of-kind.ts";

type Part = readonly [name: string, value: string];

/** What of a question's query another one has not. */
const partsOnlyIn = (one: Exchange, other: Exchange): Part[] => {
  const known = new Set(queryOf(other).map(String));
  return queryOf(one).filter((part) => !known.has(String(part)));
};

/** Two parts that have the same value under two names, each of which the other question has not. */
export function renamedPart(missed: Exchange, instead: Exchange): { before: Part; now: Part } | null {
  const [before, ...moreBefore] = partsOnlyIn(missed, instead);
  const [now, ...more] = partsOnlyIn(instead, missed);
  const isOne = before && now && moreBefore.length === 0 && more.length === 0;
  return isOne && before[1] === now[1] && before[0] !== now[0] ? { before, now } : null;
}

export const partAsSaid = ([name, value]: Part): string => quoted(`${name}=${value}`, 60);

/** Whether a question asks for what the action before it gave: the option that it picked, what it typed, or what it is called after. */
export function asksForGiven(one: Exchange, action: Step, run: RunEvidence): boolean {
  const { params, picked = [], title } = action;
  const named = [...title.matchAll(/'([^']{1,80})'/g)].map(([, name]) => name);
  const given = [params.value, params.text, ...pickedBy(action), ...picked, ...named]
    .filter((text) => typeof text === "string" && text !== "")
    .map((text) => String(text).toLowerCase());
  const asked = [
    ...queryOf(one).map(([, value]) => value),
    ...(CHANGING.has(one.method) ? fieldsOf(one, run).values() : []),
  ];
  return asked.some((value) => given.includes(value.toLowerCase()));
}

const MOST_FRESH = 2;
/** A query that is longer is not told with its address. */
const LONGEST_TOLD = 40;

/** A question as it is told, with those parts of its long query alone that another one to its address had not; null where there is nothing to tell. */
export function requestAsked(one: Exchange, before: Exchange | undefined, facts: RunFacts): string | null {
  const query = URL.parse(one.url)?.search ?? "";
  if (!before || query.length <= LONGEST_TOLD || one.operation !== null) return null;
  const fresh = partsOnlyIn(one, before).filter(
    ([name, value]) => !SECRET.test(name) && PLAIN.test(`${name}=${value}`),
  );
  if (fresh.length === 0 || fresh.length > MOST_FRESH) return null;
  const bare = { ...one, url: withoutQuery(one.url) };
  return `${requestOf(bare, facts)}?…${fresh.map((part) => part.join("=")).join("…")}…`;
}

const PLAIN = /^[\w.,:=-]{1,60}$/;
