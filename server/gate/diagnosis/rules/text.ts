import type { Action, Expectation, Text } from "../../../run/language/ast.ts";
import { plain } from "../../guardrails/words.ts";
import { counterpartOf } from "../counterpart.ts";
import { fitting, holder } from "../fitting.ts";
import { meaningOf } from "../meant.ts";
import { isIn, keyOf, type PageModel, type Part, squashed } from "../page-model.ts";
import { isSamePage, pageNow, pageThen } from "../pages.ts";
import { resolvedReferences } from "../references.ts";
import { reworded } from "../reworded.ts";
import type { Failure } from "../types.ts";
import { containersOf, targetFor } from "../write-target.ts";
import { type Found, words } from "./element.ts";

/** A text that is expected, or waited for, and that the page does not show: where it stood, other words may stand now. */
export function mendText(failure: Failure): Found {
  const { action } = failure.step;
  const wanted = textOf(action);
  const [now, then] = [pageNow(failure), pageThen(failure)];
  if (!wanted || !now) return null;
  if (!then) return { why: "No pass of this scenario shows where the text stood." };
  const { text, target, put } = wanted;
  const old = innermost(then, text, target && (fitting(then, target) ?? []));
  if (!old) return { why: "The page of the last pass does not show where the text stood." };
  if (!isSamePage(now, then)) return { why: `The page is another one than in the last pass: ${now.url}.` };
  if (target && (fitting(now, target)?.length ?? 0) === 0) return moved(failure, { now, then });
  const found = counterpartOf(old, then, now);
  if (!found) return { why: `Nothing on the page is surely what ${words(old)} was.` };
  const given = resolvedIn(text, old.element.text);
  if (given === null) return { why: `${words(old)} does not show the values that the text refers to.` };
  const before = given.text;
  const after = reworded(before, old.element.text, found.part.element.text);
  if (after === null) return { why: `${words(found.part)} says something else than ${words(old)}.` };
  if (squashed(after) === squashed(before))
    return target ? movedText(failure, found.part, { now, then }) : null;
  const meaning = meaningOf(before, after, failure, { old, now: found.part, isSure: found.isSure });
  if (!meaning.isMeant) return { why: meaning.why };
  const written = referredTo(after, given.values);
  if (written === null)
    return { why: "The new text does not hold each of the values once that the old one refers to." };
  return {
    mending: {
      kind: "assertion_drift",
      sources: [],
      edits: [{ kind: "replace", step: failure.step.index, action: put(written) }],
      summary: `The text "${plain(text)}" is "${plain(written)}" now.`,
      confidence: meaning.confidence,
      evidence: [
        {
          text: `In the last pass "${before}" stood in ${words(old)}.`,
          step_id: failure.step.id,
          events: [then.seq],
          of: "pass",
        },
        {
          text: `Now the same element says "${after}", by ${found.why.slice(0, 4).join(", ")}.`,
          step_id: failure.step.id,
          events: [now.seq],
          of: "run",
        },
        ...meaning.evidence,
      ],
      fromStep: failure.step.index,
    },
  };
}

/** A text that stands as it did, in a place that goes by another name. */
function moved(failure: Failure, { now, then }: { now: PageModel; then: PageModel }): Found {
  const { action } = failure.step;
  if (action.verb !== "expect" || action.expectation.type !== "text" || !action.expectation.target)
    return null;
  const { expectation } = action;
  const holderThen = fitting(then, expectation.target!)?.[0];
  if (!holderThen) return null;
  const found = counterpartOf(holderThen, then, now);
  if (!found || !holder(expectation.text)(found.part.element.text))
    return { why: `Nothing on the page that holds the text is surely what ${words(holderThen)} was.` };
  const written = targetFor(found.part, now, expectation.target!);
  if (!written || written.by === "text")
    return { why: `${words(found.part)} cannot be named without the text itself.` };
  return {
    mending: {
      kind: "locator_drift",
      sources: [],
      edits: [
        {
          kind: "replace",
          step: failure.step.index,
          action: { ...action, expectation: { ...expectation, target: written } as Expectation },
        },
      ],
      summary: `${words(holderThen)}, which holds the text, goes by another name now.`,
      confidence: 0.8,
      evidence: [
        {
          text: `In the last pass the text stood in ${words(holderThen)}.`,
          step_id: failure.step.id,
          events: [then.seq],
          of: "pass",
        },
        {
          text: `Now it stands in ${words(found.part)}, by ${found.why.slice(0, 4).join(", ")}.`,
          step_id: failure.step.id,
          events: [now.seq],
          of: "run",
        },
      ],
      fromStep: failure.step.index,
    },
  };
}

/** A text that stands as it did, but no longer in the place where it is expected. */
function movedText(failure: Failure, part: Part, { now, then }: { now: PageModel; then: PageModel }): Found {
  const { action, step } = { action: failure.step.action, step: failure.step };
  if (action.verb !== "expect" || action.expectation.type !== "text" || !action.expectation.target)
    return null;
  const { expectation } = action;
  const container = containersOf(part, now).find((one) => fitting(now, one)?.length === 1);
  if (!container) return { why: `${words(part)} stands in nothing that has a name.` };
  return {
    mending: {
      kind: "locator_drift",
      sources: [],
      edits: [
        {
          kind: "replace",
          step: step.index,
          action: { ...action, expectation: { ...expectation, target: container } },
        },
      ],
      summary: `The text "${plain(expectation.text)}" stands in another place now.`,
      confidence: 0.75,
      evidence: [
        {
          text: `In the last pass the text stood where the step looks for it.`,
          step_id: step.id,
          events: [then.seq],
          of: "pass",
        },
        {
          text: `Now ${words(part)} stands elsewhere on the page, with the same text.`,
          step_id: step.id,
          events: [now.seq],
          of: "run",
        },
      ],
      fromStep: step.index,
    },
  };
}

function textOf(action: Action) {
  if (action.verb === "expect" && !action.not && action.expectation.type === "text") {
    const { expectation } = action;
    return {
      text: expectation.text,
      target: expectation.target,
      put: (text: Text): Action => ({ ...action, expectation: { ...expectation, text } }),
    };
  }
  const target =
    action.verb === "wait_for" && action.state === "visible"
      ? action.target
      : action.verb === "expect" && !action.not && action.expectation.type === "visible"
        ? action.expectation.target
        : null;
  if (
    target?.by !== "text" ||
    target.value === undefined ||
    target.in ||
    target.near ||
    target.nth !== undefined
  )
    return null;
  const put = (value: Text): Action =>
    action.verb === "wait_for"
      ? { ...action, target: { ...target, value } }
      : ({ ...action, expectation: { type: "visible", target: { ...target, value } } } as Action);
  return { text: target.value, target: null, put };
}

/** The smallest part that holds a text, within these. */
export function innermost(page: PageModel, text: Text, within: Part[] | null): Part | null {
  const holds = holder(text);
  const all = page.parts.filter(
    (part) =>
      holds(part.element.text) &&
      (within === null || within.some((around) => around === part || isIn(part, around))),
  );
  const found = all.filter((part) => !all.some((other) => isIn(other, part)));
  const keys = new Set(found.map(keyOf));
  return keys.size === 1
    ? found[0]!
    : (found.find(({ element }) => element.role !== "" || element.attributes.id) ?? found[0] ?? null);
}

interface Given {
  text: string;
  /** What references stood for, in their order. */
  values: { ref: string; value: string }[];
}

/** An expected text with what its references stood for in an element's text. */
function resolvedIn(text: Text, was: string): Given | null {
  if (typeof text === "string") return { text, values: [] };
  const found = resolvedReferences(was, text.parts);
  if (!found) return null;
  const refs = text.parts.flatMap((part) => (typeof part === "string" ? [] : [part.ref]));
  return { text: found.text, values: refs.map((ref, at) => ({ ref, value: found.values[at]! })) };
}

/** A text with its values as references again; null when one of them is not there exactly once. */
function referredTo(text: string, values: Given["values"]): Text | null {
  let parts: Exclude<Text, string>["parts"] = [text];
  for (const { ref, value } of values) {
    const next = parts.flatMap((part) => {
      if (typeof part !== "string") return [part];
      const [head, ...tails] = part.split(value);
      return tails.length === 1 ? [head!, { ref }, tails[0]!] : [part];
    });
    if (next.length === parts.length) return null;
    parts = next.filter((part) => part !== "");
  }
  return values.length === 0 ? text : { parts };
}
