import { isBeside } from "../../alone/beside.ts";
import { isWrite, requestBodyOf } from "../../exchanges/sent.ts";
import { writtenIn } from "../../page/field-values.ts";
import { fillsBefore } from "../../page/filled.ts";
import type { Exchange, Step } from "../../run/run-facts.ts";
import { actionBefore, counterpart } from "../../run/select.ts";
import type { Evidence, Finding, RunEvidence } from "../../types.ts";
import { bareOf, isForeign, quoted, quotedStep } from "../../words.ts";
import { changedScript } from "../answers/release.ts";
import { PRESSES } from "../page/idle.ts";

/** Shorter ones stand in many texts by chance. */
const SHORTEST = 4;

/** A text that was typed into a field that is gone, without being sent, and that the page shows all the same: it changed the very thing that the page shows. */
export function detectKeptTyped(evidence: Evidence): Finding[] {
  const { run, passes, failed } = evidence;
  const last = actionBefore(run.facts, failed);
  const [want, got] = [failed.expected, failed.received].map((text) => bareOf(text ?? ""));
  if (passes.length === 0 || !last || !want || !got || !PRESSES.test(last.name)) return [];
  const typed = fillsBefore(run.facts, last).find((fill) => {
    const value = typedBy(fill);
    return value.length >= SHORTEST && got.includes(value) && !want.includes(value);
  });
  if (!typed || !isGivenUp(typed, run) || !passes.every((pass) => isForgotten(typed, run, pass))) return [];
  const script = changedScript(evidence);
  return [
    {
      kind: "page_changed",
      title: `The page shows ${quoted(typedBy(typed), 60)}, which was only typed (${quotedStep(typed)}): nothing was sent of it, and after ${quotedStep(last)} the last pass shows ${quoted(want, 60)} as before${script === null ? "" : `; ${script.words}`}`,
      detail: null,
      step_id: last.step_id,
      events: [typed.seq, last.seq, ...(failed.step ? [failed.step.seq] : [])],
      ts: failed.to,
      is_new: true,
      weight: 0.9,
      about: `typed ${typed.seq}`,
    },
  ];
}

const typedBy = ({ params }: Step): string => String(params.value ?? "");

/** Whether a pass typed the same, gave it up and shows nothing of it. */
function isForgotten(typed: Step, run: RunEvidence, pass: RunEvidence): boolean {
  const same = counterpart(run.facts, typed, pass.facts);
  return (
    same !== null &&
    pass.page !== null &&
    isGivenUp(same, pass) &&
    pass.page.elements.every(({ text }) => !text.includes(typedBy(same)))
  );
}

/** Whether what was typed was sent nowhere, neither to be kept nor to be looked for, and stands in no field any more. */
function isGivenUp(typed: Step, run: RunEvidence): boolean {
  const { exchanges } = run.facts;
  const isSent = exchanges.some(
    (one) =>
      one.ts >= typed.ts &&
      !isBeside(one) &&
      !isForeign(one.url, run.facts) &&
      (isWrite(one, run) || isAskedWith(typedBy(typed), one, run)),
  );
  return !isSent && (run.page?.elements ?? []).every((field) => writtenIn(field) !== typedBy(typed));
}

const isAskedWith = (text: string, one: Exchange, run: RunEvidence): boolean =>
  [...(URL.parse(one.url)?.searchParams.values() ?? [])].includes(text) ||
  (JSON.stringify(requestBodyOf(one, run)) ?? "").includes(text);
