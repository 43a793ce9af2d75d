import { askedIn, isAskedAlike, isRead, requestText } from "../../exchanges/sent.ts";
import { thingsOf } from "../../exchanges/things.ts";
import { actionBefore, answersBefore } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { jsonOf, leavesOf } from "../../values/json-leaves.ts";
import { aboutUrl, bodyOf, quoted, quotedStep, requestOf } from "../../words.ts";

const MOST = 40;
/** What an answer calls the place where the next part of its list begins. */
const CURSOR = /(?:^|\.)(?:end_?cursor|next_?cursor|cursor|next_?page_?token|next_?token|continuation\w*)$/i;

/** The test went on in a list, and the page asked the very same question again: without the cursor that the answer before had handed out. */
export function detectWithoutCursor(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const action = actionBefore(run.facts, failed, /(?:^|\.)(?:click|tap|press)$/i);
  if (!action) return [];
  const reads = answersBefore(evidence, MOST, (one) => isRead(one, run));
  for (const one of reads.filter(({ ts }) => ts >= action.ts).toReversed()) {
    const before = reads.findLast((other) => other.ts < action.ts && isAskedAlike(other, one));
    if (!before || one.url !== before.url || askedIn(one, run) !== askedIn(before, run)) continue;
    const cursor = leavesOf(jsonOf(bodyOf(before, run.bodies) ?? "")).find(
      ({ path, value }) => CURSOR.test(path) && typeof value === "string" && value !== "",
    );
    const isSent = cursor && `${one.url} ${requestText(one, run.bodies)}`.includes(String(cursor.value));
    const isWritten = run.facts.exchanges.some(
      (other) => other.ts >= action.ts && other.ts < one.ts && other.method !== "GET" && !isRead(other, run),
    );
    if (!cursor || isSent || isWritten || thingsOf(before, run.bodies).length === 0) continue;
    return [
      {
        kind: "page_changed",
        title: `After ${quotedStep(action)} ${requestOf(one, run.facts)} was sent as before, without the cursor ${quoted(String(cursor.value), 40)} that the answer before had for ${quoted(cursor.path, 60)}: it brought the same part again`,
        detail: null,
        step_id: action.step_id,
        events: [action.seq, one.requestSeq ?? one.seq, before.seq],
        ts: one.ts,
        is_new: null,
        weight: 0.9,
        about: aboutUrl(one.url, run.facts, one.operation),
      },
    ];
  }
  return [];
}
