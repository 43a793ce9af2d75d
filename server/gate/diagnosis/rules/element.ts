import type { Action, Target } from "../../../run/language/ast.ts";
import { doesOtherwise } from "../../guardrails/words.ts";
import { counterpartOf, overlap } from "../counterpart.ts";
import { fitting } from "../fitting.ts";
import { meaningOf } from "../meant.ts";
import { calledOf, keyOf, type PageModel, type Part, squashed } from "../page-model.ts";
import { isSamePage, pageNow, pageThen } from "../pages.ts";
import { reworded } from "../reworded.ts";
import { besideOf, entryOf } from "../surroundings.ts";
import type { EvidenceLine, Failure, Mending } from "../types.ts";
import { targetFor } from "../write-target.ts";

export type Found = { mending: Mending } | { why: string } | null;

/** The target that a step could not find, with how to put another in its place. */
export function soughtBy(
  action: Action,
): { target: Target; put(target: Target): Action; isExpected: boolean } | null {
  if (action.verb === "expect") {
    const { expectation, not } = action;
    if (not || !("target" in expectation) || expectation.target === null) return null;
    if (expectation.type === "hidden" || expectation.type === "count") return null;
    const put = (target: Target): Action => ({
      ...action,
      expectation: { ...expectation, target } as typeof expectation,
    });
    return { target: expectation.target, put, isExpected: true };
  }
  if (action.verb === "wait_for" && action.state === "hidden") return null;
  if (!("target" in action) || action.target === null) return null;
  return { target: action.target, put: (target) => ({ ...action, target }) as Action, isExpected: false };
}

/**
 * A step whose element is not there: where the page of the last pass held it, the page of now may hold what took its place, by
 * another name or in another place.
 */
export function mendElement(failure: Failure): Found {
  const sought = soughtBy(failure.step.action);
  const [now, then] = [pageNow(failure), pageThen(failure)];
  if (!sought || !now) return null;
  const { target } = sought;
  if ((fitting(now, target)?.length ?? 0) > 0) return null;
  if (!then) return { why: "No pass of this scenario shows which element was meant." };
  if (!isSamePage(now, then))
    return { why: `The page is another one than the step met in the last pass: ${now.url}.` };
  const old = fitting(then, target)?.[0];
  if (!old) return { why: "The page of the last pass does not show which element was meant." };
  const found = counterpartOf(old, then, now);
  if (!found) return { why: `Nothing on the page is surely what ${words(old)} was.` };
  const { part, why, isSure, isSigned } = found;
  const elsewhere = isSigned ? null : whyAnotherEntry(target, part, now);
  if (elsewhere !== null) return { why: elsewhere };
  const isMoved = keyOf(part) === keyOf(old);
  const judged = isMoved
    ? { evidence: [] as EvidenceLine[], confidence: 0.8 }
    : sought.isExpected
      ? judgeExpected(failure, old, part, isSure)
      : judgeAct(old, part, isSure, isSigned);
  if ("why" in judged) return judged;
  // A target that names a part of the old name names that part of the new one.
  const named =
    typeof target.value === "string" ? reworded(target.value, calledOf(old), calledOf(part)) : null;
  const written = targetFor(part, now, target, named);
  if (!written) return { why: `${words(part)} cannot be told from others on the page.` };
  const change = isMoved
    ? `${words(old)} stands in another place now`
    : `${words(old)} is ${words(part)} now`;
  return {
    mending: {
      kind: "locator_drift",
      sources: [],
      edits: [{ kind: "replace", step: failure.step.index, action: sought.put(written) }],
      summary: `${change}.`,
      confidence: judged.confidence,
      evidence: [
        {
          text: `In the last pass the step met ${words(old)}.`,
          step_id: failure.step.id,
          events: [then.seq],
          of: "pass",
        },
        {
          text: `Now ${words(part)} stands for it, by ${why.slice(0, 4).join(", ")}.`,
          step_id: failure.step.id,
          events: [now.seq],
          of: "run",
        },
        ...judged.evidence,
      ],
      fromStep: failure.step.index,
    },
  };
}

/** Which entry of a list or a table is meant is data: another one is another thing. */
function whyAnotherEntry(target: Target, part: Part, now: PageModel): string | null {
  for (const around of [target.in, target.near]) {
    if (typeof around?.value !== "string" || around.by === "testid" || around.by === "css") continue;
    const entry = entryOf(part);
    if (entry && !squashed(entry.element.text).includes(squashed(around.value)))
      return `${words(part)} stands beside something else than "${around.value}": ${besideOf(part, now).replaceAll("|", ", ").slice(0, 120)}.`;
  }
  return null;
}

/** What a person chooses from: by another name it is another choice, where nothing says that it is the same. */
const CHOICES = /^(?:option|row|cell|gridcell|treeitem|listitem|radio|menuitemradio)$/;

/** An act is tried, and what is expected after it says whether it did the same: only another wish is refused here. */
export function judgeAct(
  old: Part,
  now: Part,
  isSure: boolean,
  isSigned: boolean,
): { why: string } | { evidence: EvidenceLine[]; confidence: number } {
  const [before, after] = [calledOf(old), calledOf(now)];
  if (CHOICES.test(old.element.role) && !isSigned && overlap(before, after) < 0.3)
    return { why: `${words(now)} is another choice than ${words(old)}.` };
  const why = doesOtherwise(before, after);
  if (why !== null) return { why: `${words(now)} ${why}, and ${words(old)} did not.` };
  return { evidence: [], confidence: isSure ? 0.85 : 0.65 };
}

function judgeExpected(failure: Failure, old: Part, now: Part, isSure: boolean) {
  const [before, after] = [calledOf(old), calledOf(now)];
  if (before === after) return { evidence: [] as EvidenceLine[], confidence: 0.8 };
  const meaning = meaningOf(before, after, failure, { old, now, isSure });
  return meaning.isMeant ? meaning : { why: meaning.why };
}

/** `the button "Pay now"`. */
export function words(part: Part): string {
  const { element } = part;
  const name = element.name || element.own;
  const kind = element.role || element.tag;
  return name === "" ? `the ${kind}` : `the ${kind} "${name.slice(0, 80)}"`;
}
