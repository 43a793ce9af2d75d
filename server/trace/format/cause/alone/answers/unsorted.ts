import { answerFinding } from "../../exchanges/answer-finding.ts";
import { askedFor, isRead } from "../../exchanges/sent.ts";
import { thingsOf } from "../../exchanges/things.ts";
import type { Exchange } from "../../run/run-facts.ts";
import { answersBefore } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { isRecord } from "../../values/json-leaves.ts";
import { bareOf, quoted, requestOf } from "../../words.ts";

const MOST = 40;
const MOST_THINGS = 200;
/** Fewer stand in an order by chance, or in none. */
const FEWEST = 4;
const SHORTEST = 3;
const MOST_TOLD = 5;
/** By what a question says what a list is sorted by. */
const SORTS = /sort|order|^(?:by|field|column|key)$/i;
const DATE = /^\d{4}-\d\d-\d\d(?:T|$)/;

/** A list that was asked for by the order of a field and stands in none: equal kinds apart from each other, numbers and dates up and down. */
export function detectUnsorted(evidence: Evidence): Finding[] {
  const { run } = evidence;
  for (const one of answersBefore(evidence, MOST, (read) => isRead(read, run)).toReversed()) {
    const things = thingsOf(one, run.bodies).slice(0, MOST_THINGS);
    const name = sortedBy(one, Object.keys(things[0] ?? {}), evidence);
    if (name === null || !isMet(evidence, things[0]!)) continue;
    const values = things.map((thing) => thing[name]);
    if (values.length < FEWEST || isInOrder(values)) return [];
    return [
      {
        ...answerFinding(
          evidence,
          one,
          `${requestOf(one, run.facts)} asked for a list sorted by ${quoted(name, 40)}, and the answer is in no such order (${values
            .slice(0, MOST_TOLD)
            .map((value) => quoted(String(value), 30))
            .join(", ")}, …): the sort was ignored`,
          0.88,
        ),
        isAgainstItself: true,
      },
    ];
  }
  return [];
}

/** The field of the things that a question names as what they are sorted by. */
function sortedBy(one: Exchange, names: readonly string[], { run }: Evidence): string | null {
  const words = askedFor(one, run).flatMap(([name, value]) =>
    SORTS.test(name) ? value.toLowerCase().split(/[^\p{L}\d_]+/u) : [],
  );
  return names.find((name) => words.includes(name.toLowerCase())) ?? null;
}

/** Whether the test met the thing that stands first. */
function isMet({ failed }: Evidence, thing: Record<string, unknown>): boolean {
  const got = bareOf(failed.received ?? "");
  return Object.values(thing).some((value) => {
    const text = isRecord(value) ? value.name : value;
    return typeof text === "string" && text.length >= SHORTEST && got.includes(text);
  });
}

/** Whether values may be sorted by what they are or mean: kinds stand together, numbers and dates only rise or only fall, be it as texts. */
function isInOrder(values: readonly unknown[]): boolean {
  if (values.every((one) => typeof one === "number"))
    return isEven(values as number[]) || isEven(values.map(String));
  if (!values.every((one) => typeof one === "string")) return true;
  const texts = values as string[];
  if (texts.every((text) => DATE.test(text))) return isEven(texts.map((text) => Date.parse(text)));
  const runs = texts.filter((text, at) => text !== texts[at - 1]);
  return new Set(runs).size === runs.length;
}

const isEven = <Value extends number | string>(all: readonly Value[]): boolean =>
  all.every((one, at) => at === 0 || all[at - 1]! <= one) ||
  all.every((one, at) => at === 0 || all[at - 1]! >= one);
