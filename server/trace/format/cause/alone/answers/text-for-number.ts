import { answerFinding } from "../../exchanges/answer-finding.ts";
import { isRead } from "../../exchanges/sent.ts";
import { answersBefore } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { figureOf } from "../../values/figures.ts";
import { jsonOf, leavesOf } from "../../values/json-leaves.ts";
import { bareOf, bodyOf, isForeign, quoted, requestOf } from "../../words.ts";

const MOST = 40;
const DECIMAL = /^-?\d+\.\d{2}$/;
/** Pages that count in hundredths make so much less of an amount that came as a text. */
const HUNDREDTH = 100;

/** An amount that an answer gives as a text, as the test wants it, and of which the page shows a hundredth: it takes it for another unit. */
export function detectTextForNumber(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const want = figureOf(bareOf(failed.expected ?? ""));
  const received = bareOf(failed.received ?? "");
  const got =
    /\p{Sc}\s?\d[\d.,]{0,20}/u.exec(received) ?? /(?<![\d.,])\d[\d.,]{0,20}\s?\p{Sc}/u.exec(received);
  const shown = got && figureOf(got[0]);
  if (!want || !shown || Number(want.text) === 0) return [];
  if (Math.abs(Number(want.text) / HUNDREDTH - Number(shown.text)) >= 0.01) return [];
  const answers = answersBefore(evidence, MOST, (one) => isRead(one, run) && !isForeign(one.url, run.facts));
  for (const one of answers.toReversed()) {
    const leaf = leavesOf(jsonOf(bodyOf(one, run.bodies) ?? "")).find(
      ({ value }) => typeof value === "string" && DECIMAL.test(value) && Number(value) === Number(want.text),
    );
    if (!leaf) continue;
    const title = `${requestOf(one, run.facts)} answered ${quoted(String(leaf.value), 30)} for ${quoted(leaf.path, 60)}, as a text and with decimals: the page shows a hundredth of it (${quoted(got[0], 30)}), as if it were the smaller unit`;
    return [answerFinding(evidence, one, title, 0.88)];
  }
  return [];
}
