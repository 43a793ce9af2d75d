import { queryOf, requestBodyOf } from "../exchanges/sent.ts";
import type { Exchange } from "../run/run-facts.ts";
import type { RunEvidence } from "../types.ts";
import { isIdAt, leavesOf } from "../values/json-leaves.ts";
import { quoted } from "../words.ts";
import { type Rule, say } from "./rule.ts";

/** `with “2 × Tea: €3.50”, where the last pass had “2 × Tea: €7.00”` */
const APART = /“([^“”]{1,200})”(?: for “[^“”]{1,100}”)?, where the last pass had “([^“”]{1,200})”/;

/** An amount by its currency or its decimals. */
const AMOUNT = /\p{Sc}\s?(\d[\d.,]{0,20})|(\d[\d.,]{0,20})\s?\p{Sc}|(?<![\d.,])(\d{1,9}[.,]\d\d)(?![\d.,])/gu;

/** So many of one thing nobody orders by hand, and ids and years are larger. */
const MOST_OF_ONE = 1_000;

/**
 * An amount that is the passes' divided by a number that the same request sent, or multiplied by it: how many it is for was left
 * out of account, or counted in twice.
 */
export const asForOne: Rule = ({ kind, is_new, title, events, isAskedOtherwise }, { evidence }) => {
  if (kind !== "answer_changed" || is_new !== true || isAskedOtherwise) return null;
  const [, now = "", before = ""] = APART.exec(title) ?? [];
  const amounts = amountsApart(now, before);
  const one = amounts && evidence.run.facts.exchanges.find(({ seq }) => seq === events[0]);
  if (!amounts || !one) return null;
  const [by, ...others] = numbersSent(one, evidence).filter(
    ({ number }) =>
      isTimes(amounts.before, amounts.now, number) || isTimes(amounts.now, amounts.before, number),
  );
  // Of two that say the same either may be meant.
  if (!by || others.length > 0) return null;
  const sent = `it was sent with ${quoted(String(by.number), 20)} for ${quoted(by.name, 60)}`;
  return isTimes(amounts.before, amounts.now, by.number)
    ? say(`that is ${partOf(by.number)} of it, as for one, though ${sent}`)
    : say(`that is ${by.number} times it: ${sent}, which was counted in once more`);
};

const partOf = (number: number): string =>
  ["half", "a third", "a quarter", "a fifth"][number - 2] ?? `1/${number}`;

const CENT = 0.005;

const isTimes = (whole: number, part: number, times: number): boolean =>
  Math.abs(part * times - whole) < CENT;

/** The one amount by which two texts differ; null where they differ in more. */
function amountsApart(now: string, before: string): { now: number; before: number } | null {
  if (now.replace(AMOUNT, "") !== before.replace(AMOUNT, "")) return null;
  const [mine, theirs] = [now, before].map((text) =>
    [...text.matchAll(AMOUNT)].map(([, first, second, third]) => amountOf(first ?? second ?? third ?? "")),
  ) as [number[], number[]];
  const [at, ...others] = mine.keys().filter((each) => mine[each] !== theirs[each]);
  if (at === undefined || others.length > 0 || mine.length !== theirs.length) return null;
  const amounts = { now: mine[at]!, before: theirs[at]! };
  return amounts.now > 0 && amounts.before > 0 ? amounts : null;
}

const amountOf = (said: string): number =>
  Number(
    said
      .replace(/[.,]$/, "")
      .replace(/[.,](?=\d{3}(?!\d))/g, "")
      .replace(",", "."),
  );

function numbersSent(one: Exchange, { run }: { run: RunEvidence }): { name: string; number: number }[] {
  const sent = [
    ...leavesOf(requestBodyOf(one, run)),
    ...queryOf(one).map(([path, value]) => ({ path, value })),
  ];
  return sent.flatMap(({ path, value }) => {
    const number = typeof value === "string" && /^\d{1,4}$/.test(value) ? Number(value) : value;
    const isCount =
      typeof number === "number" && Number.isInteger(number) && number > 1 && number <= MOST_OF_ONE;
    return isCount && !isIdAt(path) ? [{ name: path, number }] : [];
  });
}
