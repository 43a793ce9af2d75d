import { answerFinding } from "../../exchanges/answer-finding.ts";
import { isRead } from "../../exchanges/sent.ts";
import { targetOf } from "../../page/target.ts";
import { answersBefore } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { calledIn } from "../../values/beside.ts";
import { figureOf, isFigureOf } from "../../values/figures.ts";
import { isIdAt, isRecord, jsonOf, leavesOf } from "../../values/json-leaves.ts";
import { listsIn } from "../../values/lists.ts";
import { bareOf, bodyOf, NOTHING, quoted, requestOf } from "../../words.ts";
import { isBeside } from "../beside.ts";

const MOST = 20;
const MOST_ITEMS = 300;
const MOST_AMOUNTS = 10;
const AMOUNT =
  /\p{Sc}\s?\d{1,3}(?:[,.\s]?\d{3}){0,4}[.,]\d\d|(?<![\d.,])\d{1,3}(?:[,.\s]?\d{3}){0,4}[.,]\d\d\s?\p{Sc}/gu;

/** An amount in the text of a thing, where the test wants another one: what the answer has for that thing, or that it has nothing. */
export function detectValueInRow(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const [want, got] = [failed.expected, failed.received].map((text) => bareOf(text ?? "")) as [
    string,
    string,
  ];
  const [wanted, ...others] = want.match(AMOUNT) ?? [];
  if (failed.received === null || !wanted || others.length > 0) return [];
  const answers = answersBefore(evidence, MOST, (one) => isRead(one, run) && !isBeside(one));
  for (const one of answers.toReversed()) {
    const value = jsonOf(bodyOf(one, run.bodies) ?? "");
    const told = shownOf(evidence, value, { wanted, got }) ?? nothingOf(evidence, value, got);
    if (told === null) continue;
    const title = `${requestOf(one, run.facts)} answered ${quoted(told.value, 40)} for ${quoted(told.path, 60)} of ${quoted(told.thing, 60)}: the page shows that as ${quoted(told.shown, 40)}, where the test wants ${quoted(wanted, 40)}`;
    return [answerFinding(evidence, one, title, told.value === "null" ? 0.84 : 0.78)];
  }
  return [];
}

interface Told {
  thing: string;
  path: string;
  value: string;
  shown: string;
}

/** The value that a thing has, and its row shows in the place of the wanted one. */
function shownOf(
  evidence: Evidence,
  answer: unknown,
  { wanted, got }: { wanted: string; got: string },
): Told | null {
  const amounts = (got.match(AMOUNT) ?? []).slice(0, MOST_AMOUNTS);
  if (amounts.some((one) => figureOf(one)?.text === figureOf(wanted)?.text)) return null;
  const leaves = leavesOf(answer);
  for (const leaf of leaves) {
    if (leaf.value === 0 || isIdAt(leaf.path)) continue;
    const shown = amounts.find((one) => isFigureOf(leaf.value, one));
    const thing = shown && calledIn(`${targetOf(evidence)} ${got}`, leaves, leaf);
    if (shown && thing) return { thing, path: leaf.path, value: String(leaf.value), shown };
  }
  return null;
}

/** That of all things of a list the one of the row has nothing where others have a number, and the row a zero or the like. */
function nothingOf(evidence: Evidence, answer: unknown, got: string): Told | null {
  const zero = (got.match(AMOUNT) ?? []).find((one) => Number(figureOf(one)?.text) === 0);
  const shown = zero ?? NOTHING.exec(got)?.[0];
  if (shown === undefined) return null;
  const around = `${targetOf(evidence)} ${got}`.toLowerCase();
  for (const { path, items } of listsIn(answer)) {
    const things = items.slice(0, MOST_ITEMS).filter(isRecord);
    const named = things.flatMap((thing) => {
      const name = Object.values(thing).find(
        (value) =>
          typeof value === "string" && value.length > SHORTEST && around.includes(value.toLowerCase()),
      );
      return name === undefined ? [] : [{ thing, name: String(name) }];
    });
    const [one, ...more] = named;
    if (!one || more.length > 0) continue;
    const field = Object.keys(one.thing).find((key) => one.thing[key] === null && isNumberIn(things, key));
    if (field !== undefined)
      return {
        thing: one.name,
        path: `${path === "" ? "" : `${path}.`}${items.indexOf(one.thing)}.${field}`,
        value: "null",
        shown,
      };
  }
  return null;
}

const SHORTEST = 3;

/** Whether most things have a number there. */
const isNumberIn = (things: readonly Record<string, unknown>[], key: string): boolean =>
  things.filter((thing) => typeof thing[key] === "number").length * 2 > things.length;
