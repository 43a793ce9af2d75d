import { answerFinding } from "../../exchanges/answer-finding.ts";
import { isRead } from "../../exchanges/sent.ts";
import { answersBefore } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { figureOf } from "../../values/figures.ts";
import { isIdAt, jsonOf, leavesOf } from "../../values/json-leaves.ts";
import { bareOf, bodyOf, isForeign, quoted, requestOf } from "../../words.ts";

const MOST = 40;
const HUNDRED = 100;

/** A figure of which the page shows fewer decimals than the test wants, though an answer has all of them. */
export function detectRounded(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const [want, got] = [failed.expected, failed.received].map((text) => bareOf(text ?? "")) as [
    string,
    string,
  ];
  const [wanted, shown] = [figureOf(want), figureOf(got)];
  if (!wanted || !shown || shown.decimals >= wanted.decimals) return [];
  const exact = Number(wanted.text);
  if (exact === Number(shown.text) || exact.toFixed(shown.decimals) !== shown.text) return [];
  const answers = answersBefore(evidence, MOST, (one) => isRead(one, run) && !isForeign(one.url, run.facts));
  for (const one of answers.toReversed()) {
    const [leaf, ...others] = leavesOf(jsonOf(bodyOf(one, run.bodies) ?? "")).filter(
      ({ path, value }) =>
        typeof value === "number" &&
        !isIdAt(path) &&
        [value, value * HUNDRED, value / HUNDRED].some(
          (number) => number.toFixed(wanted.decimals) === wanted.text,
        ),
    );
    if (!leaf || others.length > 0) continue;
    const title = `${requestOf(one, run.facts)} answered ${quoted(String(leaf.value), 30)} for ${quoted(leaf.path, 60)}, and the page shows it rounded (${quoted(got, 60)}), where the test wants ${quoted(want, 40)}: it lost its decimals`;
    return [answerFinding(evidence, one, title, 0.84)];
  }
  return [];
}
