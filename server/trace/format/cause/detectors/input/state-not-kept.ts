import { isBeside } from "../../alone/beside.ts";
import { isWrite } from "../../exchanges/sent.ts";
import { pickedBy } from "../../page/field-values.ts";
import { OPENS } from "../../page/filled.ts";
import { targetOf } from "../../page/target.ts";
import { lastPartOf, wantedBy } from "../../page/wanted.ts";
import type { RunFacts, Step } from "../../run/run-facts.ts";
import { counterpart, GESTURES } from "../../run/select.ts";
import type { Evidence, Failed, Finding } from "../../types.ts";
import { bareOf, quoted, quotedStep } from "../../words.ts";
import { changedScript } from "../answers/release.ts";

/** What differs in an answer tells more; that a script changed tells less. */
const WEIGHT = 0.5;
/** What pages keep of a person's choice beside the values of fields. */
const STATES = /toHave(?:Attribute|Class|CSS)|toContainClass/;

/** A state that a person chose and that the document opened afterwards has no more, as it has in every pass: kept nowhere, or looked for elsewhere. */
export function detectStateNotKept(evidence: Evidence): Finding[] {
  const { run, passes, failed } = evidence;
  const { facts } = run;
  const [want, got] = [failed.expected, failed.received].map((text) => bareOf(text ?? ""));
  if (passes.length === 0 || !want || !got || want === got || !STATES.test(failed.title)) return [];
  const opened = openedBefore(facts, failed);
  const chosen = opened && chosenBefore(facts, opened, want, targetOf(evidence));
  if (!opened || !chosen) return [];
  const isUsual = passes.every((pass) => {
    const same = counterpart(facts, chosen, pass.facts);
    return same !== null && !same.isFailed;
  });
  if (!isUsual) return [];
  const isSent = facts.exchanges.some(
    (one) => one.ts >= chosen.ts && one.ts <= opened.ts && isWrite(one, run) && !isBeside(one),
  );
  const script = changedScript(evidence);
  return [
    {
      kind: "page_changed",
      title: `${quotedStep(opened)} lost ${quoted(want, 40)} of ${targetOf(evidence)}: ${quotedStep(chosen)} had chosen it, and the page that came then has ${quoted(got, 40)}, where it was kept in the last pass${isSent ? "" : ", in the browser's storage or a cookie, since nothing is sent of it"}${script === null ? "" : `; ${script.words}`}`,
      detail: null,
      step_id: opened.step_id,
      events: [chosen.seq, opened.seq, ...(script === null ? [] : [script.seq])],
      ts: failed.to,
      is_new: true,
      weight: WEIGHT,
      about: `lost ${opened.seq}`,
    },
  ];
}

/** The last step before the failure by which another document came: it was opened anew, or a link led there. */
export function openedBefore({ steps, exchanges }: RunFacts, { from }: Failed): Step | undefined {
  const documents = exchanges.filter(({ type }) => type === "document");
  return steps.findLast(
    ({ kind, name, isFailed, ts, end }) =>
      kind === "agent.action" &&
      !isFailed &&
      end <= from + 5 &&
      (OPENS.test(name) || (GESTURES.test(name) && documents.some((one) => one.ts >= ts && one.ts <= end))),
  );
}

/** The last action before that chose the wanted state: by its value, or by what it or the failed step is called. */
function chosenBefore({ steps }: RunFacts, opened: Step, want: string, target: string): Step | undefined {
  const names = [want, wantedBy(lastPartOf(target)).name].flatMap((name) => name?.toLowerCase() || []);
  return steps.findLast(
    (step) =>
      step.kind === "agent.action" &&
      !step.isFailed &&
      step.end <= opened.ts + 5 &&
      step.seq !== opened.seq &&
      step.page === opened.page &&
      GESTURES.test(step.name) &&
      names.some((name) => step.title.toLowerCase().includes(name) || pickedBy(step).includes(name)),
  );
}
