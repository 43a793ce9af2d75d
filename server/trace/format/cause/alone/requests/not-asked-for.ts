import { isAskedBy, PICKS } from "../../detectors/page/idle.ts";
import { askedFor, isAskedAlike, isRead } from "../../exchanges/sent.ts";
import { pickedBy } from "../../page/field-values.ts";
import { lastPartOf, wantedBy } from "../../page/wanted.ts";
import type { Exchange, Step } from "../../run/run-facts.ts";
import { actionBefore, lastOf } from "../../run/select.ts";
import type { Evidence, Finding, RunEvidence } from "../../types.ts";
import { monthOf } from "../../values/dates.ts";
import { aboutUrl, isTracker, quoted, quotedStep, requestOf } from "../../words.ts";

const MOST = 100;
const MONTH = /^\d{4}-(?:0[1-9]|1[0-2])$/;

/** What was picked, or the month that was turned to, that nothing was asked for with since: the last question for such things still has the other one. */
export function detectNotAskedFor(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const { facts } = run;
  const action = actionBefore(facts, failed);
  if (!action) return [];
  const questions = lastOf(
    facts.exchanges,
    MOST,
    (one) =>
      isRead(one, run) &&
      one.ts < action.ts &&
      /^(?:xhr|fetch|document)$/.test(one.type ?? "") &&
      askedFor(one, run).length > 0 &&
      !isTracker(one.url),
  );
  const since = facts.exchanges.filter(({ ts }) => ts >= action.ts - 5 && ts <= failed.to);
  const picked = pickedAnew(action, questions, evidence);
  const found = picked ?? turnedTo(questions, run);
  const isAsked = (one: Exchange) =>
    one.type === "document" ||
    isAskedAlike(one, found!.one) ||
    (picked === null && isAskedBy(action, one, facts));
  if (!found || since.some(isAsked)) return [];
  const { one, name, was, is } = found;
  return [
    {
      kind: "request_unsent",
      title: `No request was sent after ${quotedStep(action)}: the last one, ${requestOf(one, facts)}, was asked with ${quoted(was, 40)} for ${quoted(name, 40)}, and ${quoted(is, 60)} was never asked for`,
      detail: null,
      step_id: action.step_id,
      events: [action.seq, one.seq],
      ts: action.end,
      is_new: null,
      weight: 0.86,
      about: aboutUrl(one.url, facts, one.operation),
    },
  ];
}

interface Unasked {
  one: Exchange;
  name: string;
  was: string;
  is: string;
}

/** The parameter that goes by the name of the field in which the action picked something. */
function pickedAnew(action: Step, questions: readonly Exchange[], evidence: Evidence): Unasked | null {
  const picked = pickOf(action, evidence);
  const one = questions.at(-1);
  if (!picked || !one) return null;
  const entry = askedFor(one, evidence.run).find(
    ([name]) => name.toLowerCase() === picked.field.toLowerCase(),
  );
  const isOther = entry && entry[1].toLowerCase() !== picked.value.toLowerCase();
  return isOther ? { one, name: entry[0], was: entry[1], is: picked.value } : null;
}

/** What an action picked, and the field that it was picked in: of a list that opens, the action before it opened that. */
function pickOf(action: Step, { run }: Evidence): { field: string; value: string } | null {
  const wanted = (step: Step) => wantedBy(lastPartOf(String(step.params.selector ?? step.title)));
  if (PICKS.test(action.name)) {
    const field = wanted(action).name;
    const [value] = pickedBy(action);
    return field !== null && value !== undefined ? { field, value } : null;
  }
  const { role, name } = wanted(action);
  const opener = run.facts.steps.findLast(
    (step) => step.kind === "agent.action" && step.seq < action.seq && step.params.selector !== undefined,
  );
  const field = opener && wanted(opener).name;
  return role === "option" && name !== null && field ? { field, value: name } : null;
}

/** The month that the page is headed with, where the last question for one had another. */
function turnedTo(questions: readonly Exchange[], run: RunEvidence): Unasked | null {
  const headings = (run.page?.elements ?? []).filter(({ role, isHidden }) => role === "heading" && !isHidden);
  for (const { own } of headings) {
    const is = monthOf(own);
    if (is === null) continue;
    const one = questions.findLast((other) => askedFor(other, run).some(([, value]) => MONTH.test(value)));
    const entry = one && askedFor(one, run).find(([, value]) => MONTH.test(value));
    return one && entry && entry[1] !== is ? { one, name: entry[0], was: entry[1], is: own } : null;
  }
  return null;
}
