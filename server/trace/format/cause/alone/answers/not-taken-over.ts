import { answerFinding } from "../../exchanges/answer-finding.ts";
import { answeredWith, isRead, isStoring } from "../../exchanges/sent.ts";
import { actionBefore, answersBefore } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { leavesOf } from "../../values/json-leaves.ts";
import { bareOf, isTracker, quoted, requestOf } from "../../words.ts";
import { isBeside } from "../beside.ts";
import { isRefusedBy } from "../requests/refused.ts";

const MOST = 40;
const SHORTEST = 3;

/** The write of the last action was answered with the very value that the test wants, nothing was read since, and the page goes on to show another one. */
export function detectNotTakenOver(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const [want, got] = [failed.expected, failed.received].map((text) => bareOf(text ?? ""));
  const action = actionBefore(run.facts, failed);
  if (!action || failed.received === null || want!.length < SHORTEST || want === got) return [];
  const since = answersBefore(
    evidence,
    MOST,
    (one) => one.ts >= action.ts && one.type !== "api" && !isBeside(one) && !isTracker(one.url),
  );
  const write = since.findLast((one) => isStoring(one, run) && !isRefusedBy(one, run));
  const isReadSince =
    write && since.some((one) => one.ts > write.ts && (isRead(one, run) || one.type === "document"));
  const leaf =
    write && !isReadSince
      ? leavesOf(answeredWith(write, run)).find(({ value }) => value === want)
      : undefined;
  // A page that was recorded before the answer came may have shown it since.
  if (!write || !leaf || !run.page || run.page.shot.ts < (write.end ?? write.ts)) return [];
  return [
    answerFinding(
      evidence,
      write,
      `${requestOf(write, run.facts)} answered with ${quoted(want!, 60)} for ${quoted(leaf.path, 60)}, and nothing was asked for since: the page was not updated by that answer and still shows ${quoted(got!, 60)}`,
      0.82,
    ),
  ];
}
