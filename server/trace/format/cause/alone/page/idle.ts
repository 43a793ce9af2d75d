import { wrongOf } from "../../detectors/elements/wrong.ts";
import { isAskedBy, isSame, isSameButFigures, PICKS, PRESSES } from "../../detectors/page/idle.ts";
import { foundBy, knownActs, ownAddressOf } from "../../page/acts.ts";
import type { SeenElement } from "../../page/page-view.ts";
import { aroundOf, insideOf } from "../../page/within.ts";
import { isMissing } from "../../run/missing-element.ts";
import type { Moment, Step } from "../../run/run-facts.ts";
import { actionBefore } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { quoted, quotedStep } from "../../words.ts";

/** An action after which the page stood as before and asked for nothing, where the next step looked for something in vain. */
export function detectNothingDone(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const action = actionBefore(run.facts, failed);
  const isAwaited = isInVain(evidence);
  if (!action || !run.page || !run.before || !(isAwaited || wrongOf(evidence) !== null)) return [];
  // What picks or ticks shows itself alone.
  if (!PRESSES.test(action.name) || PICKS.test(action.name)) return [];
  const hindrance = hindered(evidence, action);
  // What cannot have done anything did not make a figure another one.
  const isStill = hindrance === "" ? isSame : isSameButFigures;
  if (run.page.shot.ts < action.end || !isStill(run.before.elements, run.page.elements)) return [];
  if (String(markedIn(run.before.elements)) !== String(markedIn(run.page.elements))) return [];
  const from = Math.max(action.ts, run.before.shot.ts);
  const isSince = ({ ts }: Moment) => ts >= from && ts <= failed.to;
  const hasAsked = run.facts.exchanges.some((one) => isSince(one) && isAskedBy(action, one, run.facts));
  // A dialog, a popup or a download is something; so is a line of the console, unless nothing came at all.
  if (hasAsked || run.facts.happenings.some(isSince)) return [];
  // What it threw over says why.
  if (hindrance === "" && run.facts.lines.some((line) => line.source === "page" && isSince(line))) return [];
  if (!isAwaited && run.facts.lines.some(isSince)) return [];
  return [
    {
      kind: "page_changed",
      title: `${quotedStep(action)} seems to have done nothing: the page stayed as it was and sent no request${hindrance}`,
      detail: null,
      step_id: action.step_id,
      events: [action.seq, run.page.shot.seq],
      ts: action.end,
      is_new: null,
      // What is there and says something else may do so for many reasons.
      weight: hindrance !== "" ? 0.88 : isAwaited ? 0.74 : 0.5,
      about: `idle ${action.title}`,
    },
  ];
}

/** Whether the step waited for what an action brings about: that something comes or goes. */
const isInVain = (evidence: Evidence): boolean =>
  isMissing(evidence) || (evidence.failed.expected === "hidden" && evidence.failed.received === "visible");

/** What in the markup of what was acted on keeps a browser from doing what such an action asks it for. */
function hindered(evidence: Evidence, { seq, name }: Step): string {
  const act = knownActs(evidence).find(({ step }) => step.seq === seq);
  const element = act && foundBy(act);
  if (!element) return "";
  const address = ownAddressOf(act);
  if (address !== null) return `; the link leads to ${quoted(address, 80)}, the very page that it is on`;
  const { elements } = act.met;
  const around = aroundOf(elements, element);
  if (/drag/i.test(name))
    return [element, ...around].some(isDraggable)
      ? ""
      : '; what it took hold of has no draggable="true", without which a browser drags nothing by itself';
  const words = withoutSubmitter(element, elements);
  return words === null ? "" : `; ${words}`;
}

/** What keeps a button from sending the form that it stands in, as a clause; null where nothing does. */
export function withoutSubmitter(element: SeenElement, elements: readonly SeenElement[]): string | null {
  const form = aroundOf(elements, element).find(({ tag }) => tag === "form");
  return form && isPlainButton(element) && !insideOf(elements, form).some(isSubmitter)
    ? `the button is of type “${element.attributes.type}”, which submits no form, and its form has no other`
    : null;
}

const isDraggable = ({ tag, attributes }: SeenElement): boolean =>
  attributes.draggable === "true" ||
  (attributes.draggable === undefined && (tag === "img" || (tag === "a" && attributes.href !== undefined)));

const isPlainButton = ({ tag, attributes: { type } }: SeenElement): boolean =>
  /^(?:button|input)$/.test(tag) && /^(?:button|reset)$/i.test(type ?? "");

const isSubmitter = ({ tag, attributes: { type } }: SeenElement): boolean =>
  tag === "button"
    ? !/^(?:button|reset)$/i.test(type ?? "")
    : tag === "input" && /^(?:submit|image)$/i.test(type ?? "");

/** What is marked as picked, open or pressed: that an action marked something is all that some are for. */
const markedIn = (elements: readonly SeenElement[]): string[] =>
  elements.flatMap(({ tag, name, attributes }) => {
    const states = Object.entries(attributes).filter(([key, value]) => STATES.test(key) && value !== "false");
    const marks = (attributes.class ?? "").split(/\s+/).filter((one) => MARKS.test(one));
    return states.length + marks.length === 0 ? [] : [`${tag} ${name} ${states} ${marks}`];
  });

const STATES = /^(?:aria-(?:selected|checked|expanded|pressed|current)|checked|value)$/;
const MARKS =
  /(?:^|[_-])(?:selected|active|current|checked|open|opened|expanded|pressed|highlighted)(?:$|[_-])/i;
