import { pickedBy } from "../../page/field-values.ts";
import { fieldOf, givenBefore } from "../../page/filled.ts";
import type { SeenElement } from "../../page/page-view.ts";
import { exchangeKey, exchangesOf } from "../../run/keys.ts";
import type { Exchange, RunFacts, Step } from "../../run/run-facts.ts";
import { counterpart } from "../../run/select.ts";
import type { Act, Evidence } from "../../types.ts";
import { quotedStep, requestOf } from "../../words.ts";
import { changedScript } from "../answers/release.ts";
import { isAsked } from "../page/idle.ts";

const TICKS = /(?:^|\.)(?:check|setChecked)$/;

/** That a step had ticked or picked something in a field which has nothing when its form is sent, and what the page asked for since, as a clause. */
export function lostChoice(
  evidence: Evidence,
  act: Act,
  field: SeenElement,
): { words: string; events: number[] } | null {
  const { elements } = act.met;
  const step = givenBefore(evidence.run.facts, act.step).find((one) => {
    const given = TICKS.test(one.name) || pickedBy(one).length > 0 ? fieldOf(one, elements) : null;
    return given !== null && isOfGroup(given, field);
  });
  if (!step) return null;
  const asked = askedSince(evidence, step, act.step);
  const script = evidence.passes.length > 0 ? changedScript(evidence) : null;
  return {
    words: `: what ${quotedStep(step)} had picked there was lost${asked ? `; the page asked for ${requestOf(asked, evidence.run.facts)} again after it${evidence.passes.length > 0 ? ", as in no pass" : ""}, and may have drawn its options anew` : ""}${script ? `; ${script.words}` : ""}`,
    events: [step.seq, ...(asked ? [asked.requestSeq ?? asked.seq] : []), ...(script ? [script.seq] : [])],
  };
}

/** Whether two fields are one, or options of which one alone is picked. */
const isOfGroup = (one: SeenElement, other: SeenElement): boolean =>
  one === other ||
  (one.attributes.type === "radio" &&
    other.attributes.type === "radio" &&
    one.attributes.name !== undefined &&
    one.attributes.name === other.attributes.name);

/** What the page read a second time between two steps, and in no pass there. */
function askedSince({ run, passes }: Evidence, step: Step, until: Step): Exchange | undefined {
  const { facts } = run;
  return readsBetween(facts, step, until).find((one) => {
    const key = exchangeKey(one, facts);
    const isAgain = exchangesOf(facts, key).some(({ url, ts }) => url === one.url && ts < step.ts);
    const isUsual = passes.some((pass) => {
      const [from, to] = [step, until].map((each) => counterpart(facts, each, pass.facts));
      return (
        !from ||
        !to ||
        readsBetween(pass.facts, from, to).some((other) => exchangeKey(other, pass.facts) === key)
      );
    });
    return isAgain && !isUsual;
  });
}

const readsBetween = (facts: RunFacts, { ts: from }: Step, { end: to }: Step): Exchange[] =>
  facts.exchanges.filter(
    (one) => one.method === "GET" && one.ts >= from && one.ts <= to && isAsked(one, facts),
  );
