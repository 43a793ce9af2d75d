import { isRead } from "../../exchanges/sent.ts";
import { isFill } from "../../page/field-values.ts";
import { targetOf } from "../../page/target.ts";
import { GESTURES_AND_OPENINGS } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { bareOf, isForeign, quotedStep } from "../../words.ts";
import { isBeside } from "../beside.ts";
import { FINDS } from "../requests/search.ts";

const SHORTEST = 2;

/** A text that the test typed last and then looks for elsewhere, without a key or a button that would send it, where nothing was sent. */
export function detectTypedUnsent(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const { steps, exchanges } = run.facts;
  const last = steps.findLast(
    ({ kind, name, ts }) => kind === "agent.action" && GESTURES_AND_OPENINGS.test(name) && ts < failed.from,
  );
  if (failed.step?.kind !== "assertion" || !last || !isFill(last) || FINDS.test(last.title)) return [];
  const text = String(last.params.value);
  const want = bareOf(failed.expected ?? "");
  const target = targetOf(evidence);
  // What a field shows of what it was given needs no sending.
  if (text.length < SHORTEST || !want.includes(text) || target === "" || last.title.includes(target))
    return [];
  if (failed.received === null || failed.received.includes(text)) return [];
  const isSent = exchanges.some(
    (one) =>
      one.ts >= last.ts &&
      one.ts <= failed.to &&
      !isBeside(one) &&
      !isForeign(one.url, run.facts) &&
      (!isRead(one, run) || one.url.includes(encodeURIComponent(text))),
  );
  if (isSent) return [];
  return [
    {
      kind: "test_code",
      title: `The test pressed no key and no button after ${quotedStep(last)}, and nothing was sent: what it typed was never entered, and the test looks for it in ${target}`,
      detail: null,
      step_id: last.step_id,
      events: [last.seq, failed.step.seq],
      ts: failed.from,
      is_new: null,
      weight: 0.86,
    },
  ];
}
