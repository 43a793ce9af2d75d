import { CHANGING, requestText } from "../../exchanges/sent.ts";
import type { Exchange } from "../../run/run-facts.ts";
import { answersBefore, GESTURES } from "../../run/select.ts";
import type { Evidence, Finding, RunEvidence } from "../../types.ts";
import { headerOf, requestOf } from "../../words.ts";

const MOST = 60;

/** A write that was sent with the `Idempotency-Key` of an earlier one that had been done: servers answer it with the earlier result, or refuse it (RFC draft of the HTTPAPI group, 2.6). */
export function detectSameKey(evidence: Evidence): Finding[] {
  const { run, passes } = evidence;
  const found = reusedIn(answersBefore(evidence, MOST, isKeyed), run);
  if (!found || passes.some((pass) => reusedIn(pass.facts.exchanges.filter(isKeyed), pass))) return [];
  const { one, first } = found;
  return [
    {
      kind: "page_changed",
      title: `${requestOf(one, run.facts)} was sent with the same Idempotency-Key as ${requestOf(first, run.facts)} before it, which had been done: the server answers with what came of that`,
      detail: null,
      step_id: one.step_id,
      events: [one.seq, first.seq],
      ts: one.end ?? one.ts,
      is_new: passes.length === 0 ? null : true,
      weight: 0.98,
      about: `body ${one.seq}`,
    },
  ];
}

const isKeyed = (one: Exchange): boolean => CHANGING.has(one.method) && keyOf(one) !== null;

const keyOf = ({ requestHeaders }: Exchange): string | null => headerOf(requestHeaders, "idempotency-key");

function reusedIn(writes: readonly Exchange[], run: RunEvidence): { one: Exchange; first: Exchange } | null {
  const byKey = new Map<string, Exchange>();
  for (const one of writes) {
    const first = byKey.get(keyOf(one)!);
    if (!first) byKey.set(keyOf(one)!, one);
    else if (isAnother(first, one, run)) return { one, first };
  }
  return null;
}

/** Whether a write is another one, and no second try: it has another content, or somebody pressed something after the first was done. */
function isAnother(first: Exchange, one: Exchange, { bodies, facts }: RunEvidence): boolean {
  if (requestText(first, bodies) !== requestText(one, bodies)) return true;
  return (
    first.end !== null &&
    first.status !== null &&
    first.status < 400 &&
    facts.steps.some(
      ({ kind, name, ts }) =>
        kind === "agent.action" && GESTURES.test(name) && ts > first.end! && ts <= one.ts,
    )
  );
}
