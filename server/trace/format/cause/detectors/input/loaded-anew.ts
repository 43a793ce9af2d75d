import { isBefore } from "../../compare.ts";
import { foundBy } from "../../page/acts.ts";
import { isFilledIn } from "../../page/filled.ts";
import { aroundOf } from "../../page/within.ts";
import type { Exchange, RunFacts, Step } from "../../run/run-facts.ts";
import { counterpart, GESTURES, GESTURES_AND_OPENINGS, lastOf } from "../../run/select.ts";
import type { Evidence, Finding, RunEvidence } from "../../types.ts";
import { pathOf, quotedStep, requestOf } from "../../words.ts";

/** Of the actions before the failure, the last ones. */
const MOST_ACTIONS = 5;
/** A page is left so soon after the action that leads away. */
const WITHIN_MS = 2_000;

/**
 * An action after which the browser loaded a document anew, where in no pass it loads any: a form that the browser itself sends, for
 * want of a script that does so, takes away the page with all that its scripts had under way.
 */
export function detectLoadedAnew(evidence: Evidence): Finding[] {
  const { run, passes, failed } = evidence;
  if (passes.length === 0) return [];
  const { facts } = run;
  const actions = lastOf(
    facts.steps,
    MOST_ACTIONS,
    (one) => isGesture(one) && one.seq !== failed.step?.seq && one.ts <= failed.to,
  );
  for (const action of actions.toReversed()) {
    const loaded = documentsAfter(facts, action).find(
      (one) => one.ts - action.end <= WITHIN_MS && isBefore(evidence, one.ts) && isOfOwnPage(one, facts),
    );
    if (!loaded) continue;
    const same = passes.map((pass) => counterpart(facts, action, pass.facts));
    if (!same.every((one, at) => one && documentsAfter(passes[at]!.facts, one).length === 0)) continue;
    const isForm = isSentForm(loaded, action, run);
    if (!isForm && loaded.method !== "GET") continue;
    return [
      {
        kind: "page_changed",
        title: isForm
          ? `After ${quotedStep(action)} the browser itself sent the form and loaded the page anew (${toldOf(loaded, facts)}), where in no pass a document is loaded: no script took the form over from it`
          : `Right after ${quotedStep(action)} the page was loaded anew (${toldOf(loaded, facts)}), where in no pass a document is loaded`,
        detail: null,
        step_id: action.step_id,
        events: [action.seq, loaded.seq],
        ts: loaded.ts,
        is_new: true,
        weight: isForm ? 0.95 : 0.9,
        about: `anew ${action.seq}`,
      },
    ];
  }
  return [];
}

/** An empty query is left out of no address that a form made. */
const toldOf = (one: Exchange, facts: RunFacts): string =>
  `${requestOf(one, facts)}${one.url.endsWith("?") ? "?" : ""}`;

const isGesture = ({ kind, name, category, isFailed }: Step): boolean =>
  kind === "agent.action" && category !== "test.step" && !isFailed && GESTURES.test(name);

/** The pages that came well between an action and the next one that may lead elsewhere. */
function documentsAfter({ steps, exchanges }: RunFacts, action: Step): Exchange[] {
  const next = steps.find(
    ({ seq, kind, name }) => seq > action.seq && kind === "agent.action" && GESTURES_AND_OPENINGS.test(name),
  );
  const end = next?.ts ?? Number.POSITIVE_INFINITY;
  return exchanges.filter(
    ({ type, ts, status, mediaType, page }) =>
      type === "document" &&
      ts >= action.ts &&
      ts < end &&
      status !== null &&
      /html/.test(mediaType) &&
      (page === null || action.page === null || page === action.page),
  );
}

/** Whether a document is that of the address at which the page was already, or what a form was sent to. */
function isOfOwnPage(one: Exchange, { pages, exchanges }: RunFacts): boolean {
  if (one.method === "POST") return true;
  const at =
    pages.findLast(({ ts, url, frame }) => ts < one.ts && !frame && /^https?:/.test(url))?.url ??
    exchanges.findLast((other) => other.type === "document" && other.seq < one.seq)?.url;
  return at !== undefined && pathOf(at) === pathOf(one.url);
}

/** Whether the browser made the address of what stands in a form: of its fields, or of none of them. */
function isSentForm(one: Exchange, action: Step, run: RunEvidence): boolean {
  if (one.method === "POST" || one.url.endsWith("?")) return true;
  const values = [...(URL.parse(one.url)?.searchParams.values() ?? [])];
  return values.length > 0 && (isFilledIn(values, run.facts, action) || isInForm(action, run));
}

function isInForm(action: Step, { acts }: RunEvidence): boolean {
  const act = acts?.find(({ step }) => step.seq === action.seq);
  const pressed = act && foundBy(act);
  return (
    act !== undefined && !!pressed && aroundOf(act.met.elements, pressed).some(({ tag }) => tag === "form")
  );
}
