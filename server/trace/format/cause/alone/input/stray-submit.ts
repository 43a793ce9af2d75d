import { foundBy, knownActs } from "../../page/acts.ts";
import { insideOf } from "../../page/within.ts";
import { isMissing } from "../../run/missing-element.ts";
import type { Exchange } from "../../run/run-facts.ts";
import { actionBefore } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { addressOf, pathOf, quoted, quotedStep, requestOf } from "../../words.ts";
import { isOwnWrite } from "../requests/empty-write.ts";
import { formOf, isSubmit } from "./forms.ts";

/** What buttons are called that send a form; a form may have several of them. */
const SENDS =
  /\b(?:save|send|submit|sign|log|search|find|filter|apply|confirm|pay|order|book|reserve|create|update|register|continue|next|finish|done|ok|buy|checkout|post|publish|go)\b/i;

/** A button without a type, which sends the form that it stands in beside one that is there for that: a press of it wrote something and left what the test goes on with. */
export function detectStraySubmit(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const action = actionBefore(run.facts, failed);
  const act = action && knownActs(evidence).findLast(({ step }) => step.seq === action.seq);
  const button = act && foundBy(act);
  if (!action || !act || !button || !isMissing(evidence)) return [];
  const form = formOf(act.met.elements, button);
  const isUntyped = button.tag === "button" && (button.attributes.type ?? "") === "";
  if (!form || !isUntyped || button.name === "" || SENDS.test(button.name)) return [];
  const meant = insideOf(act.met.elements, form).find(
    (one) => one !== button && isSubmit(one) && one.attributes.type !== undefined,
  );
  const isSent = (one: Exchange) => isOwnWrite(one, run) && one.ts >= action.ts && one.ts <= failed.to;
  const write = meant && run.facts.exchanges.find(isSent);
  const here = run.page?.shot.url;
  if (!meant || !write || !here || pathOf(here) === pathOf(act.met.shot.url)) return [];
  return [
    {
      kind: "page_changed",
      title: `${quotedStep(action)} sent the form: ${requestOf(write, run.facts)} followed, and the page went to ${addressOf(here, run.facts)}; the button has no type="button", without which it submits its form as ${quoted(meant.name || meant.attributes.value || meant.tag, 60)} does`,
      detail: null,
      step_id: action.step_id,
      events: [action.seq, write.seq, act.met.shot.seq],
      ts: action.end,
      is_new: null,
      weight: 0.93,
      about: `acted ${action.seq}`,
    },
  ];
}
