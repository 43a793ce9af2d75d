import { exchangeKey, exchangesOf } from "../run/keys.ts";
import type { Exchange, RunFacts, Step } from "../run/run-facts.ts";
import { GESTURES } from "../run/select.ts";
import type { Evidence, Finding } from "../types.ts";
import { lapse, quotedStep } from "../words.ts";
import { all, atLeast, type Rule } from "./rule.ts";

/** What a page asks for by an action it asks for within this, ms. */
const BY_ACTION_MS = 1_500;

/**
 * Without a pass, a value that the page shows rightly as an answer said it is an old one where the page was to ask again since:
 * it had not been answered yet when the step read it, or it did not ask as it had after each action before.
 */
const askedSince: Rule = (finding, { evidence }) => {
  if (finding.is_new !== null || finding.kind !== "answer_changed" || finding.shown === undefined)
    return null;
  const words = sinceWhen(finding, evidence);
  return words === null
    ? null
    : all((told) => ({ ...told, title: `${told.title}; ${words}` }), atLeast(0.88));
};

function sinceWhen({ events }: Finding, { run: { facts }, failed }: Evidence): string | null {
  const answer = facts.exchanges.find(({ seq }) => seq === events[0]);
  // What the test asks itself no action of the page asks for.
  if (!answer || answer.type === "api") return null;
  const same = exchangesOf(facts, exchangeKey(answer, facts));
  const actions = gesturesBefore(facts, failed.from);
  const last = actions.at(-1);
  if (!last) return null;
  const under = same.find(
    (one) => one.ts >= last.ts && one.ts <= failed.to && (one.end === null || one.end > failed.from),
  );
  if (under && under !== answer && isReadOnce(failed))
    return `it was asked for again ${lapse(Math.max(0, failed.from - under.ts))} before, after ${quotedStep(last)}, and had not been answered when the test read the value: it reads once and does not wait`;
  if (!CHANGES_FIELD.test(last.name) || same.some((one) => one.ts >= last.ts)) return null;
  const opened = facts.exchanges.findLast(({ type, ts }) => type === "document" && ts <= last.ts)?.ts ?? 0;
  const asking = actions.filter((action) => action.ts >= opened && same.some((one) => isBy(action, one)));
  // Once may be how a page begins.
  return asking.length >= 2
    ? `it was asked for after ${quotedStep(asking.at(-1)!)}, and not after ${quotedStep(last)}`
    : null;
}

/** What a page works its figures out from, such as a total. */
const CHANGES_FIELD = /(?:^|\.)(?:check|uncheck|setChecked|selectOption|fill)$/i;

/** Whether the failed step compares what was read before it, and looks no second time. */
const isReadOnce = ({ message }: Evidence["failed"]): boolean =>
  /expect\(received\)/.test(message) && !/exceeded while waiting on the predicate/.test(message);

const gesturesBefore = (facts: RunFacts, before: number): Step[] =>
  facts.steps.filter(
    ({ kind, name, ts, isFailed }) =>
      kind === "agent.action" && !isFailed && GESTURES.test(name) && ts <= before,
  );

const isBy = (action: Step, one: Exchange): boolean =>
  one.ts >= action.ts && one.ts - action.end <= BY_ACTION_MS;

export const ASKED_SINCE: readonly Rule[] = [askedSince];
