import { isMissing } from "../../detectors/elements/element.ts";
import { isAsked, isSame, PICKS, PRESSES } from "../../detectors/page/idle.ts";
import type { SeenElement } from "../../page-view.ts";
import type { Moment } from "../../run-facts.ts";
import { actionBefore } from "../../select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { quoted } from "../../words.ts";

/** An action after which the page stood as before and asked for nothing, where the next step looked for something in vain. */
export function detectNothingDone(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const action = actionBefore(run.facts, failed);
  if (!action || !run.page || !run.before || !isInVain(evidence)) return [];
  // What picks or ticks shows itself alone.
  if (!PRESSES.test(action.name) || PICKS.test(action.name)) return [];
  if (run.page.shot.ts < action.end || !isSame(run.before.elements, run.page.elements)) return [];
  if (String(markedIn(run.before.elements)) !== String(markedIn(run.page.elements))) return [];
  const from = Math.max(action.ts, run.before.shot.ts);
  const isSince = ({ ts }: Moment) => ts >= from && ts <= failed.to;
  const hasAsked = run.facts.exchanges.some((one) => isSince(one) && isAsked(one, run.facts));
  // A dialog, a popup or a download is something.
  if (hasAsked || run.facts.happenings.some(isSince)) return [];
  return [
    {
      kind: "page_changed",
      title: `${quoted(action.title, 120)} seems to have done nothing: the page stayed as it was and asked for nothing`,
      detail: null,
      step_id: action.step_id,
      events: [action.seq, run.page.shot.seq],
      ts: action.end,
      is_new: null,
      weight: 0.74,
      about: `idle ${action.title}`,
    },
  ];
}

/** Whether the step waited for what an action brings about: that something comes or goes. */
const isInVain = (evidence: Evidence): boolean =>
  isMissing(evidence) || (evidence.failed.expected === "hidden" && evidence.failed.received === "visible");

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
