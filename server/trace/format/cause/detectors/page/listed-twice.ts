import { oneLine } from "../../../error-text.ts";
import { TYPES } from "../../alone/requests/search.ts";
import { textOf } from "../../alone/requests/unsaid.ts";
import type { RunFacts, Step } from "../../run/run-facts.ts";
import { actionBefore, GESTURES, lastOf } from "../../run/select.ts";
import type { Evidence, Finding, RunEvidence } from "../../types.ts";
import { quoted, quotedStep } from "../../words.ts";
import { countsOf } from "../answers/listed.ts";

/** What was typed before the failure. */
const MOST_TYPED = 8;
const SHORTEST = 3;

/** What the test typed once and the page has twice since one action, where every pass's page has it once: it was sent, or drawn, twice. */
export function detectListedTwice(evidence: Evidence): Finding[] {
  const { run, passes, failed } = evidence;
  const counts = countsOf(evidence);
  const isOfMore = counts !== null && counts.got > counts.want;
  if (!run.page || passes.length === 0 || !(isOfMore || /strict mode violation/.test(failed.message)))
    return [];
  const action = actionBefore(run.facts, failed);
  for (const { step, text } of typedIn(run.facts, failed.from)) {
    const times = timesOn(run, text);
    if (!action || times < 2 || passes.some((pass) => timesOn(pass, text) !== 1)) continue;
    const isOnce = typedIn(run.facts, failed.from).filter((one) => one.text === text).length === 1;
    const pressed = run.facts.steps.filter(
      ({ kind, name, seq }) =>
        kind === "agent.action" &&
        GESTURES.test(name) &&
        !TYPES.test(name) &&
        seq > step.seq &&
        seq <= action.seq,
    );
    if (!isOnce || pressed.length > 1) continue;
    const many = times === 2 ? "twice" : `${times} times`;
    return [
      {
        kind: "page_changed",
        title: `The page has ${quoted(text, 60)} ${many} after ${quotedStep(action)}, where every pass has it once: it was entered once, and sent or drawn ${many}`,
        detail: null,
        step_id: action.step_id,
        events: [step.seq, action.seq, run.page.shot.seq],
        ts: action.end,
        is_new: true,
        weight: 0.8,
        about: `twice ${text}`,
        isDoubled: true,
      },
    ];
  }
  return [];
}

/** The last texts that the test typed up to a moment. */
const typedIn = ({ steps }: RunFacts, until: number): { step: Step; text: string }[] =>
  lastOf(
    steps,
    MOST_TYPED,
    ({ kind, name, end }) => kind === "agent.action" && TYPES.test(name) && end <= until + 5,
  ).flatMap((step) => {
    const text = oneLine(textOf(step) ?? "");
    return text.length >= SHORTEST ? [{ step, text }] : [];
  });

/** How often a page shows a text in elements of one kind: a notice that repeats it is another thing. */
function timesOn({ page }: RunEvidence, text: string): number {
  const kinds = (page?.elements ?? []).flatMap(({ tag, own, depth, isHidden }) =>
    !isHidden && !FIELD.test(tag) && oneLine(own) === text ? [`${tag} ${depth}`] : [],
  );
  return Math.max(
    0,
    ...Map.groupBy(kinds, (kind) => kind)
      .values()
      .map(({ length }) => length),
  );
}

const FIELD = /^(?:input|textarea|select|option)$/;
