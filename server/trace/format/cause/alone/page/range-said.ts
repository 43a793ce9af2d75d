import { oneLine } from "../../../error-text.ts";
import { answerFinding } from "../../exchanges/answer-finding.ts";
import { mayRead } from "../../exchanges/sent.ts";
import { thingsOf } from "../../exchanges/things.ts";
import { answersBefore } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { quoted, requestOf } from "../../words.ts";
import { listLookedAt } from "./listed.ts";

const MOST = 40;
const RANGE = /(?<![\d.,])(\d{1,6})\s*(?:–|-|—|to)\s*(\d{1,6})(?![\d.,]\d)/;
const LONGEST = 60;

/** A page that says which things it lists, “13–24 of 35”, and lists fewer, as the answer behind it had no more. */
export function detectRangeSaid(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const [want, got] = [Number(failed.expected ?? Number.NaN), Number(failed.received ?? Number.NaN)];
  if (!run.page || !(want > got) || got < 1) return [];
  const items = listLookedAt(evidence, run.page.elements);
  const said = run.page.elements
    .filter(({ isHidden, text }) => !isHidden && text.length <= LONGEST)
    .map(({ text }) => oneLine(text))
    .find((text) => {
      const [, from, to] = RANGE.exec(text) ?? [];
      return from !== undefined && Number(to) - Number(from) + 1 === want;
    });
  if (items?.length !== got || said === undefined) return [];
  const one = answersBefore(evidence, MOST, (read) => mayRead(read, run)).findLast(
    (read) => thingsOf(read, run.bodies).length === got,
  );
  return one
    ? [
        answerFinding(
          evidence,
          one,
          `${requestOf(one, run.facts)} answered with ${got} things, though the page says ${quoted(said, 60)}, which are ${want}: ${want - got === 1 ? "one is" : `${want - got} are`} missing in the answer`,
          0.88,
        ),
      ]
    : [];
}
