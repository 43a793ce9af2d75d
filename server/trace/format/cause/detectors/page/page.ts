import { oneLine } from "../../../error-text.ts";
import { formOf, isSameField } from "../../alone/input/forms.ts";
import { CHANGING } from "../../exchanges/sent.ts";
import { foundBy, knownActs } from "../../page/acts.ts";
import type { SeenElement } from "../../page/page-view.ts";
import { elementsOf } from "../../page/wanted.ts";
import { insideOf } from "../../page/within.ts";
import { nameOf } from "../../page/written.ts";
import type { Exchange, Step } from "../../run/run-facts.ts";
import type { Evidence, Finding } from "../../types.ts";
import { jsonOf, leavesOf } from "../../values/json-leaves.ts";
import { bareOf, bodyOf, isTracker, quoted, TROUBLE } from "../../words.ts";
import { markedField } from "./marked-field.ts";

const MAX_MESSAGES = 8;
/** The browser's own words for a request that failed: an echo of it. */
const ECHO =
  /^\W*(?:Error: |TypeError: )?(?:Failed to fetch|Load failed|NetworkError\b.*|Network (?:Error|request failed)|Request failed with status code \d+|fetch failed)\W*$/i;
const LIVE = new Set(["alert", "alertdialog", "status", "log"]);

/** Messages that stand on the page when the step gives up, and what it shows that no pass shows. */
export function detectPageMessages(evidence: Evidence): Finding[] {
  const { run, passes, failed } = evidence;
  const { page } = run;
  if (!page) return [];
  const known = new Set(
    passes.flatMap((pass) => pass.page?.elements.map((one) => textKey(evidence, one)) ?? []),
  );
  const hasPass = passes.some((pass) => pass.page !== null);
  // What the passes say with other figures only counts.
  const counted = new Set(
    passes.flatMap((pass) => pass.page?.elements.map((one) => wordsOf(oneLine(one.text))) ?? []),
  );
  const seq = failed.step?.seq ?? page.shot.seq;
  const base = {
    step_id: failed.step?.step_id ?? page.shot.step_id,
    events: [page.shot.seq, seq],
    ts: failed.to,
    detail: null,
  };
  // What a pass said by the way, a step before, is only not yet over.
  const byTheWay = new Set(
    passes.flatMap(({ acts = [] }) =>
      acts.flatMap(({ met, left }) =>
        [...met.elements, ...(left?.elements ?? [])].filter(isLive).map((one) => textKey(evidence, one)),
      ),
    ),
  );
  const press = pressedInVain(evidence);
  const findings: Finding[] = [];
  let listed: Set<unknown> | undefined;
  const isListed = (text: string): boolean => {
    listed ??= listedTexts(evidence);
    return listed.has(text);
  };
  for (const element of page.elements) {
    if (element.isHidden) continue;
    const isFresh = hasPass ? !known.has(textKey(evidence, element)) : null;
    const alert = messageOf(element, page.elements);
    if (alert !== null) {
      findings.push({
        ...base,
        kind: "page_message",
        title: `The page said ${quoted(alert)}`,
        is_new: isFresh,
        weight:
          isFresh === null && element.role !== "alert" && !TROUBLE.test(alert)
            ? 0.2
            : ECHO.test(alert)
              ? 0.4
              : TROUBLE.test(alert) && !isCountedOtherwise(evidence, alert)
                ? 0.8
                : isReceived(evidence, alert) ||
                    counted.has(wordsOf(oneLine(alert))) ||
                    byTheWay.has(textKey(evidence, element))
                  ? 0.3
                  : 0.6,
        about: `text ${oneLine(alert).slice(0, 200)}`,
      });
      continue;
    }
    if (element.attributes["aria-invalid"] === "true")
      findings.push({ ...base, ...markedField(evidence, element) });
    const held = heldBack(element);
    if (held !== null && press && mayBeOfForm(evidence, press, element))
      findings.push({
        ...base,
        kind: "page_message",
        title: `The form could not be sent: ${held}`,
        is_new: isFresh === null ? null : !isHeldThere(evidence, element),
        weight: 0.55,
        about: `refused ${nameOf(element)}`,
      });
    const own = oneLine(element.own);
    if (own.length < 3 || own.length > 300 || !isFresh) continue;
    if (TROUBLE.test(own) && !isListed(own))
      findings.push({
        ...base,
        kind: "page_message",
        title: `The page said ${quoted(own)}`,
        is_new: isFresh,
        weight:
          /^h[1-3]$/.test(element.tag) ||
          /error|alert|warn|invalid|toast|notice|banner/i.test(element.attributes.class ?? "")
            ? 0.76
            : 0.66,
        about: `text ${own.slice(0, 200)}`,
      });
    else if (/^h[1-3]$/.test(element.tag) && !isHeadedAnew(evidence, element))
      findings.push({
        ...base,
        kind: "page_changed",
        title: `The page was headed ${quoted(own)}, which it is not in the last pass`,
        is_new: isFresh,
        weight: 0.38,
        about: `text ${own.slice(0, 200)}`,
      });
  }
  return findings.toSorted((a, b) => b.weight - a.weight).slice(0, MAX_MESSAGES);
}

/** Whether each pass has other headings there: such a page is called after a thing that each run makes for itself. */
function isHeadedAnew({ passes }: Evidence, { tag }: SeenElement): boolean {
  const all = passes.flatMap(({ page }) =>
    page === null
      ? []
      : [page.elements.flatMap((one) => (one.tag === tag && !one.isHidden ? [oneLine(one.own)] : []))],
  );
  const [first, ...others] = all;
  return (
    first !== undefined &&
    others.length > 0 &&
    !first.some((heading) => others.every((headings) => headings.includes(heading)))
  );
}

/** Answers of a pass whose texts are looked at. */
const MOST_ANSWERS = 100;

/**
 * The texts that answers of the passes list: what a page shows of them is one of its things, whatever words are in it.
 * Texts of a product's own, its errors among them, stand under names and in no list.
 */
function listedTexts({ passes }: Evidence): Set<unknown> {
  const answers = passes.flatMap(({ facts, bodies }) =>
    facts.exchanges.slice(-MOST_ANSWERS).map((one) => bodyOf(one, bodies) ?? ""),
  );
  return new Set(
    answers.flatMap((body) =>
      leavesOf(jsonOf(body)).flatMap(({ path, value }) => (/(?:^|\.)\d+(?:\.|$)/.test(path) ? [value] : [])),
    ),
  );
}

/** What the assertion names itself explains nothing. */
function isReceived({ failed }: Evidence, text: string): boolean {
  return failed.received !== null && bareOf(failed.received) === oneLine(text);
}

/** Whether the assertion wants the very words with other figures. */
const isCountedOtherwise = (evidence: Evidence, text: string): boolean =>
  isReceived(evidence, text) && wordsOf(bareOf(evidence.failed.expected ?? "")) === wordsOf(oneLine(text));

const wordsOf = (text: string): string => text.replace(/\d+/g, "0");

function textKey({ run }: Evidence, { own, text }: SeenElement): string {
  return run.facts.normaliser.text(own || text);
}

/**
 * What a live region says in words: pages show sums and counts in such regions too.
 * @param elements those of its page: what a person fills in is no message, but what an alert in it says
 */
export function messageOf(element: SeenElement, elements: readonly SeenElement[]): string | null {
  if (!isLive(element)) return null;
  const said = oneLine(element.text);
  if (said.length <= 1 || !/\p{L}/u.test(said) || isTitle(element, said, elements)) return null;
  return !isAlert(element) && fieldIn(element, elements) ? null : said;
}

/** Whether a live region reads out the title of a page that scripts went to: how it is headed, and the name of the site. */
const isTitle = (
  { role, attributes: { id = "" } }: SeenElement,
  said: string,
  elements: readonly SeenElement[],
) =>
  role !== "alert" &&
  (/announcer/i.test(id) ||
    elements.some(
      ({ tag, own }) =>
        tag === "h1" &&
        oneLine(own) !== "" &&
        said.startsWith(oneLine(own)) &&
        /^ [·|—–:-] \p{L}/u.test(said.slice(oneLine(own).length)),
    ));

const isLive = ({ role, attributes, tag }: SeenElement): boolean =>
  LIVE.has(role) ||
  /^(?:assertive|polite)$/.test(attributes["aria-live"] ?? "") ||
  (tag === "dialog" && "open" in attributes);

/** An alert says something, whatever it asks beside that. */
export const isAlert = ({ role }: SeenElement): boolean => role === "alert" || role === "alertdialog";

/** The first field that a person fills in within an element. */
export function fieldIn(element: SeenElement, elements: readonly SeenElement[]): SeenElement | undefined {
  return insideOf(elements, element).find((one) => !one.isHidden && isFilledIn(one));
}

const isFilledIn = ({ tag, attributes: { type = "" } }: SeenElement): boolean =>
  tag === "select" ||
  tag === "textarea" ||
  (tag === "input" && !/^(?:hidden|button|submit|reset|image)$/i.test(type));

/** Why a browser does not send a form with this field in it (HTML's constraint validation), as far as the markup tells. */
function heldBack({ tag, attributes, name }: SeenElement): string | null {
  if (!/^(?:input|textarea|select)$/.test(tag) || "disabled" in attributes) return null;
  if (/^(?:hidden|checkbox|radio|password|file|submit|button)$/.test(attributes.type ?? "")) return null;
  const field = quoted(name || attributes.name || attributes.id || tag, 80);
  const value = attributes.value ?? "";
  if ("required" in attributes && value === "" && tag !== "select")
    return `the field ${field} is required and stands empty`;
  if (attributes.type === "email" && value !== "" && !/^[^\s@]+@[^\s@]+$/.test(value))
    return `the field ${field} holds ${quoted(value, 60)}, which is no e-mail address`;
  return null;
}

/** What was pressed last, where it sent nothing: a form may wait to be sent. */
function pressedInVain({ run, failed }: Evidence): Step | undefined {
  const press = run.facts.steps.findLast(
    (step) =>
      step.kind === "agent.action" && PRESSES.test(step.name) && step.ts < failed.to && isPressed(step),
  );
  const isSent = (one: Exchange) =>
    one.ts >= press!.ts &&
    one.ts <= failed.to &&
    (one.type === "document" || CHANGING.has(one.method)) &&
    !isTracker(one.url);
  return press !== undefined && !run.facts.exchanges.some(isSent) ? press : undefined;
}

/** Whether a step came to press its element, as far as its log tells. */
const isPressed = ({ isFailed, log }: Step): boolean =>
  !isFailed || log.length === 0 || log.some((line) => /performing \w+ action/.test(line));

/** Whether what was pressed may belong to the form of a field, as far as its page is known. */
function mayBeOfForm(evidence: Evidence, press: Step, field: SeenElement): boolean {
  const act = knownActs(evidence).find(({ step }) => step.seq === press.seq);
  const pressed = act ? foundBy(act) : null;
  if (!act || !pressed) return mayStandInForm(press, field, evidence.run.page?.elements ?? []);
  const { elements } = act.met;
  const form = formOf(elements, pressed);
  return elements.some((one) => isSameField(one, field) && formOf(elements, one) === form);
}

/** The same by what is called so on the page when the step gave up, where nothing else is. */
function mayStandInForm(
  { params: { selector } }: Step,
  field: SeenElement,
  elements: readonly SeenElement[],
): boolean {
  const [pressed, ...others] = typeof selector === "string" ? elementsOf(selector, elements) : [];
  return !pressed || others.length > 0 || formOf(elements, pressed) === formOf(elements, field);
}

const PRESSES = /(?:^|\.)(?:click|dblclick|tap|press|check|setChecked)$/i;

function isHeldThere({ passes }: Evidence, element: SeenElement): boolean {
  return passes.some(({ page }) =>
    page?.elements.some((one) => one.name === element.name && heldBack(one) !== null),
  );
}
