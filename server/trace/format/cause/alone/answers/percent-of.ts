import { answerFinding } from "../../exchanges/answer-finding.ts";
import { isRead } from "../../exchanges/sent.ts";
import { answersBefore } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { besideOf } from "../../values/beside.ts";
import { figureOf } from "../../values/figures.ts";
import { jsonOf, type Leaf, leavesOf } from "../../values/json-leaves.ts";
import { bareOf, bodyOf, isForeign, quoted, requestOf } from "../../words.ts";

const MOST = 40;
const HUNDRED = 100;
const RATE = /percent|pct|rate|vat|tax|discount/i;

/** An amount that is so many percent of one number of a thing, where the test wants it of another one of the same thing. */
export function detectPercentOf(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const [want, got] = [failed.expected, failed.received].map((text) => bareOf(text ?? "")) as [
    string,
    string,
  ];
  const [wanted, shown] = [want, got].map((text) => figureOf(text));
  if (!wanted || !shown || wanted.decimals !== 2 || shown.decimals !== 2 || wanted.text === shown.text)
    return [];
  const answers = answersBefore(evidence, MOST, (one) => isRead(one, run) && !isForeign(one.url, run.facts));
  for (const one of answers.toReversed()) {
    const leaves = leavesOf(jsonOf(bodyOf(one, run.bodies) ?? ""));
    for (const rate of leaves.filter(isRate)) {
      const numbers = besideOf(leaves, rate).filter(({ value }) => typeof value === "number" && value > 0);
      const [right, wrong] = [wanted.text, shown.text].map((text) =>
        numbers.find(({ value }) => isPart(Number(rate.value), Number(value), text)),
      );
      if (!right || !wrong || right === wrong) continue;
      const title = `The page shows ${quoted(got, 30)}, ${rate.value} % of ${quoted(wrong.path, 40)} (${wrong.value}), where the test wants ${quoted(want, 30)}, which is ${rate.value} % of ${quoted(right.path, 40)} (${right.value}): it calculates ${quoted(rate.path, 40)} of ${requestOf(one, run.facts)} from another number`;
      return [{ ...answerFinding(evidence, one, title, 0.88), kind: "page_changed" }];
    }
  }
  return [];
}

const isRate = ({ path, value }: Leaf): boolean =>
  typeof value === "number" && value > 0 && value <= HUNDRED && RATE.test(path.split(".").at(-1)!);

/** Whether an amount is so many percent of a number, which may be of hundredths. */
const isPart = (rate: number, number: number, text: string): boolean =>
  [number, number / HUNDRED].some((whole) => Math.abs((whole * rate) / HUNDRED - Number(text)) < 0.0051);
