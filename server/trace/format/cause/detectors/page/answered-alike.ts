import { oneLine } from "../../../error-text.ts";
import { isBeside } from "../../alone/beside.ts";
import { soughtBy } from "../../alone/requests/sought.ts";
import { othersOf } from "../../exchanges/asked-again.ts";
import { isSameText, shownBy } from "../../page/shown-by.ts";
import { targetOf } from "../../page/target.ts";
import { foundWithin } from "../../page/wanted.ts";
import { exchangeKey, exchangesOf } from "../../run/keys.ts";
import { isMissing } from "../../run/missing-element.ts";
import type { Exchange } from "../../run/run-facts.ts";
import { actionBefore, lastOf } from "../../run/select.ts";
import type { Evidence, Finding, SeenPage } from "../../types.ts";
import { bareOf, isForeign, quoted, quotedStep, requestOf } from "../../words.ts";
import { changedScript } from "../answers/release.ts";
import { closestElement, LIKE_ENOUGH } from "../elements/missing.ts";
import { type Said, type Seen, saidBy } from "./said-by-answer.ts";

const MOST_ANSWERS = 40;
const LONGEST = 200;
const SHORTEST = 3;
/** What came later than this before the step gave up may not have been drawn yet. */
const TIME_TO_DRAW_MS = 300;
const WEIGHT = 0.9;
/** Where all scripts are those of the passes, or nothing tells that one is not. */
const WEIGHT_OF_SAME = 0.74;

/**
 * What the page does not show although an answer says it, as it does in every pass, where it is shown: of all that came to
 * the page only its script is another one, or the page shows nothing of it at all.
 */
export function detectAnsweredAlike(evidence: Evidence): Finding[] {
  const { run, passes, failed } = evidence;
  const seen = passes.length === 0 || run.page === null ? null : seenIn(evidence);
  const script = seen && changedScript(evidence);
  if (!seen || (!script && seen.got)) return [];
  for (const one of answersOf(evidence).toReversed()) {
    const said = saidBy(one, run, seen);
    if (said === null || !isSaidInPasses(evidence, one, said)) continue;
    if (!script && (said.isFigure || !isNeverTaken(evidence, one, seen))) continue;
    return [
      {
        kind: "page_changed",
        title: `${requestOf(one, run.facts)} ${answered(one, said)}, as in the last pass, but ${shownIn(evidence, one, seen, said)}${script ? `; ${script.words}` : ""}`,
        detail: null,
        step_id: failed.step?.step_id ?? null,
        events: [one.seq, ...(script ? [script.seq] : []), ...(failed.step ? [failed.step.seq] : [])],
        ts: failed.to,
        is_new: true,
        weight: script ? WEIGHT : WEIGHT_OF_SAME,
        about: `alike ${failed.step?.seq}`,
      },
    ];
  }
  return [];
}

function seenIn(evidence: Evidence): Seen | null {
  const { failed } = evidence;
  const said = `${failed.step?.name ?? ""} ${failed.message}`;
  if (/\bnot[ .]to[A-Z]/.test(`${failed.step?.title ?? ""} ${failed.message}`)) return null;
  const want =
    IS_TEXT.test(said) && /^"/.test(failed.expected?.trim() ?? "") ? bareOf(failed.expected!) : null;
  if (!isMissing(evidence)) {
    const got = failed.received === null ? null : bareOf(failed.received);
    if (want === null || got === null || got === want || !isTellable(want)) return null;
    return got === "" && isOnPage(evidence, want) ? null : { want, got };
  }
  if (want !== null) return isTellable(want) && !isOnPage(evidence, want) ? { want, got: null } : null;
  const closest = closestElement(evidence);
  if (closest && closest.likeness >= LIKE_ENOUGH && isTellable(closest.wanted))
    return { want: oneLine(closest.wanted), got: oneLine(closest.element.own || closest.element.name) };
  const sought = soughtBy(evidence)?.text;
  return sought !== undefined && isTellable(sought) && !isOnPage(evidence, sought)
    ? { want: sought, got: null }
    : null;
}

const IS_TEXT = /\bto(?:ContainText|HaveText|HaveAccessibleName|HaveValue)\b/;

const isTellable = (text: string): boolean => text.length >= SHORTEST && text.length <= LONGEST;

const isOnPage = ({ run }: Evidence, text: string): boolean => isShownOn(run.page!, text);

const isShownOn = ({ elements }: SeenPage, text: string): boolean =>
  elements.some((one) => !one.isHidden && (one.text.includes(text) || one.attributes.value === text));

/** Whether an answer is the last to its request, and no page since has shown what it says, or been opened anew. */
function isNeverTaken({ run }: Evidence, one: Exchange, { want }: Seen): boolean {
  const came = one.end ?? one.ts;
  const acts = (run.acts ?? []).flatMap(({ met, left }) => (left ? [met, left] : [met]));
  const pages = [...(run.earlier ?? []), ...(run.before ? [run.before] : []), ...acts];
  return (
    exchangesOf(run.facts, exchangeKey(one, run.facts)).at(-1) === one &&
    !pages.some((page) => page.shot.ts >= came && isShownOn(page, want)) &&
    !run.facts.exchanges.some(({ type, ts }) => type === "document" && ts > one.ts)
  );
}

/** The last answers that the page's scripts could take something from, whether they went well or not. */
function answersOf({ run, failed }: Evidence): Exchange[] {
  const by = Math.min(failed.to, run.page!.shot.ts) - TIME_TO_DRAW_MS;
  return lastOf(
    run.facts.exchanges,
    MOST_ANSWERS,
    (one) =>
      /^(?:xhr|fetch)$/.test(one.type ?? "") &&
      one.status !== null &&
      (one.end ?? one.ts) <= by &&
      !isBeside(one) &&
      !isForeign(one.url, run.facts),
  );
}

function isSaidInPasses({ run, passes }: Evidence, one: Exchange, { isIn }: Said): boolean {
  const key = exchangeKey(one, run.facts);
  return passes.every((pass) =>
    othersOf(pass, key, one, run).some(
      (answer) => answer.exchange.status === one.status && isIn(answer, pass),
    ),
  );
}

const answered = ({ status }: Exchange, { words }: Said): string =>
  status! >= 400 ? `was refused with ${status} and ${words}` : `answered ${words}`;

/** What the page made of it. */
function shownIn(evidence: Evidence, one: Exchange, { want, got }: Seen, { counted }: Said): string {
  const { run, failed } = evidence;
  if (got === null)
    return "the page does not show it anywhere, as it does there: it did not take the answer over";
  const target = targetOf(evidence);
  if (got === "") return `${target} is empty, where that has it: the page did not take the answer over`;
  const action = actionBefore(run.facts, failed);
  const [stood, ...others] = run.before ? foundWithin(target, run.before.elements) : [];
  const isStill =
    action !== null &&
    one.ts >= action.ts - 5 &&
    stood !== undefined &&
    others.length === 0 &&
    [...shownBy(stood, run.before!.elements), stood.name].some((text) => isSameText(text, got));
  const instead = `where that has ${quoted(want, 60)}`;
  return isStill
    ? `the page still shows ${quoted(got, 60)}, as before ${quotedStep(action)}, ${instead}: it did not take the answer over`
    : `the page shows ${quoted(got, 60)}${counted === undefined ? "" : ` (as many as “${counted}” has items)`}, ${instead}`;
}
