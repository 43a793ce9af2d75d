import { CHANGING, isWrite } from "../../exchanges/sent.ts";
import { targetOf } from "../../page/target.ts";
import { isMissing } from "../../run/missing-element.ts";
import { actionBefore } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { bareOf, isForeign, isTracker, quoted, quotedStep, requestOf } from "../../words.ts";
import { isBeside } from "../beside.ts";
import { isRefusedBy } from "./refused.ts";
import { soughtBy } from "./sought.ts";

/** What products say where they do not take what they are given. */
const OBJECTS =
  /\b(?:please|must|invalid|required|cannot|can't|can not|may not|not allowed|not valid|already|too (?:short|long|large|many)|wrong|incorrect|at least|at most|do(?:es)? not match|denied|no access)\b/i;

/** An objection that the test waits for in vain, where what the last action sent was taken: the check of it is gone, or was never made. */
export function detectAccepted(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  if (!isMissing(evidence)) return [];
  const said = wantedText(evidence);
  const isAlert = /getByRole\(['"]alert['"]/.test(targetOf(evidence));
  if (!isAlert && !OBJECTS.test(said)) return [];
  const action = actionBefore(run.facts, failed);
  const write =
    action &&
    run.facts.exchanges.findLast(
      (one) =>
        CHANGING.has(one.method) &&
        isWrite(one, run) &&
        one.ts >= action.ts &&
        one.ts <= failed.to &&
        one.status !== null &&
        !isTracker(one.url) &&
        !isBeside(one) &&
        !isForeign(one.url, run.facts),
    );
  if (!action || !write || isRefusedBy(write, run)) return [];
  return [
    {
      kind: "answer_changed",
      title: `${requestOf(write, run.facts)} was taken (answered with ${write.status}) where the test waits for an objection${said === "" ? "" : ` (${quoted(said, 80)})`}: nothing refused what ${quotedStep(action)} sent`,
      detail: null,
      step_id: write.step_id,
      events: [write.seq, action.seq],
      ts: write.end ?? write.ts,
      is_new: null,
      weight: 0.7,
    },
  ];
}

/** The text that the step waits for: of its locator, or what it should say. */
function wantedText(evidence: Evidence): string {
  const expected = bareOf(evidence.failed.expected ?? "");
  return soughtBy(evidence)?.text ?? (/^(?:visible|attached)?$/.test(expected) ? "" : expected);
}
