import { askedIn, queryOf, requestBodyOf } from "../../exchanges/sent.ts";
import { thingsOf } from "../../exchanges/things.ts";
import { isMissing } from "../../run/missing-element.ts";
import type { Exchange } from "../../run/run-facts.ts";
import { answersBefore } from "../../run/select.ts";
import type { Evidence, Finding, RunEvidence } from "../../types.ts";
import { isRecord, jsonOf, leavesOf } from "../../values/json-leaves.ts";
import { aboutUrl, bodyOf, pathOf, quoted, requestOf } from "../../words.ts";
import { undeclaredIn } from "../requests/undeclared.ts";

const MOST = 60;
/** What a script makes of a value that it does not have. */
const NO_VALUE = /^(?:undefined|NaN|\[object Object\])$/;
/** What the things of a list are called by. */
const CALLED = /^(?:title|name|subject|label|text|headline|caption|display_?name)$/i;
/** How pages ask for the next part of a list. */
const PART = /cursor|after|offset|page|skip|start|from/i;

/** A request that the page sent without a value, and an answer whose things have no names. */
export function detectWithoutValue(evidence: Evidence): Finding[] {
  return answersBefore(evidence, MOST, isData).flatMap((one) => {
    const sent = sentWithout(evidence, one);
    const nameless = isMissing(evidence) ? namelessIn(evidence, one) : null;
    if (sent === null && nameless === null) return [];
    return [
      finding(
        evidence,
        one,
        sent ??
          `answered “null” for ${quoted(nameless!, 80)} of each of its things, which the page may call them by`,
        sent === null ? 0.64 : 0.84,
      ),
    ];
  });
}

/** The next part of a list that is the one before it over again. */
export function detectSameAgain(evidence: Evidence): Finding[] {
  const { run } = evidence;
  const answers = answersBefore(evidence, MOST, isData);
  const known = new Map<number, string | null>();
  const listOf = (one: Exchange): string | null => {
    if (!known.has(one.seq))
      known.set(
        one.seq,
        thingsIn(
          /html/.test(one.mediaType) ? thingsOf(one, run.bodies) : jsonOf(bodyOf(one, run.bodies) ?? ""),
        ),
      );
    return known.get(one.seq)!;
  };
  for (const one of answers.toReversed()) {
    const things = listOf(one);
    const asked = askedIn(one, run);
    if (things === null || !PART.test(asked)) continue;
    const before = answers.findLast(
      (other) =>
        other.ts < one.ts &&
        addressOf(other) === addressOf(one) &&
        askedIn(other, run) !== asked &&
        listOf(other) === things,
    );
    // Another thing that was asked for may have the same list beside what is its own.
    const other = before && otherwise(evidence, one, before);
    if (!before || (other && !PART.test(other[0])) || isNarrower(evidence, before, one)) continue;
    const undeclared = undeclaredIn(one, run);
    return [
      finding(
        evidence,
        one,
        undeclared === null
          ? `answered the same list as to a question before it, though it was asked ${other ? `with ${quoted(other.join("="), 80)}` : "something else"}`
          : `answered the same list as to a question before it: it was sent with ${undeclared}`,
        0.86,
      ),
    ];
  }
  return [];
}

/** What a question says that an earlier one did not, under its name. */
function otherwise(
  { run }: Evidence,
  one: Exchange,
  before: Exchange,
): readonly [name: string, value: string] | undefined {
  const known = new Map(saidBy(before, run));
  return saidBy(one, run).find(([name, value]) => known.get(name) !== value && value.length <= LONGEST_SAID);
}

/** Whether a question asks for a list of its own, by what another one does not name: the two may have things in common. */
function isNarrower({ run }: Evidence, one: Exchange, other: Exchange): boolean {
  const named = new Set(saidBy(other, run).map(([name]) => name));
  return saidBy(one, run).some(([name, value]) => value !== "" && !named.has(name) && !PART.test(name));
}

const saidBy = (asked: Exchange, run: RunEvidence): (readonly [name: string, value: string])[] => [
  ...queryOf(asked),
  ...leavesOf(requestBodyOf(asked, run)).map(({ path, value }) => [path, String(value)] as const),
];

/** A longer value is a query's own text. */
const LONGEST_SAID = 200;

/** The first part of a list is often asked for without its place. */
const addressOf = ({ method, url, operation }: Exchange): string =>
  `${method} ${pathOf(url)} ${operation ?? ""}`;

const isData = ({ type, mediaType }: Exchange) =>
  /^(?:xhr|fetch)$/.test(type ?? "") && !/javascript|css/.test(mediaType);

const finding = ({ run }: Evidence, one: Exchange, words: string, weight: number): Finding => ({
  kind: "answer_changed",
  title: `${requestOf(one, run.facts)} ${words}`,
  detail: null,
  step_id: one.step_id,
  events: one.requestSeq === null ? [one.seq] : [one.seq, one.requestSeq],
  ts: one.end ?? one.ts,
  is_new: null,
  weight,
  about: aboutUrl(one.url, run.facts, one.operation),
});

function sentWithout({ run }: Evidence, one: Exchange): string | null {
  const said: [string, unknown][] = [
    ...one.requestHeaders.flatMap(({ name, value }): [string, unknown][] =>
      name.startsWith("x-") ? [[`the header ${name}`, value]] : [],
    ),
    ...queryOf(one).map(([name, value]): [string, unknown] => [`the parameter ${name}`, value]),
    ...leavesOf(requestBodyOf(one, run)).map(({ path, value }): [string, unknown] => [
      `the field ${path}`,
      value,
    ]),
  ];
  const [place, value] = said.find(([, value]) => typeof value === "string" && NO_VALUE.test(value)) ?? [];
  return place === undefined
    ? null
    : `was sent with ${place} ${quoted(String(value), 20)}: the page had no value for it, and the answer may be to another question`;
}

/** The name by which all things of a list have nothing. */
function namelessIn({ run }: Evidence, one: Exchange): string | null {
  const value = jsonOf(bodyOf(one, run.bodies) ?? "");
  const lists = Array.isArray(value)
    ? [value]
    : isRecord(value)
      ? Object.values(value).filter(Array.isArray)
      : [];
  for (const items of lists) {
    const [first] = items;
    if (items.length === 0 || !items.every(isRecord)) continue;
    const name = Object.keys(first as object).find(
      (key) => CALLED.test(key) && items.every((item) => (item as Record<string, unknown>)[key] === null),
    );
    if (name !== undefined) return name;
  }
  return null;
}

/** The first list with several things in a value, at its top or some levels below, as text. */
function thingsIn(value: unknown, depth = 0): string | null {
  if (Array.isArray(value)) return value.length > 1 && value.every(isRecord) ? JSON.stringify(value) : null;
  if (depth >= 4 || !isRecord(value)) return null;
  for (const inner of Object.values(value)) {
    const things = thingsIn(inner, depth + 1);
    if (things !== null) return things;
  }
  return null;
}
