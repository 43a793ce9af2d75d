import { answerFinding } from "../../exchanges/answer-finding.ts";
import { queryOf } from "../../exchanges/sent.ts";
import { thingsOf } from "../../exchanges/things.ts";
import type { Exchange } from "../../run/run-facts.ts";
import { answersBefore } from "../../run/select.ts";
import type { Evidence, Finding, RunEvidence } from "../../types.ts";
import { dayIn } from "../../values/dates.ts";
import { quoted, requestOf } from "../../words.ts";

const MOST = 10;
const FEWEST = 3;
const LONGEST = 20_000;

/** A served list that was asked for in one direction and came in the other, where the test met its values the other way round. */
export function detectOtherDirection(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const [want, got] = [failed.expected, failed.received].map(numbersIn) as [number[], number[]];
  const met = directionOf(got);
  if (met === null || want.length !== got.length || directionOf(want) === met) return [];
  if (want.toReversed().join() !== got.join()) return [];
  const [one] = answersBefore(evidence, MOST, ({ mediaType }) => /html/.test(mediaType)).slice(-1);
  const asked = one && askedFor(one);
  const column = asked && asked.direction !== met ? columnIn(one, run, met) : null;
  if (!asked || column === null) return [];
  const title = `${requestOf(one, run.facts)} came in ${met} order of ${quoted(column, 40)}, though it asks for ${quoted(asked.value, 20)} in ${quoted(asked.name, 40)}: the test wants the ${got.length} values the other way round`;
  return [{ ...answerFinding(evidence, one, title, 0.92), isServed: true, isReordered: true }];
}

type Direction = "ascending" | "descending";

/** The numbers of a list, as a test prints it. */
const numbersIn = (text: string | null): number[] =>
  text !== null && text.length < LONGEST && /^\s*\[[\s\d.,-]*\]\s*$/.test(text)
    ? (text.match(/-?\d+(?:\.\d+)?/g) ?? []).map(Number)
    : [];

function directionOf(values: readonly number[]): Direction | null {
  if (new Set(values).size < FEWEST) return null;
  const isRising = values.every((value, at) => at === 0 || values[at - 1]! <= value);
  const isFalling = values.every((value, at) => at === 0 || values[at - 1]! >= value);
  return isRising ? "ascending" : isFalling ? "descending" : null;
}

/** Which way round a list is asked for, in one word of the query. */
function askedFor(one: Exchange): { name: string; value: string; direction: Direction } | null {
  for (const [name, value] of queryOf(one)) {
    const word = /^(?:.*[\s:_.-])?(asc|desc)(?:ending)?$/i.exec(value)?.[1]?.toLowerCase();
    if (word) return { name, value, direction: word === "asc" ? "ascending" : "descending" };
  }
  return null;
}

/** The column of dates by which the rows of a page are in a direction; null where there is none. */
function columnIn(one: Exchange, { bodies }: RunEvidence, direction: Direction): string | null {
  const things = thingsOf(one, bodies);
  const columns = Object.keys(things[0] ?? {}).filter((name) => name !== "");
  return (
    columns.find((name) => {
      const values = things.map((thing) => amountOf(String(thing[name] ?? "")));
      return values.every((value) => value !== null) && directionOf(values as number[]) === direction;
    }) ?? null
  );
}

/** A date as its day, and a plain number. */
const amountOf = (text: string): number | null =>
  /^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : dayIn(text);
