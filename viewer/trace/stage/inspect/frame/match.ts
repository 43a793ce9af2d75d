import type { Locator, Part, TextMatch } from "../locator/model.ts";
import { writeLocator } from "../locator/write.ts";
import { isHidden, isRendered, nameOf, roleOf, statesOf } from "./aria.ts";
import { normal, type PageIndex, type Pause, parentOf, textOf } from "./page.ts";

/** A selector that browsers refuse. */
export class SelectorError extends Error {
  override name = "SelectorError";
}

export interface Matcher {
  /** All elements that a locator finds, in document order. @throws SelectorError */
  find(locator: Locator, pause: Pause): Promise<Element[]>;
  /** The same, with how many were left after each call. */
  trace(
    locator: Locator,
    pause: Pause,
  ): Promise<{ found: Element[]; steps: { code: string; count: number }[] }>;
}

/** Compares as Playwright does: plain text anywhere and whatever its case, exact text whole, both by white space as one. */
export function textTest(match: TextMatch): (text: string) => boolean {
  if (match.is === "pattern") {
    const pattern = new RegExp(match.source, match.flags.replace(/[gy]/g, ""));
    return (text) => pattern.test(normal(text));
  }
  const wanted = normal(match.value);
  if (match.isExact) return (text) => normal(text) === wanted;
  const lower = wanted.toLowerCase();
  return (text) => normal(text).toLowerCase().includes(lower);
}

const ATTRIBUTES = { placeholder: "placeholder", alt: "alt", title: "title" } as const;
const LABELLED = /^(button|meter|output|progress|select|textarea|input)$/;

/** The texts that label an element. */
export function labelsOf(element: Element): string[] {
  const named = element.getAttribute("aria-labelledby")?.trim();
  if (named) {
    const root = element.getRootNode() as Document | ShadowRoot;
    const found = named.split(/\s+/).map((id) => root.getElementById(id));
    const texts = found.filter((one) => one !== null).map((one) => textOf(one));
    if (texts.length > 0) return texts;
  }
  const label = element.getAttribute("aria-label");
  if (label?.trim()) return [label];
  if (!LABELLED.test(element.localName)) return [];
  return [...((element as HTMLInputElement).labels ?? [])].map((one) => textOf(one));
}

/** Finds what locators name in a page. */
export function createMatcher(page: PageIndex, testIdAttribute: string): Matcher {
  async function filter(elements: readonly Element[], test: (element: Element) => boolean, pause: Pause) {
    const found: Element[] = [];
    for (const element of elements) {
      if (test(element)) found.push(element);
      await pause();
    }
    return found;
  }

  function roleTest(part: Part & { by: "role" }): (element: Element) => boolean {
    const named = part.name ? textTest(part.name) : null;
    const { includeHidden, ...states } = part.states;
    const wanted = Object.entries(states);
    return (element) => {
      if (roleOf(element) !== part.role || (!includeHidden && isHidden(element))) return false;
      if (wanted.length > 0) {
        const actual = statesOf(element) as unknown as Record<string, unknown>;
        if (!wanted.every(([state, value]) => (actual[state] ?? false) === value)) return false;
      }
      return named === null || named(nameOf(element));
    };
  }

  /** By text the innermost elements count: of those that hold it, the ones within which none does. */
  async function byText(text: TextMatch, pause: Pause): Promise<Element[]> {
    const matches = textTest(text);
    // What an element does not hold, none within it does: most of a page is passed over.
    const lower = text.is === "text" ? normal(text.value).toLowerCase() : null;
    const mayHold = (element: Element) =>
      lower === null || normal(textOf(element)).toLowerCase().includes(lower);
    const isTextless = (element: Element) =>
      /^(script|style|noscript)$/.test(element.localName) || element.closest("head");
    const skipped = new Set<Element>();
    const found = new Set<Element>();
    for (const element of page.elements) {
      await pause();
      const around = parentOf(element);
      if (around && skipped.has(around)) {
        skipped.add(element);
        continue;
      }
      if (!mayHold(element)) skipped.add(element);
      else if (!isTextless(element) && matches(textOf(element))) {
        for (let at = around; at; at = parentOf(at)) if (found.delete(at)) break;
        found.add(element);
      }
    }
    return [...found];
  }

  async function byCss(css: string, scopes: readonly Element[] | null, pause: Pause): Promise<Element[]> {
    const selector = /^\s*[>+~]/.test(css) ? `:scope ${css}` : css;
    const found = new Set<Element>();
    const take = (root: ParentNode) => {
      try {
        for (const element of root.querySelectorAll(selector))
          if (page.idOf(element) >= 0) found.add(element);
      } catch {
        throw new SelectorError(`The browser does not know this selector: ${css}`);
      }
    };
    if (!scopes) for (const root of page.roots) take(root);
    for (const scope of scopes ?? []) {
      take(scope);
      for (const root of page.roots)
        if (root instanceof ShadowRoot && isWithin(root.host, scope, true)) take(root);
      await pause();
    }
    return inOrder(found);
  }

  /** As Playwright evaluates it: in the document, without shadow trees; a path from the root begins at the scope. */
  async function byXpath(xpath: string, scopes: readonly Element[] | null, pause: Pause): Promise<Element[]> {
    const expression = scopes && xpath.startsWith("/") ? `.${xpath}` : xpath;
    const found = new Set<Element>();
    for (const scope of scopes ?? [document]) {
      for (const node of nodesOf(expression, scope))
        if (node instanceof Element && page.idOf(node) >= 0) found.add(node);
      await pause();
    }
    return inOrder(found);
  }

  const inOrder = (found: Iterable<Element>) => [...found].sort((a, b) => page.idOf(a) - page.idOf(b));

  /** What a call finds in the whole page. */
  async function everywhere(part: Part, pause: Pause): Promise<Element[]> {
    switch (part.by) {
      case "role":
        return filter(page.elements, roleTest(part), pause);
      case "text":
        return byText(part.text, pause);
      case "label": {
        const matches = textTest(part.text);
        return filter(page.elements, (element) => labelsOf(element).some(matches), pause);
      }
      case "placeholder":
      case "alt":
      case "title":
      case "testid": {
        const attribute = part.by === "testid" ? testIdAttribute : ATTRIBUTES[part.by];
        const matches =
          part.by === "testid" && part.text.is === "text" ? whole(part.text.value) : textTest(part.text);
        return filter(
          page.elements,
          (element) => {
            const value = element.getAttribute(attribute);
            return value !== null && matches(value);
          },
          pause,
        );
      }
      default:
        throw new SelectorError("A locator begins with what it looks for.");
    }
  }

  async function narrow(found: Element[], part: Part, pause: Pause): Promise<Element[] | null> {
    switch (part.by) {
      case "nth": {
        const one = found.at(part.index);
        return one ? [one] : [];
      }
      case "hasText":
      case "hasNotText": {
        const matches = textTest(part.text);
        return filter(found, (element) => matches(textOf(element)) === (part.by === "hasText"), pause);
      }
      case "has":
      case "hasNot": {
        const inner = await find(part.locator, pause);
        const wanted = part.by === "has";
        return filter(
          found,
          (element) => inner.some((one) => one !== element && isWithin(one, element, false)) === wanted,
          pause,
        );
      }
      case "and": {
        const other = new Set(await find(part.locator, pause));
        return found.filter((element) => other.has(element));
      }
      case "or":
        return inOrder(new Set([...found, ...(await find(part.locator, pause))]));
      case "visible":
        return filter(found, (element) => isSeen(element) === part.isVisible, pause);
      default:
        return null;
    }
  }

  async function apply(found: Element[] | null, part: Part, pause: Pause): Promise<Element[]> {
    const narrowed = found ? await narrow(found, part, pause) : null;
    if (narrowed) return narrowed;
    if (part.by === "css") return byCss(part.css, found, pause);
    if (part.by === "xpath") return byXpath(part.xpath, found, pause);
    const all = await everywhere(part, pause);
    if (!found) return all;
    const scopes = new Set(found);
    return filter(all, (element) => hasAround(element, scopes), pause);
  }

  async function trace(locator: Locator, pause: Pause) {
    let found: Element[] | null = null;
    const steps: { code: string; count: number }[] = [];
    for (const part of locator) {
      found = await apply(found, part, pause);
      steps.push({ code: writeLocator([part]), count: found.length });
    }
    return { found: found ?? [], steps };
  }

  const find = async (locator: Locator, pause: Pause) => (await trace(locator, pause)).found;
  return { find, trace };
}

function* nodesOf(xpath: string, scope: Node): Generator<Node> {
  let result: XPathResult;
  try {
    result = new XPathEvaluator().evaluate(xpath, scope, null, XPathResult.ORDERED_NODE_SNAPSHOT_TYPE);
  } catch {
    throw new SelectorError(`The browser does not know this XPath, or it names no elements: ${xpath}`);
  }
  for (let at = 0; at < result.snapshotLength; at++) yield result.snapshotItem(at)!;
}

const whole = (value: string) => (text: string) => text === value;

function isSeen(element: Element): boolean {
  const { width, height } = element.getBoundingClientRect();
  return width > 0 && height > 0 && isRendered(element);
}

function isWithin(element: Element, around: Element, isSelfMeant: boolean): boolean {
  for (let at: Element | null = isSelfMeant ? element : parentOf(element); at; at = parentOf(at))
    if (at === around) return true;
  return false;
}

function hasAround(element: Element, scopes: ReadonlySet<Element>): boolean {
  for (let at = parentOf(element); at; at = parentOf(at)) if (scopes.has(at)) return true;
  return false;
}
