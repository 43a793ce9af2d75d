import type { CompiledStep, Target, Text } from "../../run/language/ast.ts";
import { counterpartOf } from "../diagnosis/counterpart.ts";
import { fitting } from "../diagnosis/fitting.ts";
import { meaningOf } from "../diagnosis/meant.ts";
import { calledOf, keyOf, type PageModel, type Part } from "../diagnosis/page-model.ts";
import { isSamePage, pageNow, pageThen } from "../diagnosis/pages.ts";
import { judgeAct, soughtBy, words } from "../diagnosis/rules/element.ts";
import { ALARM, BACKWARD } from "../diagnosis/rules/flow.ts";
import { innermost } from "../diagnosis/rules/text.ts";
import type { Failure } from "../diagnosis/types.ts";
import type { StepChanges } from "../guardrails/scenario.ts";

/**
 * Why a change of steps that a model proposes is not one that the product meant; null when what was recorded bears it out. A
 * guardrail knows only the scenario: here the pages of the last pass and of the failed run have their say, as they have for rules.
 */
export function whyNotMeant(failure: Failure, { replaced, added }: StepChanges): string | null {
  const [now, then] = [pageNow(failure), pageThen(failure)];
  if (!now || !then) return "No recorded pages of this run and of a pass before it bear the change out.";
  const other = replaced.find(({ before }) => before.index !== failure.step.index);
  if (other) return `It changes step ${other.before.index}, and step ${failure.step.index} is what failed.`;
  for (const step of added) {
    const why = whyNotAdded(step, failure, { now, then });
    if (why !== null) return why;
  }
  for (const { before, after } of replaced) {
    if (!isSamePage(now, then))
      return `The page is another one than the step met in the last pass: ${now.url}.`;
    const why = whyNotReplaced(before, after, failure, { now, then });
    if (why !== null) return why;
  }
  return null;
}

interface Pages {
  now: PageModel;
  then: PageModel;
}

/** A step is added for something that is new on the way; what stood there in the last pass was not in the way then. */
function whyNotAdded({ action, source }: CompiledStep, failure: Failure, { now }: Pages): string | null {
  const known = new Set(failure.pass!.pages.flatMap(({ parts }) => parts.map(keyOf)));
  const alarming = now.parts.find(
    (part) => !known.has(keyOf(part)) && (ALARM.test(part.element.own) || part.element.role === "alert"),
  );
  if (alarming)
    return `The page says "${alarming.element.own.slice(0, 120)}", which no added step should pass by.`;
  const target = soughtBy(action)?.target;
  if (!target) return null;
  if (typeof target.value === "string" && BACKWARD.test(target.value))
    return `The added step "${source}" goes back, or tries again.`;
  const found = fitting(now, target);
  if (found === null) return `The added step "${source}" names its element by a selector.`;
  // What it leads to is not on this page yet: the repetition will say.
  if (found.length === 0) return null;
  return found.some((part) => known.has(keyOf(part)))
    ? `The added step "${source}" uses ${words(found[0]!)}, which was there in the last pass, too.`
    : null;
}

function whyNotReplaced(
  before: CompiledStep,
  after: CompiledStep,
  failure: Failure,
  pages: Pages,
): string | null {
  const [old, changed] = [before.action, after.action];
  const [sought, wanted] = [soughtBy(old), soughtBy(changed)];
  if (sought && wanted && !Bun.deepEquals(sought.target, wanted.target)) {
    const why = whyOtherTarget(sought.target, wanted.target, sought.isExpected, failure, pages);
    if (why !== null) return why;
  }
  if (old.verb === "wait_for_request")
    return `Which request step ${before.index} waits for is judged by the rules alone.`;
  if (old.verb !== "expect" || changed.verb !== "expect") return null;
  const [from, to] = [old.expectation, changed.expectation];
  if (from.type === "text" && to.type === "text")
    return Bun.deepEquals(from.text, to.text) ? null : whyOtherText(from.text, to.text, failure, pages);
  if ("target" in from) return null;
  // Where a page is, what it is called and what it asks for, the rules judge by what they know of both runs.
  return `Whether step ${before.index} may expect something else is judged by the rules alone.`;
}

function whyOtherTarget(
  from: Target,
  to: Target,
  isExpected: boolean,
  failure: Failure,
  { now, then }: Pages,
): string | null {
  const old = fitting(then, from)?.[0];
  const found = fitting(now, to);
  if (!old) return "The page of the last pass does not show which element was meant.";
  if (found?.length !== 1) return `Not exactly one element of the page is what the changed step names.`;
  const [part] = found as [Part];
  const scope = whyOtherScope(from, to, failure, { now, then });
  if (scope !== null) return scope;
  if (keyOf(part) !== keyOf(old) && then.parts.some((one) => keyOf(one) === keyOf(part)))
    return `${capital(words(part))} was there in the last pass, beside ${words(old)}: it is another one.`;
  const before = calledOf(old);
  if (before === calledOf(part)) return null;
  const known = counterpartOf(old, then, now);
  const isSure = known?.part === part;
  const judged = isExpected
    ? meaningOf(before, calledOf(part), failure, { old, now: part, isSure })
    : judgeAct(old, part, isSure, isSure && known.isSigned);
  return "why" in judged ? judged.why : null;
}

/** Which row, card or list an element stands in is data where that changes. */
function whyOtherScope(from: Target, to: Target, failure: Failure, { now, then }: Pages): string | null {
  if (from.nth !== to.nth) return "The changed step counts its elements in another way.";
  for (const side of ["in", "near"] as const) {
    const [old, changed] = [from[side], to[side]];
    if (!old || Bun.deepEquals(old, changed)) continue;
    if (!changed) return "The changed step no longer says what its element stands in.";
    const [was, is] = [fitting(then, old)?.[0], fitting(now, changed)?.[0]];
    if (!was || !is) return "The pages do not show what the element stood in, and stands in.";
    const meaning = meaningOf(calledOf(was), calledOf(is), failure, { old: was, now: is, isSure: false });
    if (!meaning.isMeant)
      return `The changed step's element stands in ${words(is)} instead of ${words(was)}. ${meaning.why}`;
  }
  return null;
}

function whyOtherText(from: Text, to: Text, failure: Failure, { now, then }: Pages): string | null {
  if (typeof from !== "string" || typeof to !== "string")
    return "A text that the run puts together is judged by the rules alone.";
  const [old, part] = [innermost(then, from, null), innermost(now, to, null)];
  if (!old) return "The page of the last pass does not show where the text stood.";
  if (!part) return `The page does not say "${to}".`;
  const isSure = counterpartOf(old, then, now)?.part === part;
  const meaning = meaningOf(from, to, failure, { old, now: part, isSure });
  return meaning.isMeant ? null : meaning.why;
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
