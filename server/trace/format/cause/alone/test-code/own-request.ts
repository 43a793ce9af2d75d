import type { Evidence, Finding } from "../../types.ts";
import { bareOf, bodyOf, quoted, requestOf } from "../../words.ts";

/** A test compares the status right after the answer. */
const WITHIN_MS = 2_000;
const STATUS = /^[1-5]\d\d$/;
/** From here on an answer is told as a failed one. */
const REFUSED = 400;

/** A status of success of a request that the test itself sent, where it expects another one. */
export function detectOwnRequest({ run, failed }: Evidence): Finding[] {
  const [want, got] = [failed.expected, failed.received].map((text) => bareOf(text ?? ""));
  if (!STATUS.test(want!) || !STATUS.test(got!) || Number(got) >= REFUSED) return [];
  if (!/expect\(received\)/.test(failed.message)) return [];
  const one = run.facts.exchanges.findLast(
    ({ type, end }) => type === "api" && end !== null && end <= failed.from,
  );
  if (!one || String(one.status) !== got || failed.from - one.end! > WITHIN_MS) return [];
  const body = bodyOf(one, run.bodies)?.trim() ?? "";
  return [
    {
      kind: "answer_changed",
      title: `${requestOf(one, run.facts)}, which the test itself sent, was answered with ${got}, where the test expects ${want}${body === "" ? "" : `; it answered ${quoted(body, 80)}`}`,
      detail: null,
      step_id: one.step_id,
      events: [one.seq],
      ts: failed.from,
      is_new: null,
      weight: 0.92,
    },
  ];
}
