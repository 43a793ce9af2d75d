import { idleNamesOf } from "../../exchanges/idle-figures.ts";
import { knownActs, ownAddressOf, sameAct } from "../../page/acts.ts";
import { inPlaceOf } from "../../page/in-place.ts";
import type { SeenElement } from "../../page/page-view.ts";
import { exchangeKey, exchangesOf } from "../../run/keys.ts";
import { isMissing } from "../../run/missing-element.ts";
import type { Exchange, RunFacts, Step } from "../../run/run-facts.ts";
import { actionBefore, counterpart } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { addressOf, isForeign, isTracker, quoted, quotedStep } from "../../words.ts";
import { changedScript } from "../answers/release.ts";

/**
 * An action that the page took no notice of: it stands as it stood before, nothing was asked for, and the passes saw
 * there what the test looks for in vain. A handler was lost, or the script that had it.
 */
export function detectIdle(evidence: Evidence): Finding[] {
  const { run, passes, failed } = evidence;
  const action = actionBefore(run.facts, failed);
  if (!action || !run.page || !run.before || passes.length === 0 || !isMissing(evidence)) return [];
  if (!PRESSES.test(action.name) || run.page.shot.ts < action.end) return [];
  if (!isSame(run.before.elements, run.page.elements, idleNamesOf(run, "names"))) return [];
  // What picks or ticks shows itself alone; where only the next thing goes by another name, that is it.
  if (PICKS.test(action.name) && inPlaceOf(evidence) !== null) return [];
  if (
    run.facts.exchanges.some(
      (one) =>
        one.ts >= Math.max(action.ts, run.before!.shot.ts) &&
        one.ts <= failed.to &&
        isAskedBy(action, one, run.facts),
    )
  )
    return [];
  const usual = passes.every((pass) => {
    const same = counterpart(run.facts, action, pass.facts);
    return (
      same !== null && !same.isFailed && pass.page !== null && !isSame(run.page!.elements, pass.page.elements)
    );
  });
  if (!usual) return [];
  const script = changedScript(evidence);
  const link = linkToItself(evidence, action);
  return [
    {
      kind: "page_changed",
      title: `${quotedStep(action)} did nothing: ${link}the page stayed as it was and sent no request, where it ${wentTo(evidence)} in the last pass${script === null ? "" : `; ${script.words}`}`,
      detail: null,
      step_id: action.step_id,
      events: [action.seq, run.page.shot.seq, ...(script === null ? [] : [script.seq])],
      ts: action.end,
      is_new: true,
      weight: link !== "" ? 0.92 : script === null ? 0.78 : 0.86,
      about: `idle ${action.title}`,
    },
  ];
}

/** What the page did in the last pass: where it went, if it is elsewhere there. */
function wentTo({ run, passes: [last] }: Evidence): string {
  const [here, there] = [run, last].map((one) => one?.page?.shot.url ?? "");
  const isPage = (url: string | undefined) => url !== undefined && /^https?:/.test(url);
  return last &&
    isPage(here) &&
    isPage(there) &&
    run.facts.normaliser.url(here!) !== last.facts.normaliser.url(there!)
    ? `went to ${addressOf(there!, last.facts)}`
    : "changed";
}

/** That the link which was pressed leads to the page which it stands on, where in no pass it does, as a clause. */
function linkToItself(evidence: Evidence, { seq }: Step): string {
  const { run, passes } = evidence;
  const act = knownActs(evidence).find(({ step }) => step.seq === seq);
  const address = act ? ownAddressOf(act) : null;
  const isUsual = passes.some((pass) => {
    const same = act && sameAct(run, act, pass);
    return same ? ownAddressOf(same) !== null : false;
  });
  return address === null || isUsual
    ? ""
    : `the link leads to ${quoted(address, 80)}, the very page that it is on; `;
}

/** What is pressed does something; what is filled in may show nothing but itself. */
export const PRESSES =
  /(?:^|\.)(?:click|dblclick|tap|press|keyboardPress|check|uncheck|selectOption|dragTo|dragAndDrop)$/;

export const PICKS = /(?:^|\.)(?:check|uncheck|selectOption)$/;

export const isAsked = (one: Exchange, facts: RunFacts) =>
  /^(?:xhr|fetch|document)$/.test(one.type ?? "") && !isTracker(one.url) && !isForeign(one.url, facts);

/** The same of what an action may have asked for: what a page that stays as it is reads later, it reads time and again by itself. */
export const isAskedBy = (action: Step, one: Exchange, facts: RunFacts) =>
  isAsked(one, facts) &&
  !(one.method === "GET" && (one.ts > action.end + LATER_MS || isPolled(action, one, facts)));

const LATER_MS = 500;

/** Whether a page that nothing more is done to goes on to ask for it, as it had before the action. */
function isPolled(action: Step, one: Exchange, facts: RunFacts): boolean {
  const same = exchangesOf(facts, exchangeKey(one, facts));
  const isLater = ({ ts }: Exchange) => ts > action.end + LATER_MS;
  return same.some(({ ts }) => ts < action.ts) && same.filter(isLater).length >= POLLS;
}

const POLLS = 2;

/**
 * Whether two pictures say and offer the same, as often: pictures that load, what has the focus and clocks are no news.
 * @param idle names of figures that are none either
 */
export function isSame(
  one: readonly SeenElement[],
  other: readonly SeenElement[],
  idle: readonly string[] = [],
): boolean {
  const [mine, theirs] = [toldBy(one, idle), toldBy(other, idle)];
  return (
    mine.size > 0 && mine.size === theirs.size && [...mine].every(([key, count]) => theirs.get(key) === count)
  );
}

/** The same, but for figures that a page tells: how many are online it hears whatever is done. */
export function isSameButFigures(one: readonly SeenElement[], other: readonly SeenElement[]): boolean {
  const withoutFigures = (elements: readonly SeenElement[]) =>
    elements.map((element) => ({ ...element, own: element.own.replace(/\d+/g, "0") }));
  return isSame(withoutFigures(one), withoutFigures(other));
}

function toldBy(elements: readonly SeenElement[], idle: readonly string[]): Map<string, number> {
  const isIdle = (own: string) => idle.some((name) => own.toLowerCase().includes(name));
  const counts = new Map<string, number>();
  for (const { isHidden, role, name, own } of elements) {
    if (isHidden || AGES.test(own)) continue;
    const told = OFFERED.has(role)
      ? `${role} ${bare(name)}`
      : own.length > 2
        ? bare(isIdle(own) ? own.replace(/\d+/g, "0") : own)
        : null;
    if (told !== null) counts.set(told, (counts.get(told) ?? 0) + 1);
  }
  return counts;
}

const OFFERED = new Set(
  "button link tab option menuitem dialog alertdialog textbox searchbox combobox checkbox radio switch heading alert status".split(
    " ",
  ),
);
const AGES = /\b(?:ago|just now)\b/i;
const bare = (text: string) => text.replace(/\d{1,2}:\d{2}(?::\d{2})?/g, "0:00");
