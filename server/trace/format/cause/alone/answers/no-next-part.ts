import { answerFinding } from "../../exchanges/answer-finding.ts";
import { isRead } from "../../exchanges/sent.ts";
import { thingsOf } from "../../exchanges/things.ts";
import { targetOf } from "../../page/target.ts";
import { lastPartOf, wantedBy } from "../../page/wanted.ts";
import { isMissing } from "../../run/missing-element.ts";
import { answersBefore } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { jsonOf, leavesOf } from "../../values/json-leaves.ts";
import { bodyOf, quoted, requestOf } from "../../words.ts";

const MOST = 40;
/** What leads to the next part of a list. */
const LEADS_ON = /\b(?:more|next|older|mehr|weitere|weiter|nächste|plus|suivant|siguiente|más)\b/i;
const HAS_NEXT = /(?:^|\.)(?:has_?next(?:_?page)?|has_?more|more)$/i;
const TOTAL = /(?:^|\.)(?:total|count|total_?(?:count|items|elements|results))$/i;

/** What should lead on in a list is missing, and the list's own answer says that it has no next part. */
export function detectNoNextPart(evidence: Evidence): Finding[] {
  const { run } = evidence;
  const { name } = wantedBy(lastPartOf(targetOf(evidence)));
  if (!isMissing(evidence) || name === null || !LEADS_ON.test(name)) return [];
  for (const one of answersBefore(evidence, MOST, (read) => isRead(read, run)).toReversed()) {
    const leaves = leavesOf(jsonOf(bodyOf(one, run.bodies) ?? ""));
    const flag = leaves.find(({ path, value }) => HAS_NEXT.test(path) && value === false);
    const count = thingsOf(one, run.bodies).length;
    if (!flag || count === 0) continue;
    const total = leaves.find(({ path, value }) => TOTAL.test(path) && Number(value) > count);
    return [
      answerFinding(
        evidence,
        one,
        `${requestOf(one, run.facts)} answered “false” for ${quoted(flag.path, 60)}${total ? `, though it has ${count} of ${total.value}` : ""}: the page offers no ${quoted(name, 40)}`,
        total ? 0.92 : 0.8,
      ),
    ];
  }
  return [];
}
