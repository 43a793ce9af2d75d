import { oneLine } from "../../../error-text.ts";
import { isSameField } from "../../alone/input/forms.ts";
import type { SeenElement } from "../../page/page-view.ts";
import { insideOf } from "../../page/within.ts";
import { actionBefore } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { hasSeveralWords, quoted, TROUBLE } from "../../words.ts";
import { fieldIn, isAlert } from "../page/page.ts";

/** What products call the boxes in which they answer a person. */
const BOX =
  /(?:^|[\s_-])(?:notif\w*|toasts?|snack\w*|alerts?|flash\w*|growl|popups?|popover|modals?|dialogs?|banner|callout|errors?|warn\w*)(?:$|[\s_-])/i;
const LEAST = 8;
const MOST = 3;
/** A page may be full of things that are called so. */
const MOST_BOXES = 200;

/** What the page said in a box of its own after the last action: it came where something else was waited for. */
export function detectAppeared(evidence: Evidence): Finding[] {
  const { run, passes, failed } = evidence;
  const { page, before } = run;
  const action = actionBefore(run.facts, failed);
  if (!page || !before || !action) return [];
  const there = new Set(before.elements.map(({ text }) => text));
  const awaited = awaitedClass(evidence);
  const isAwaited = ({ attributes }: SeenElement): boolean =>
    awaited !== null && (attributes.class ?? "").split(/\s+/).includes(awaited);
  const outer = outermost(
    page.elements.filter(
      (one) =>
        !one.isHidden &&
        (isAwaited(one) ||
          BOX.test(`${one.attributes.class ?? ""} ${one.attributes.id ?? ""} ${one.role}`)) &&
        one.text.length >= LEAST &&
        hasSeveralWords(one.text) &&
        !there.has(one.text),
    ),
  );
  const boxes = outer.flatMap((box) => {
    const field = isAlert(box) ? undefined : fieldIn(box, page.elements);
    return field === undefined ? box : (objectionIn(box, field, page.elements, before.elements) ?? []);
  });
  const known = new Set(
    passes.flatMap((pass) => pass.page?.elements.map(({ text }) => run.facts.normaliser.text(text)) ?? []),
  );
  return boxes.slice(0, MOST).map((box) => ({
    kind: "page_message",
    title: `${saidIn(box, page.elements)} ${quoted(wordsOf(box, page.elements), 200)}`,
    detail: `It came after ${oneLine(action.title).slice(0, 200)}.`,
    step_id: failed.step?.step_id ?? page.shot.step_id,
    events: [page.shot.seq, action.seq],
    ts: failed.to,
    is_new: passes.some((pass) => pass.page !== null)
      ? !known.has(run.facts.normaliser.text(box.text))
      : null,
    weight: isAwaited(box) ? 0.9 : TROUBLE.test(box.text) || box.text.includes("?") ? 0.82 : 0.5,
    about: `text ${oneLine(box.text).slice(0, 200)}`,
    ...(isDialog(box) && { isDialog: true }),
  }));
}

const isDialog = ({ role, tag }: SeenElement): boolean => /^(?:alert)?dialog$/.test(role || tag);

/** Who says it: of a dialog what it is called, where that does not stand in its words. */
function saidIn(box: SeenElement, elements: readonly SeenElement[]): string {
  const name = isDialog(box) && box.name !== box.text ? oneLine(box.name) : "";
  const isTold = name === "" || wordsOf(box, elements).includes(name);
  return isTold ? "The page said" : `The page opened the dialog ${quoted(name, 80)}, which said`;
}

/** The class of a box that the step waited to say something: `.locator('.toast').filter({ hasText: 'Saved' })`. */
function awaitedClass({ failed: { step, message } }: Evidence): string | null {
  for (const form of [step?.params.selector, step?.params.locator, step?.title, message]) {
    const name = typeof form === "string" ? AWAITED.exec(form)?.[1] : undefined;
    if (name !== undefined) return name;
  }
  return null;
}

const AWAITED =
  /\.([\w-]+)(?:['"]\)\.filter\(\{ ?hasText: |['"], ?\{ ?hasText: |:has-text\(| >> internal:has-text=)/;

/** Of a form in a box what it objects to, where it stood there already: what it says when it opens are hints and labels. */
function objectionIn(
  box: SeenElement,
  field: SeenElement,
  now: readonly SeenElement[],
  before: readonly SeenElement[],
): SeenElement | undefined {
  if (!before.some((one) => !one.isHidden && isSameField(one, field))) return undefined;
  const known = new Set(before.map(({ own }) => own));
  return insideOf(now, box).find(
    ({ tag, own, isHidden }) => !isHidden && !CALLS.test(tag) && !known.has(own) && TROUBLE.test(own),
  );
}

const CALLS = /^(?:label|legend|option|button|input|textarea)$/;

/** What it says, without what can be pressed in it. */
function wordsOf(box: SeenElement, elements: readonly SeenElement[]): string {
  let words = box.text;
  for (const { role, text } of insideOf(elements, box).reverse())
    if (role === "button" && text !== "" && words.endsWith(text)) words = words.slice(0, -text.length).trim();
  return words === "" ? box.text : words;
}

/** Of boxes within boxes those around the others. */
function outermost(found: readonly SeenElement[]): SeenElement[] {
  const boxes = found.slice(0, MOST_BOXES);
  return boxes.filter(
    (one) => !boxes.some((other) => other.depth < one.depth && other.text.includes(one.text)),
  );
}
