import { exposedBy, isOfOtherOrigin } from "../../detectors/answers/unexposed.ts";
import { answerFinding } from "../../exchanges/answer-finding.ts";
import { isRead } from "../../exchanges/sent.ts";
import { thingsOf } from "../../exchanges/things.ts";
import { targetOf } from "../../page/target.ts";
import { lastPartOf, wantedBy } from "../../page/wanted.ts";
import { isMissing } from "../../run/missing-element.ts";
import type { Exchange } from "../../run/run-facts.ts";
import { answersBefore } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { jsonOf, leavesOf } from "../../values/json-leaves.ts";
import { bodyOf, headerOf, quoted, requestOf } from "../../words.ts";

const MOST = 40;
/** What leads to the next part of a list. */
const LEADS_ON = /\b(?:more|next|older|mehr|weitere|weiter|nächste|plus|suivant|siguiente|más)\b/i;
const HAS_NEXT = /(?:^|\.)(?:has_?next(?:_?page)?|has_?more|more)$/i;
const TOTAL = /(?:^|\.)(?:total|count|total_?(?:count|items|elements|results))$/i;

/** What should lead on in a list is missing, and the list's own answer says that it has no next part, or only in a header that the page cannot read. */
export function detectNoNextPart(evidence: Evidence): Finding[] {
  const { run } = evidence;
  const { name } = wantedBy(lastPartOf(targetOf(evidence)));
  if (!isMissing(evidence) || name === null || !LEADS_ON.test(name)) return [];
  for (const one of answersBefore(evidence, MOST, (read) => isRead(read, run)).toReversed()) {
    // Beside a pass the answer itself tells that it exposes less.
    if (evidence.passes.length === 0 && isNextUnread(one))
      return [
        answerFinding(
          evidence,
          one,
          `${requestOf(one, run.facts)} leads to a next part by its header link, but does not expose that to scripts of another origin (Access-Control-Expose-Headers): the page offers no ${quoted(name, 40)}`,
          0.86,
        ),
      ];
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

/** Whether an answer leads on by a header (RFC 8288) that it does not expose to the page, which is of another origin. */
function isNextUnread(one: Exchange): boolean {
  const exposed = exposedBy(one);
  return (
    isOfOtherOrigin(one) &&
    /\brel="?next\b/i.test(headerOf(one.headers, "link") ?? "") &&
    !exposed.has("link") &&
    !exposed.has("*")
  );
}
