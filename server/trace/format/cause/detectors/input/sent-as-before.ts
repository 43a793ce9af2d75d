import { textOf } from "../../alone/requests/unsaid.ts";
import { answeredWith, isStoring, requestBodyOf } from "../../exchanges/sent.ts";
import { knownActs } from "../../page/acts.ts";
import { writtenIn } from "../../page/field-values.ts";
import { enteredBefore } from "../../page/filled.ts";
import { ofSameTurn } from "../../run/keys.ts";
import type { Exchange, Step } from "../../run/run-facts.ts";
import { answersBefore, counterpart } from "../../run/select.ts";
import type { Evidence, Finding, RunEvidence } from "../../types.ts";
import { type Leaf, leavesOf } from "../../values/json-leaves.ts";
import { isForeign, quoted, quotedStep, requestOf } from "../../words.ts";

const SHORTEST = 3;
const MOST_ANSWERS = 40;

/** A write that was sent with the value of before where every pass sends what the test typed, though the field held that when the action came. */
export function detectSentAsBefore(evidence: Evidence): Finding[] {
  const { run, passes } = evidence;
  const act = knownActs(evidence).at(-1);
  if (!act || passes.length === 0) return [];
  const held = new Set(act.met.elements.map(writtenIn));
  const typed = enteredBefore(run.facts, act.step).filter((step) => held.has(textOf(step)));
  const write = answersBefore(
    evidence,
    MOST_ANSWERS,
    (one) => one.ts >= act.step.ts && isStoring(one, run) && !isForeign(one.url, run.facts),
  )[0];
  if (!write) return [];
  const sent = leavesOf(requestBodyOf(write, run));
  return typed.flatMap((step): Finding[] => {
    const text = textOf(step) ?? "";
    if (text.length < SHORTEST || sent.some(({ value }) => String(value).includes(text))) return [];
    const path = usualPath(evidence, write, step);
    const old = sent.find((leaf) => leaf.path === path);
    if (!old || !isKnown(evidence, write, old)) return [];
    return [
      {
        kind: "page_changed",
        title: `${requestOf(write, run.facts)} was sent with the old value ${quoted(String(old.value), 60)} for ${quoted(old.path, 60)}, though ${quotedStep(step)} had given it another one, which every pass sends`,
        detail: null,
        step_id: act.step.step_id,
        events: [step.seq, write.requestSeq ?? write.seq],
        ts: write.ts,
        is_new: true,
        weight: 0.95,
        about: `sent ${write.seq}`,
      },
    ];
  });
}

/** Under which name every pass sends what the same step typed there; undefined where one does not, or they differ. */
function usualPath({ run, passes }: Evidence, write: Exchange, step: Step): string | undefined {
  const paths = passes.map((pass) => {
    const [same, typed] = [
      ofSameTurn(write, run.facts, pass.facts),
      counterpart(run.facts, step, pass.facts),
    ];
    const text = typed && textOf(typed);
    return text && same ? pathOfValue(pass, same, text) : undefined;
  });
  return new Set(paths).size === 1 ? paths[0] : undefined;
}

const pathOfValue = (run: RunEvidence, one: Exchange, text: string): string | undefined =>
  leavesOf(requestBodyOf(one, run)).find(({ value }) => value === text)?.path;

/** Whether an answer had said such a value by that name before it was sent. */
function isKnown(evidence: Evidence, write: Exchange, { path, value }: Leaf): boolean {
  const name = nameOf(path);
  return answersBefore(evidence, MOST_ANSWERS, ({ ts, method }) => method === "GET" && ts < write.ts).some(
    (read) =>
      leavesOf(answeredWith(read, evidence.run)).some(
        (leaf) => leaf.value === value && nameOf(leaf.path) === name,
      ),
  );
}

const nameOf = (path: string): string => path.split(".").at(-1)!;
