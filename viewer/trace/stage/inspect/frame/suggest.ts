import { CALLS, type Locator, plain, type TextKind } from "../locator/model.ts";
import { writeTarget } from "../locator/target.ts";
import { writeLocator } from "../locator/write.ts";
import type { Suggestion } from "../protocol.ts";
import { nameOf, roleOf } from "./aria.ts";
import { labelsOf, type Matcher } from "./match.ts";
import { normal, type Pause, textOf } from "./page.ts";

const LONGEST = 80;
/** Attributes by which people tell elements apart in CSS, and which a recorded page still has. */
const TELLING = ["name", "type", "role", "aria-label", "title"];
/** Names that tools make anew with every build. */
const GENERATED = /\d{4,}|^(css|sc|jsx|svelte|ng|_)[-_]|[a-f\d]{8,}|:/i;

/** Every kind of locator that leads to an element, in Playwright's order of preference; the ones that find it alone first. */
export async function suggest(
  element: Element,
  matcher: Matcher,
  testIdAttribute: string,
  pause: Pause,
): Promise<Suggestion[]> {
  const kinds: Locator[][] = [];
  const role = roleOf(element);
  const name = role ? nameOf(element) : "";
  if (role && name && name.length <= LONGEST)
    kinds.push(
      [false, true].map((isExact) => [{ by: "role", role, name: plain(name, isExact), states: {} }]),
    );
  else if (role) kinds.push([[{ by: "role", role, name: null, states: {} }]]);
  for (const [kind, text] of textsOf(element, testIdAttribute)) {
    if (text.length === 0 || text.length > LONGEST) continue;
    kinds.push(
      (kind === "testid" ? [true] : [false, true]).map((isExact) => [
        { by: kind, text: plain(text, isExact) },
      ]),
    );
  }
  kinds.push([[{ by: "css", css: await cssOf(element, matcher, testIdAttribute, pause) }]]);

  const found: { suggestion: Suggestion; locator: Locator; place: number }[] = [];
  for (const variants of kinds) {
    let best: (typeof found)[number] | null = null;
    for (const locator of variants) {
      const elements = await matcher.find(locator, pause);
      const place = elements.indexOf(element);
      // Such as a text that a part of the element holds alone.
      if (place < 0 || (best && best.suggestion.count <= elements.length)) continue;
      best = { suggestion: told(locator, elements.length), locator, place };
      if (elements.length === 1) break;
    }
    if (best) found.push(best);
  }
  const alone = found.filter(({ suggestion }) => suggestion.count === 1);
  const [first] = found;
  const isOnlyCss = alone.every(({ locator }) => locator[0]?.by === "css");
  const counted =
    isOnlyCss && first && first.suggestion.count > 1
      ? [told([...first.locator, { by: "nth", index: first.place }], 1)]
      : [];
  const rest = found.filter(({ suggestion }) => suggestion.count !== 1);
  return [
    ...counted,
    ...alone.map(({ suggestion }) => suggestion),
    ...rest.map(({ suggestion }) => suggestion),
    ...(await xpathSuggestion(element, matcher, pause)),
  ];
}

/** The last resort: where an element stands. */
async function xpathSuggestion(element: Element, matcher: Matcher, pause: Pause): Promise<Suggestion[]> {
  const xpath = xpathOf(element);
  if (xpath === null) return [];
  const locator: Locator = [{ by: "xpath", xpath }];
  const found = await matcher.find(locator, pause);
  return found.includes(element) ? [told(locator, found.length)] : [];
}

/** Leads into the frame of an element: its CSS selector, as Playwright's recorder names frames. */
export async function frameLocator(
  element: Element,
  matcher: Matcher,
  testIdAttribute: string,
  pause: Pause,
): Promise<Locator> {
  return [{ by: "css", css: await cssOf(element, matcher, testIdAttribute, pause) }, { by: "frame" }];
}

function told(locator: Locator, count: number): Suggestion {
  return { code: writeLocator(locator), target: writeTarget(locator), count };
}

function textsOf(element: Element, testIdAttribute: string): [TextKind, string][] {
  const attribute = (name: string) => normal(element.getAttribute(name) ?? "");
  const isField = /^(input|select|textarea)$/.test(element.localName);
  const labels = labelsOf(element).map(normal);
  const texts: [TextKind, string][] = [
    ["label", labels[0] ?? ""],
    ["placeholder", attribute("placeholder")],
    [
      "text",
      isField && !/^(submit|button|reset)$/.test((element as HTMLInputElement).type)
        ? ""
        : normal(textOf(element)),
    ],
    ["testid", element.getAttribute(testIdAttribute) ?? ""],
    ["alt", attribute("alt")],
    ["title", attribute("title")],
  ];
  return texts.filter(([kind]) => kind in CALLS);
}

/** The shortest selector that finds an element alone, found by adding what is around it. */
async function cssOf(
  element: Element,
  matcher: Matcher,
  testIdAttribute: string,
  pause: Pause,
): Promise<string> {
  const isAlone = async (css: string) => {
    const found = await matcher.find([{ by: "css", css }], pause);
    return found.length === 1 && found[0] === element;
  };
  const tag = CSS.escape(element.localName);
  const own: string[] = [];
  if (element.id && !GENERATED.test(element.id)) own.push(`#${CSS.escape(element.id)}`);
  for (const name of [testIdAttribute, ...TELLING]) {
    const value = element.getAttribute(name);
    if (value && value.length <= LONGEST) own.push(`${tag}[${CSS.escape(name)}=${cssString(value)}]`);
  }
  const classes = [...element.classList].filter((one) => !GENERATED.test(one)).slice(0, 4);
  if (classes.length > 0) own.push(tag + classes.map((one) => `.${CSS.escape(one)}`).join(""));
  own.push(tag);
  for (const css of own) if (await isAlone(css)) return css;
  let path = stepOf(element);
  for (let at = element.parentElement; at; at = at.parentElement) {
    const anchor = at.id && !GENERATED.test(at.id) ? `#${CSS.escape(at.id)}` : null;
    if (anchor && (await isAlone(`${anchor} > ${path}`))) return `${anchor} > ${path}`;
    if (await isAlone(path)) return path;
    path = `${stepOf(at)} > ${path}`;
  }
  return path;
}

/** From the nearest element whose id is its own, else from the root. Null in shadow trees, which XPath does not see. */
function xpathOf(element: Element): string | null {
  if (element.getRootNode() !== document) return null;
  let path = "";
  for (let at: Element | null = element; at; at = at.parentElement) {
    const { id } = at;
    const isOwn = id && !GENERATED.test(id) && !id.includes('"');
    if (isOwn && document.querySelectorAll(`#${CSS.escape(id)}`).length === 1)
      return `//*[@id="${id}"]${path}`;
    path = `/${xpathStep(at)}${path}`;
  }
  return path;
}

const HTML = "http://www.w3.org/1999/xhtml";

function xpathStep(element: Element): string {
  const { localName: tag, namespaceURI } = element;
  const isPlain = namespaceURI === HTML && /^[a-z][\w-]*$/.test(tag);
  const step = isPlain ? tag : `*[name()="${element.nodeName.replaceAll('"', "")}"]`;
  const siblings = [...(element.parentNode?.childNodes ?? [])].filter(
    (node) => node instanceof Element && node.nodeName === element.nodeName,
  );
  return siblings.length > 1 ? `${step}[${siblings.indexOf(element) + 1}]` : step;
}

function stepOf(element: Element): string {
  const tag = CSS.escape(element.localName);
  const siblings = [...(element.parentNode?.childNodes ?? [])].filter(
    (node) => node instanceof Element && node.localName === element.localName,
  );
  return siblings.length > 1 ? `${tag}:nth-of-type(${siblings.indexOf(element) + 1})` : tag;
}

const cssString = (text: string) =>
  `"${text.replace(/["\\]/g, "\\$&").replace(/[\n\r\f]/g, (sign) => `\\${sign.charCodeAt(0).toString(16)} `)}"`;
