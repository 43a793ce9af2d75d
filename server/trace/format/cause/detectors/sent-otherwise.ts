import { answersBefore } from "../select.ts";
import { DAY, otherSent } from "../sent.ts";
import type { Evidence, Finding } from "../types.ts";
import { isForeign, requestOf } from "../words.ts";

const MOST = 20;
const CHANGES = /^(?:POST|PUT|PATCH|DELETE)$/;

/** What the page sent to be kept otherwise than in every pass, though the answer went well: what is shown later is what was sent. */
export function detectSentOtherwise(evidence: Evidence): Finding[] {
  const { run, passes, failed } = evidence;
  if (passes.length === 0) return [];
  const isWrite = ({ method, url }: { method: string; url: string }) =>
    CHANGES.test(method) && !isForeign(url, run.facts);
  const wanted = `${failed.title} ${failed.message} ${failed.expected ?? ""} ${failed.received ?? ""}`;
  return answersBefore(evidence, MOST, isWrite).flatMap((one): Finding[] => {
    const other = otherSent(evidence, one);
    // What a query or a header says is of the transport: sessions, versions, moments.
    if (!other?.path.startsWith("the field")) return [];
    const isSought = [other.before, other.now].some(
      (value) => typeof value === "string" && value.length > 2 && wanted.includes(value),
    );
    // The run may be of another day than its passes.
    if (!isSought && DAY.test(String(other.before))) return [];
    return [
      {
        kind: "page_changed",
        title: `${requestOf(one, run.facts)} was sent ${other.words}${other.now === undefined ? ", which the last pass sent" : ""}`,
        detail: null,
        step_id: one.step_id,
        events: [one.requestSeq ?? one.seq],
        ts: one.ts,
        is_new: true,
        weight: isSought ? 0.94 : 0.5,
        about: `body ${one.seq}`,
      },
    ];
  });
}
