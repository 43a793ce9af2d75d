import { computeAccessibleDescription, computeAccessibleName, getRole } from "dom-accessibility-api";
import { normal, OWN, parentOf } from "./page.ts";

/** Within these, a header or footer is none of the page's. */
const SECTIONING =
  "article,aside,main,nav,section,[role=article],[role=complementary],[role=main],[role=navigation],[role=region]";
const PLAIN = new Set(["none", "presentation", "generic"]);
const MORE_ROLES: Record<string, string> = {
  p: "paragraph",
  blockquote: "blockquote",
  code: "code",
  caption: "caption",
  del: "deletion",
  ins: "insertion",
  em: "emphasis",
  strong: "strong",
  sub: "subscript",
  sup: "superscript",
  time: "time",
  meter: "meter",
  search: "search",
  svg: "img",
};
/** Their content is what they are called, and nothing of its own. */
export const CHILDLESS = new Set(
  "button checkbox img menuitemcheckbox menuitemradio meter option progressbar radio scrollbar separator slider switch tab".split(
    " ",
  ),
);

const roles = new WeakMap<Element, string | null>();
const names = new WeakMap<Element, string>();
const hidden = new WeakMap<Element, boolean>();

/** The role that assistive technology is told, null for what is only structure. WAI-ARIA 1.2, HTML-AAM. */
export function roleOf(element: Element): string | null {
  const known = roles.get(element);
  if (known !== undefined) return known;
  const role = computeRole(element);
  const told = role && !PLAIN.has(role) ? role : null;
  roles.set(element, told);
  return told;
}

function computeRole(element: Element): string | null {
  const tag = element.localName;
  const given = element.getAttribute("role")?.trim().split(/\s+/)[0]?.toLowerCase();
  if (given && !PLAIN.has(given)) return given;
  const found = getRole(element);
  if (found === null) return given ? null : (MORE_ROLES[tag] ?? null);
  if (tag === "header" || tag === "footer") return parentOf(element)?.closest(SECTIONING) ? null : found;
  if (tag === "section" || tag === "form") return isNamed(element) ? found : null;
  if (tag === "datalist" || tag === "html" || tag === "legend") return null;
  if (tag === "td") return element.closest("[role=grid],[role=treegrid]") ? "gridcell" : "cell";
  if (tag === "th") return element.getAttribute("scope") === "row" ? "rowheader" : "columnheader";
  if (tag === "img" && element.getAttribute("alt") === "") return null;
  return found;
}

function isNamed(element: Element): boolean {
  return ["aria-label", "aria-labelledby", "title"].some((name) => element.getAttribute(name)?.trim());
}

/** The accessible name, white space as one space. Accessible Name and Description Computation 1.2. */
export function nameOf(element: Element): string {
  const known = names.get(element);
  if (known !== undefined) return known;
  const name = normal(computeAccessibleName(element, { computedStyleSupportsPseudoElements: true }));
  names.set(element, name);
  return name;
}

export function descriptionOf(element: Element): string {
  return normal(computeAccessibleDescription(element));
}

/** Whether assistive technology passes over an element: not shown, invisible, or `aria-hidden` itself or around it. */
export function isHidden(element: Element): boolean {
  const known = hidden.get(element);
  if (known !== undefined) return known;
  const is = isCovered(element) || !isRendered(element);
  hidden.set(element, is);
  return is;
}

function isCovered(element: Element): boolean {
  for (let at: Element | null = element; at; at = parentOf(at))
    if (at.getAttribute("aria-hidden") === "true") return true;
  return element.closest("head,script,style,noscript,template") !== null;
}

/** Whether an element is laid out and can be seen, whatever its size. */
export function isRendered(element: Element): boolean {
  const shown =
    element.closest("select") && /^opt/.test(element.localName) ? element.closest("select")! : element;
  if (shown.checkVisibility({ visibilityProperty: true })) return true;
  const style = getComputedStyle(shown);
  if (style.display !== "contents" || style.visibility !== "visible") return false;
  const around = parentOf(shown);
  return around === null || isRendered(around);
}

/** A field's value as it is shown; a password is as many dots. */
export function fieldValue(element: Element): string | null {
  if (element instanceof HTMLTextAreaElement) return element.value;
  if (element instanceof HTMLSelectElement) {
    const chosen = [...element.options].filter((option) => option.selected);
    return chosen.map((option) => normal(option.label)).join(", ");
  }
  if (element instanceof HTMLInputElement) {
    if (element.type === "password") return "•".repeat(Math.min(element.value.length, 40));
    return /^(checkbox|radio|button|submit|reset|image|file|hidden)$/.test(element.type)
      ? null
      : element.value;
  }
  if (element instanceof HTMLProgressElement || element instanceof HTMLMeterElement)
    return String(element.value);
  return element.getAttribute("aria-valuetext") ?? element.getAttribute("aria-valuenow");
}

const CHECKABLE = /^(checkbox|radio|switch|menuitemcheckbox|menuitemradio|option|treeitem)$/;

function tristate(element: Element, attribute: string): boolean | "mixed" | null {
  const value = element.getAttribute(attribute);
  return value === "mixed" ? "mixed" : value === null ? null : value === "true";
}

/** Of an element what `getByRole` can ask for; null where it makes no sense. */
export interface States {
  checked: boolean | "mixed" | null;
  disabled: boolean;
  expanded: boolean | null;
  level: number | null;
  pressed: boolean | "mixed" | null;
  selected: boolean | null;
}

export function statesOf(element: Element): States {
  const role = roleOf(element) ?? "";
  return {
    checked: CHECKABLE.test(role) ? checkedOf(element) : null,
    disabled: element.matches(":disabled") || isAriaDisabled(element),
    expanded: expandedOf(element),
    level: levelOf(element, role),
    pressed: tristate(element, "aria-pressed"),
    selected:
      element instanceof HTMLOptionElement
        ? element.selected
        : (tristate(element, "aria-selected") as boolean | null),
  };
}

function checkedOf(element: Element): boolean | "mixed" | null {
  if (element instanceof HTMLInputElement && /^(checkbox|radio)$/.test(element.type))
    return element.indeterminate ? "mixed" : element.checked;
  return tristate(element, "aria-checked");
}

function isAriaDisabled(element: Element): boolean {
  for (let at: Element | null = element; at; at = parentOf(at)) {
    const value = at.getAttribute("aria-disabled");
    if (value !== null) return value === "true";
  }
  return false;
}

function expandedOf(element: Element): boolean | null {
  const given = element.getAttribute("aria-expanded");
  if (given !== null) return given === "true";
  const details = element.localName === "summary" ? element.parentElement : element;
  return details instanceof HTMLDetailsElement ? details.open : null;
}

function levelOf(element: Element, role: string): number | null {
  const given = Number(element.getAttribute("aria-level"));
  if (/^(heading|listitem|row|treeitem)$/.test(role) && Number.isInteger(given) && given > 0) return given;
  const [, level] = /^h([1-6])$/.exec(element.localName) ?? [];
  return role === "heading" ? Number(level ?? 2) : null;
}

/** States as Playwright's aria snapshots write them: `checked`, `level=2`. */
export function stateList(element: Element): string[] {
  const found: string[] = [];
  for (const [state, value] of Object.entries(statesOf(element))) {
    if (value === null || value === false) continue;
    found.push(value === true ? state : `${state}=${value}`);
  }
  return found;
}

/** The same with what only a closer look wants. */
export function allStates(element: Element): string[] {
  const has = (attribute: string, property: string) =>
    element.getAttribute(attribute) === "true" || (property !== "" && element.matches(property));
  const found = stateList(element);
  if (expandedOf(element) === false) found.push("collapsed");
  if (checkedOf(element) === false && CHECKABLE.test(roleOf(element) ?? "")) found.push("unchecked");
  if (has("aria-required", ":required")) found.push("required");
  if (
    has(
      "aria-readonly",
      "input:read-only:not([type=checkbox],[type=radio],[type=submit],[type=button]),textarea:read-only",
    )
  )
    found.push("read-only");
  if (has("aria-invalid", "")) found.push("invalid");
  const current = element.getAttribute("aria-current");
  if (current && current !== "false") found.push(current === "true" ? "current" : `current=${current}`);
  return found;
}

/** The nodes that are rendered in an element: its shadow tree, what is put into a slot, or its own. */
export function shownNodes(element: Element): Node[] {
  if (element.shadowRoot) return [...element.shadowRoot.childNodes];
  if (element instanceof HTMLSlotElement) {
    const assigned = element.assignedNodes();
    if (assigned.length > 0) return assigned;
  }
  return [...element.childNodes].filter((node) => !(node instanceof Element && node.hasAttribute(OWN)));
}
