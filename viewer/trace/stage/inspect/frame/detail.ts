import {
  LIFTED,
  SCROLLED,
  TARGET_STYLE,
} from "../../../../../server/trace/format/playwright/snapshot-attributes.ts";
import { type Brief, type ElementDetail, LONGEST_TEXT } from "../protocol.ts";
import { allStates, descriptionOf, fieldValue, isHidden, nameOf, roleOf } from "./aria.ts";
import type { Matcher } from "./match.ts";
import { normal, type PageIndex, type Pause, parentOf, textOf } from "./page.ts";
import { suggest } from "./suggest.ts";

const MOST_ATTRIBUTES = 60;
const MOST_AROUND = 30;
/** What the recorded page has in another form than the page had. */
const REWRITTEN = new Set([
  "href",
  "xlink:href",
  "src",
  "srcset",
  "poster",
  "background",
  "form",
  LIFTED,
  SCROLLED,
]);
const BRIEF_TEXT = 120;

const cut = (text: string, most = LONGEST_TEXT) => (text.length > most ? `${text.slice(0, most)}…` : text);

/** An element in few words. */
export function briefOf(page: PageIndex, element: Element): Brief {
  const role = roleOf(element);
  const id = element.getAttribute("id");
  const [first] = element.classList;
  const tag = `${element.localName}${id ? `#${id}` : first ? `.${first}` : ""}`;
  return {
    id: String(page.idOf(element)),
    tag: cut(tag, 80),
    role,
    name: role ? cut(nameOf(element), BRIEF_TEXT) : "",
  };
}

/** What outlines say of an element. */
export function labelOf({ tag, role, name }: Brief): string {
  return [tag, role === tag ? null : role, name && `“${cut(name, 60)}”`].filter(Boolean).join("  ");
}

/** Everything that the viewer shows of a chosen element. */
export async function detailOf(
  element: Element,
  page: PageIndex,
  matcher: Matcher,
  testIdAttribute: string,
  pause: Pause,
): Promise<ElementDetail> {
  const { x, y, width, height } = element.getBoundingClientRect();
  const value = fieldValue(element);
  return {
    ...briefOf(page, element),
    name: cut(nameOf(element)),
    description: cut(descriptionOf(element)),
    states: allStates(element),
    value: value === null ? null : cut(value),
    text: cut(normal(textOf(element))),
    box: {
      x: Math.round(x + scrollX),
      y: Math.round(y + scrollY),
      width: Math.round(width),
      height: Math.round(height),
    },
    attributes: attributesOf(element),
    suggestions: await suggest(element, matcher, testIdAttribute, pause),
    ancestors: ancestorsOf(page, element),
    isHidden: isHidden(element),
  };
}

/** What lies around an element in its document, the outermost first. */
export function ancestorsOf(page: PageIndex, element: Element): Brief[] {
  const ancestors: Brief[] = [];
  for (let at = parentOf(element); at && ancestors.length < MOST_AROUND; at = parentOf(at))
    ancestors.unshift(briefOf(page, at));
  return ancestors;
}

function attributesOf(element: Element): [string, string][] {
  const isPassword = element.getAttribute("type")?.toLowerCase() === "password";
  const found: [string, string][] = [];
  for (const { name, value } of element.attributes) {
    if (REWRITTEN.has(name) || found.length >= MOST_ATTRIBUTES) continue;
    const own = name === "style" ? value.replace(TARGET_STYLE, "").replace(/;$/, "") : value;
    if (name === "style" && !own.trim()) continue;
    found.push([
      cut(name, 100),
      isPassword && name === "value" ? "•".repeat(Math.min(40, own.length)) : cut(own),
    ]);
  }
  return found;
}
