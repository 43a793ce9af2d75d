import type { Action, CompiledStep, Target } from "../../../run/language/ast.ts";
import { fitting } from "../fitting.ts";
import { isControl, isIn, keyOf, type PageModel, type Part } from "../page-model.ts";
import { pageNow, pageThen } from "../pages.ts";
import type { Failure, Mending } from "../types.ts";
import { targetFor } from "../write-target.ts";
import { type Found, soughtBy, words } from "./element.ts";

/** What leads on, the plainest first. */
const FORWARD = [
  /^(?:continue|next|proceed|go on|review order|review)\b/i,
  /^(?:i agree|agree|accept|allow|got it|ok(?:ay)?|understood|i understand|yes)\b/i,
  /^(?:confirm|done|start|begin|let's go|enter|view|show|open|go to|place)\b/i,
  /^(?:close|dismiss|skip|no thanks|maybe later|later|not now|×|✕)/i,
];
export const BACKWARD =
  /\b(?:back|cancel\w*|retry|again|reload|refresh|delete|remove|undo|sign|log|decline|reject|refuse|notify|waitlist)\b/i;
export const ALARM =
  /\b(?:error|wrong|sorry|fail(?:ed|s)?|unavailable|expired|denied|invalid|could not|couldn.t|cannot|maintenance|oops)\b/i;

/**
 * A step more than there was: something new stands between a step and what it needs (a dialog, a page in between, a menu that has to be
 * opened, a box that has to be ticked), and exactly one thing there leads on.
 */
export function mendFlow(failure: Failure): Found {
  const [now, then] = [pageNow(failure), pageThen(failure)];
  if (!now) return null;
  if (!then) return { why: "No pass of this scenario shows what is new on the way." };
  const { step, pass } = failure;
  const known = new Set(pass!.pages.flatMap(({ parts }) => parts.map(keyOf)));
  const news = now.parts.filter((part) => !known.has(keyOf(part)));
  const menu = openedFirst(failure, now);
  if (menu) return menu;
  const alarming = news.find(({ element }) => ALARM.test(element.own) || element.role === "alert");
  if (alarming)
    return {
      why: `The page says "${alarming.element.own.slice(0, 120)}", which no added step should pass by.`,
    };
  const required = requiredField(failure, now, news);
  if (required) return required;
  const dialog = news.find(
    ({ element }) =>
      /^(?:dialog|alertdialog)$/.test(element.role) || element.attributes["aria-modal"] === "true",
  );
  const inside = dialog ? news.filter((part) => isIn(part, dialog)) : news;
  const onwards = forwardOf(
    inside.filter((part) => isControl(part) && /^(?:button|link)$/.test(part.element.role)),
  );
  const again = dialog ? null : nextAgain(failure, now);
  if (again) return again;
  if (!onwards) return { why: "Nothing new on the page is surely the way on." };
  const isNewPage = pathOf(now.url) !== pathOf(then.url) || !sameHeading(now, then);
  if (!dialog && !isNewPage) return { why: `${words(onwards)} is new, but the page is the one of before.` };
  const target = targetFor(onwards, now, { by: "role" });
  if (!target) return { why: `${words(onwards)} cannot be told from others on the page.` };
  return added(failure, { verb: "click", target }, step, now, {
    summary: dialog
      ? `A dialog stands in the way now, and ${words(onwards)} closes it.`
      : `A page stands between now, and ${words(onwards)} leads on.`,
    seen: `${words(onwards)} is new: no page of the last pass had it.`,
    confidence: dialog ? 0.75 : 0.7,
  });
}

/** The one control that leads on best; null when two lead on as well. */
function forwardOf(controls: readonly Part[]): Part | null {
  for (const pattern of FORWARD) {
    const fit = controls.filter(({ element }) => pattern.test(element.name) && !BACKWARD.test(element.name));
    const names = new Set(fit.map(({ element }) => element.name));
    if (fit.length === 1) return fit[0]!;
    if (names.size > 1) return null;
  }
  return null;
}

/** One more page of a wizard: what led on to it leads on once more, and it says what no page of the last pass said. */
function nextAgain(failure: Failure, now: PageModel): Found {
  const { scenario, step, pass } = failure;
  const before = scenario.steps.findLast(({ index }) => index < step.index);
  if (before?.action.verb !== "click" || typeof before.action.target.value !== "string") return null;
  const [button, ...others] = fitting(now, before.action.target) ?? [];
  if (!button || others.length > 0 || !isForward(button)) return null;
  const known = new Set(
    pass!.pages.flatMap(({ parts, hidden }) => [...parts, ...hidden]).map((part) => keyOf(part)),
  );
  const heading = now.parts.find((part) => part.element.role === "heading" && !known.has(keyOf(part)));
  if (!heading) return null;
  return added(failure, { verb: "click", target: before.action.target }, step, now, {
    summary: `A page "${heading.element.name.slice(0, 80)}" stands between now, and ${words(button)} leads on.`,
    seen: `${words(heading)} is new: no page of the last pass had it.`,
    confidence: 0.65,
  });
}

const isForward = ({ element }: Part): boolean =>
  FORWARD.some((pattern) => pattern.test(element.name)) && !BACKWARD.test(element.name);

/** What is looked for stands in something that is closed now. */
function openedFirst(failure: Failure, now: PageModel): Found {
  const sought = soughtBy(failure.step.action);
  if (!sought || sought.target.in || sought.target.near) return null;
  const all: PageModel = { ...now, parts: [...now.parts, ...now.hidden].sort((a, b) => a.at - b.at) };
  const hidden = (fitting(all, sought.target) ?? []).filter(({ element }) => element.isHidden);
  const inDetails = (fitting(now, sought.target) ?? []).filter((part) => foldedAround(part) !== null);
  const [meant] = [...hidden, ...inDetails];
  if (!meant) return null;
  const togglers = now.parts.filter(
    (part) =>
      (part.element.role === "button" && part.element.attributes["aria-expanded"] === "false") ||
      (part.element.tag === "summary" && foldedAround(meant) !== null && part.parent === foldedAround(meant)),
  );
  const controlling = togglers.filter(({ element }) => {
    const controlled = element.attributes["aria-controls"];
    if (!controlled) return true;
    return aroundOf(meant).some((one) => one.element.attributes.id === controlled);
  });
  if (controlling.length !== 1) return null;
  const [toggle] = controlling;
  const target = targetFor(toggle!, now, toggle!.element.tag === "summary" ? { by: "text" } : { by: "role" });
  if (!target) return null;
  return added(failure, { verb: "click", target }, failure.step, now, {
    summary: `${words(meant)} stands in something that is closed now, and ${words(toggle!)} opens it.`,
    seen: `${words(meant)} is on the page, but hidden until ${words(toggle!)} is used.`,
    confidence: 0.8,
  });
}

function aroundOf(part: Part): Part[] {
  const around: Part[] = [];
  for (let at = part.parent; at; at = at.parent) around.push(at);
  return around;
}

/** The closed `details` that a part stands in. */
const foldedAround = (part: Part): Part | null =>
  aroundOf(part).find(({ element }) => element.tag === "details" && element.attributes.open === undefined) ??
  null;

/** A box that has to be ticked, or a field that has to be filled, before the last act has its effect. */
function requiredField(failure: Failure, now: PageModel, news: readonly Part[]): Found {
  const { scenario, step } = failure;
  const fields = news.filter(
    ({ element }) =>
      /^(?:checkbox|textbox)$/.test(element.role) &&
      ("required" in element.attributes || element.attributes["aria-required"] === "true") &&
      !("checked" in element.attributes) &&
      (element.attributes.value ?? "") === "",
  );
  const [field] = fields;
  if (!field) return null;
  if (fields.length > 1)
    return { why: "Several fields are new and required: what belongs into them is not known." };
  const isAct = step.action.verb === "click" && soughtBy(step.action) !== null;
  const act = isAct
    ? step
    : scenario.steps.findLast(
        ({ index, action }) => index < step.index && (action.verb === "click" || action.verb === "press"),
      );
  if (!act) return null;
  const target = targetFor(field, now, { by: "field" } satisfies Target);
  if (!target) return { why: `${words(field)} cannot be told from others on the page.` };
  const action =
    field.element.role === "checkbox" ? ({ verb: "check", target } as const) : typed(field, target);
  if (!action) return { why: `${words(field)} is new and required, and what belongs into it is not known.` };
  return added(failure, action, act, now, {
    summary: `${words(field)} is new and required.`,
    seen: `${words(field)} is required and was not there in the last pass.`,
    confidence: 0.75,
  });
}

/** What the run's own user has: nothing else is made up. */
function typed({ element }: Part, target: Target): Action | null {
  const name = `${element.name} ${element.attributes.name ?? ""} ${element.attributes.type ?? ""}`;
  if (/e-?mail/i.test(name)) return { verb: "fill", target, value: { parts: [{ ref: "synthetic.email" }] } };
  if (/\bname\b/i.test(name) && !/user|login|card|company/i.test(name))
    return { verb: "fill", target, value: { parts: [{ ref: "synthetic.name" }] } };
  return null;
}

function added(
  failure: Failure,
  action: Action,
  before: CompiledStep,
  now: PageModel,
  said: { summary: string; seen: string; confidence: number },
): { mending: Mending } {
  return {
    mending: {
      kind: "locator_drift",
      sources: [],
      edits: [{ kind: "insert", step: before.index, action }],
      summary: said.summary,
      confidence: said.confidence,
      evidence: [
        { text: said.seen, step_id: failure.step.id, events: [now.seq], of: "run" },
        ...(failure.pass
          ? [
              {
                text: `The last pass went from step to step without it.`,
                step_id: before.id,
                events: [],
                of: "pass" as const,
              },
            ]
          : []),
      ],
      fromStep: before.index,
    },
  };
}

const pathOf = (url: string): string => URL.parse(url)?.pathname ?? url;
const sameHeading = (a: PageModel, b: PageModel): boolean => headingOf(a) === headingOf(b);
const headingOf = ({ parts }: PageModel): string =>
  parts.find(({ element }) => element.tag === "h1")?.element.name ?? "";
