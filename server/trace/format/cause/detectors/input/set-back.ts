import { textOf } from "../../alone/requests/unsaid.ts";
import { otherSent } from "../../exchanges/other-sent.ts";
import { CHANGING } from "../../exchanges/sent.ts";
import { TYPES } from "../../page/acts.ts";
import type { Exchange, RunFacts, Step } from "../../run/run-facts.ts";
import { answersBefore, lastOf } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { jsonOf, leavesOf } from "../../values/json-leaves.ts";
import { bodyOf, isForeign, quoted, quotedStep, requestOf } from "../../words.ts";

const MOST_STEPS = 20;
const MOST_ANSWERS = 40;
const SHORTEST = 3;

/** A field that was set back to what an answer says while it was typed into: it holds that, and only the end of what was typed. */
export function detectSetBack(evidence: Evidence): Finding[] {
  const { run, passes, failed } = evidence;
  if (passes.length === 0) return [];
  const writes = answersBefore(
    evidence,
    MOST_ANSWERS,
    ({ method, url, type }) => CHANGING.has(method) && type !== "api" && !isForeign(url, run.facts),
  );
  for (const one of writes) {
    const other = otherSent(evidence, one);
    const typed = typedBefore(run.facts, one).find((step) => textOf(step) === other?.before);
    const found = other && typed && setBackBy(evidence, typed, String(other.now));
    if (!found) continue;
    return [
      {
        kind: "page_changed",
        title: `The field of ${quotedStep(typed)} was set back to ${quoted(found.value, 60)} while it was typed into, when ${requestOf(found.by, run.facts)} was answered with that; ${requestOf(one, run.facts)} was sent ${other.words}`,
        detail: null,
        step_id: typed.step_id,
        events: [
          typed.seq,
          found.by.seq,
          one.requestSeq ?? one.seq,
          ...(failed.step ? [failed.step.seq] : []),
        ],
        ts: failed.to,
        is_new: true,
        weight: 0.96,
        about: `set back ${typed.seq}`,
      },
    ];
  }
  return [];
}

const typedBefore = ({ steps }: RunFacts, { ts }: Exchange): Step[] =>
  lastOf(steps, MOST_STEPS, (step) => TYPES.test(step.name) && !step.isFailed && step.ts < ts);

/** The answer that came while a text was typed, and the value of it that stands before the end of that text. */
function setBackBy(evidence: Evidence, typed: Step, sent: string): { by: Exchange; value: string } | null {
  const { run } = evidence;
  const text = textOf(typed) ?? "";
  const isMeanwhile = ({ end }: Exchange) => end !== null && end >= typed.ts && end <= typed.end;
  for (const by of answersBefore(evidence, MOST_ANSWERS, (one) => one.method === "GET" && isMeanwhile(one)))
    for (const { value } of leavesOf(jsonOf(bodyOf(by, run.bodies) ?? ""))) {
      if (typeof value !== "string" || value.length < SHORTEST || !sent.startsWith(value)) continue;
      const rest = sent.slice(value.length);
      if (rest.length < text.length && text.endsWith(rest) && !text.startsWith(value)) return { by, value };
    }
  return null;
}
