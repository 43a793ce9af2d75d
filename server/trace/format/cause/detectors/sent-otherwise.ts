import { isDateIn } from "../dates.ts";
import { answersBefore } from "../select.ts";
import { type OtherSent, otherSent } from "../sent.ts";
import type { Evidence, Failed, Finding } from "../types.ts";
import { isForeign, requestOf } from "../words.ts";

const MOST = 20;
const CHANGES = /^(?:POST|PUT|PATCH|DELETE)$/;

/** What the page sent to be kept otherwise than in every pass, though the answer went well: what is shown later is what was sent. */
export function detectSentOtherwise(evidence: Evidence): Finding[] {
  const { run, passes, failed } = evidence;
  if (passes.length === 0) return [];
  const isWrite = ({ method, url }: { method: string; url: string }) =>
    CHANGES.test(method) && !isForeign(url, run.facts);
  return answersBefore(evidence, MOST, isWrite).flatMap((one): Finding[] => {
    const other = otherSent(evidence, one);
    // What a query or a header says is of the transport: sessions, versions, moments.
    if (!other?.path.startsWith("the field")) return [];
    const isSought = isShown(other, failed);
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

/** Whether the failed step speaks of what was sent, or of what should have been. */
function isShown({ before, now }: OtherSent, { title, message, expected, received }: Failed): boolean {
  const [want, got] = [expected ?? "", received ?? ""];
  const words = `${title} ${message} ${want} ${got}`;
  return (
    [before, now].some((value) => typeof value === "string" && value.length > 2 && words.includes(value)) ||
    (isIn(before, want) && isIn(now, got) && !isIn(now, want))
  );
}

/** Whether a text says a date or a number. */
function isIn(value: unknown, text: string): boolean {
  if (typeof value === "number") return new RegExp(`(?<![\\d.,])${value}(?![\\d]|[.,]\\d)`).test(text);
  return typeof value === "string" && isDateIn(value, text);
}
