import { answerFinding } from "../../exchanges/answer-finding.ts";
import { answersBefore } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { isDateIn } from "../../values/dates.ts";
import { jsonOf, leavesOf } from "../../values/json-leaves.ts";
import { bodyOf, quoted, requestOf } from "../../words.ts";

const MOST = 20;
const DAY = /^\d{4}-\d\d-\d\d$/;

/** Days of a list that an answer says as the page shows them, and the test wants otherwise: no clock made them. */
export function detectDaysSaid(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const [want, got] = [failed.expected, failed.received].map(withoutZeros) as [string, string];
  if (want === "" || got === "") return [];
  for (const one of answersBefore(evidence, MOST).toReversed()) {
    const said = leavesOf(jsonOf(bodyOf(one, run.bodies) ?? "")).filter(
      ({ value }) =>
        typeof value === "string" && DAY.test(value) && isDateIn(value, got) && !isDateIn(value, want),
    );
    const [first, second] = said;
    // What begins and what ends is no list.
    if (!first || !second || listOf(first.path) !== listOf(second.path)) continue;
    const told = ({ value, path }: typeof first) => `${quoted(String(value), 20)} for ${quoted(path, 60)}`;
    return [
      {
        ...answerFinding(
          evidence,
          one,
          `${requestOf(one, run.facts)} answered ${told(first)} and ${told(second)}: the page shows these days, where the test wants ${quoted(want.replaceAll('"', ""), 80)}`,
          0.94,
        ),
        isOfTime: true,
      },
    ];
  }
  return [];
}

const listOf = (path: string): string => path.replace(/(^|\.)\d+(?=\.|$)/g, "$1#");

/** As dates are told without them: “03 Mar”. */
const withoutZeros = (text: string | null): string => (text ?? "").replace(/(?<!\d)0(?=\d)/g, "");
