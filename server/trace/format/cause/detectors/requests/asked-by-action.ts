import { otherSent, toldOf } from "../../exchanges/other-sent.ts";
import { AT_ONCE_MS } from "../../exchanges/prompted.ts";
import { BESIDE } from "../../plausibility/words.ts";
import { isPolling } from "../../run/polled.ts";
import { actionBefore, answersBefore } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { isToken } from "../../values/made-values.ts";
import { isForeign, quotedStep, requestOf } from "../../words.ts";

const MOST = 20;
/** What begins with a line below is between a page's library and its server. */
const IS_WORD = /^the parameter (?!_)/;

/** What the last action asked for with another parameter than in every pass: the next page of a list by the number of this one. */
export function detectAskedByAction(evidence: Evidence): Finding[] {
  const { run, passes, failed } = evidence;
  const action = actionBefore(run.facts, failed);
  // One pass does not tell what varies.
  if (passes.length < 2 || action === null) return [];
  const reads = answersBefore(
    evidence,
    MOST,
    (one) =>
      one.method === "GET" &&
      /^(?:xhr|fetch|document)$/.test(one.type ?? "") &&
      one.ts >= action.ts - 5 &&
      one.ts <= action.end + AT_ONCE_MS &&
      !isPolling(one) &&
      !isForeign(one.url, run.facts) &&
      !BESIDE.test(one.url),
  );
  return reads.slice(-1).flatMap((one): Finding[] => {
    const other = otherSent(evidence, one);
    if (!other || !IS_WORD.test(other.path) || other.now === undefined || isToken(other.now)) return [];
    return [
      {
        kind: "page_changed",
        title: `${requestOf(one, run.facts)} was sent ${toldOf(other, evidence, one)}, after ${quotedStep(action)}`,
        detail: null,
        step_id: action.step_id,
        events: [one.requestSeq ?? one.seq, one.seq],
        ts: one.ts,
        is_new: true,
        weight: 0.86,
        about: `body ${one.seq}`,
        isOtherQuestion: true,
      },
    ];
  });
}
