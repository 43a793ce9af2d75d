import type { SeenElement } from "../page/page-view.ts";
import { isRecordedAttribute, MAX_TEXT } from "../page/page-view.ts";
import { both, type Certainty, either, MAYBE, NO, not, YES } from "./certainty.ts";

/** A selector of a style sheet, read as far as recorded elements can be compared with it (CSS Selectors 4). */
export interface Selector {
  text: string;
  /** Ids, then classes and attributes, then tags, as one number. */
  specificity: number;
  /** From the outermost to the element's own. */
  parts: Part[];
}

interface Part {
  /** What stands between this part and the one before it. */
  within: " " | ">" | "beside";
  tests: Test[];
}

/** @param chain from the outermost element; @param at the element that is tested */
type Test = (chain: readonly SeenElement[], at: number) => Certainty;

const LONGEST = 1_000;
const MOST_PARTS = 30;
const DEEPEST = 4;
const IDS = 1_000_000;
const CLASSES = 1_000;

const NAME = /(?:[\w-]|[^\0-\x7f]|\\(?:[\da-f]{1,6}\s?|[^\n\da-f]))+/iy;
const GAP = /\s*([>+~])\s*|\s+/y;
const PSEUDO = /:(:?[\w-]+)/y;
const ATTRIBUTE =
  /\[\s*([\w-]+)\s*(?:([~|^$*]?=)\s*(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|([\w-]+))\s*)?(?:([is])\s*)?\]/iy;
/** What nobody does to an element that a step waits for, and what is drawn beside an element. */
const ELSEWHERE =
  /^(?::.*|hover|active|focus|focus-visible|focus-within|target|fullscreen|before|after|first-line|first-letter)$/;
/** States that stand in an attribute. */
const STATES = new Set(["checked", "disabled", "required"]);

/** The selectors of a list. @returns those of it that can be read to their end */
export function readSelectors(list: string, depth = 0): Selector[] {
  return splitList(list).flatMap((text) => readSelector(text.trim(), depth) ?? []);
}

/** A list at the commas that stand in no brackets. */
export function splitList(list: string): string[] {
  if (!list.includes(",")) return [list];
  const found: string[] = [];
  let [from, open] = [0, 0];
  for (let at = 0; at < list.length; at++) {
    const sign = list[at];
    if (sign === "\\") at++;
    else if (sign === "(" || sign === "[") open++;
    else if (sign === ")" || sign === "]") open--;
    else if (sign === "," && open === 0) {
      found.push(list.slice(from, at));
      from = at + 1;
    }
  }
  return [...found, list.slice(from)];
}

function readSelector(text: string, depth: number): Selector | null {
  if (text === "" || text.length > LONGEST || depth > DEEPEST) return null;
  const parts: Part[] = [{ within: " ", tests: [] }];
  let specificity = 0;
  let at = 0;
  const add = (test: Test, more: number) => {
    parts.at(-1)!.tests.push(test);
    specificity += more;
  };
  const name = (): string | null => {
    NAME.lastIndex = at;
    const found = NAME.exec(text)?.[0];
    if (found === undefined) return null;
    at += found.length;
    return unescaped(found);
  };
  while (at < text.length) {
    const sign = text[at]!;
    GAP.lastIndex = at;
    const gap = GAP.exec(text);
    if (gap) {
      at = GAP.lastIndex;
      if (parts.at(-1)!.tests.length === 0 || parts.length >= MOST_PARTS) return null;
      parts.push({ within: gap[1] === undefined ? " " : gap[1] === ">" ? ">" : "beside", tests: [] });
    } else if (sign === "*") {
      at++;
      add(() => YES, 0);
    } else if (sign === "#" || sign === ".") {
      at++;
      const wanted = name();
      if (wanted === null) return null;
      if (sign === "#") add(hasId(wanted), IDS);
      else add(hasClass(wanted), CLASSES);
    } else if (sign === "[") {
      ATTRIBUTE.lastIndex = at;
      const found = ATTRIBUTE.exec(text);
      if (!found) return null;
      at = ATTRIBUTE.lastIndex;
      const [, key, operator, a, b, c, flag] = found;
      add(hasAttribute(key!.toLowerCase(), operator, unescaped(a ?? b ?? c ?? ""), flag), CLASSES);
    } else if (sign === ":") {
      PSEUDO.lastIndex = at;
      const found = PSEUDO.exec(text);
      if (!found) return null;
      at = PSEUDO.lastIndex;
      const inside = text[at] === "(" ? bracketed(text, at) : null;
      if (text[at] === "(" && inside === null) return null;
      if (inside !== null) at += inside.length + 2;
      const [test, more] = pseudo(found[1]!.toLowerCase(), inside, depth);
      add(test, more);
    } else {
      const wanted = name();
      if (wanted === null || parts.at(-1)!.tests.length > 0) return null;
      add(hasTag(wanted.toLowerCase()), 1);
    }
  }
  return parts.at(-1)!.tests.length === 0 ? null : { text, specificity, parts };
}

/** What stands in the brackets that open there; null where they never close. */
function bracketed(text: string, from: number): string | null {
  let open = 0;
  for (let at = from; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === "(") open++;
    else if (text[at] === ")" && --open === 0) return text.slice(from + 1, at);
  }
  return null;
}

const unescaped = (name: string): string =>
  !name.includes("\\")
    ? name
    : name.replace(/\\(?:([\da-f]{1,6})\s?|(.))/gi, (_whole, code?: string, sign?: string) => {
        const point = Number.parseInt(code ?? "", 16);
        return sign ?? (point > 0 && point <= 0x10ffff ? String.fromCodePoint(point) : "\ufffd");
      });

function pseudo(name: string, inside: string | null, depth: number): [Test, number] {
  const isList = name === "not" || name === "is" || name === "where";
  if (isList && inside !== null) {
    const list = readSelectors(inside, depth + 1);
    // What stands around it is not asked again for each of those in brackets.
    const isRead = list.length === splitList(inside).length && list.every(({ parts }) => parts.length === 1);
    const some: Test = (chain, at) =>
      isRead
        ? list.reduce<Certainty>((held, { parts: [part] }) => either(held, holds(part!, chain, at)), NO)
        : MAYBE;
    const more = name === "where" ? 0 : Math.max(0, ...list.map(({ specificity }) => specificity));
    return [name === "not" ? (chain, at) => not(some(chain, at)) : some, more];
  }
  if (name === "root") return [hasTag("html"), CLASSES];
  if (ELSEWHERE.test(name)) return [() => NO, CLASSES];
  if (STATES.has(name)) return [hasAttribute(name, undefined, "", undefined), CLASSES];
  return [() => MAYBE, CLASSES];
}

const sure = (holds: boolean): Certainty => (holds ? YES : NO);

const hasTag =
  (tag: string): Test =>
  (chain, at) =>
    sure(chain[at]!.tag === tag);

const hasId =
  (id: string): Test =>
  (chain, at) =>
    sure(chain[at]!.attributes.id === id);

function hasClass(name: string): Test {
  return (chain, at) => {
    const own = chain[at]!.attributes.class ?? "";
    if (own === name || (own.includes(name) && own.split(/\s+/).includes(name))) return YES;
    // What is too long was cut.
    return own.length >= MAX_TEXT ? MAYBE : NO;
  };
}

function hasAttribute(
  key: string,
  operator: string | undefined,
  value: string,
  flag: string | undefined,
): Test {
  return (chain, at) => {
    // What a field holds is recorded in the place of what its markup gave it.
    if (!isRecordedAttribute(key) || key === "value" || flag?.toLowerCase() === "i") return MAYBE;
    const own = chain[at]!.attributes[key];
    if (own === undefined) return NO;
    if (operator === undefined) return YES;
    if (own.length >= MAX_TEXT) return MAYBE;
    if (operator === "=") return sure(own === value);
    if (operator === "~=") return sure(own.split(/\s+/).includes(value));
    if (operator === "|=") return sure(own === value || own.startsWith(`${value}-`));
    if (value === "") return NO;
    return sure(
      operator === "^="
        ? own.startsWith(value)
        : operator === "$="
          ? own.endsWith(value)
          : own.includes(value),
    );
  };
}

const holds = ({ tests }: Part, chain: readonly SeenElement[], at: number): Certainty =>
  tests.reduce<Certainty>((held, test) => (held === NO ? NO : both(held, test(chain, at))), YES);

/** Whether a selector names the element at a place of a chain, which begins with the outermost one around it. */
export function matches({ parts }: Selector, chain: readonly SeenElement[], at: number): Certainty {
  const own = holds(parts.at(-1)!, chain, at);
  if (own === NO || parts.length === 1) return own;
  // How far the parts before hold that end at each element: each part is asked of each element once.
  let before: Certainty[] | null = null;
  for (const [nth, part] of parts.entries()) {
    const now: Certainty[] = [];
    let somewhere: Certainty = NO;
    for (let place = 0; place <= at; place++) {
      const from: Certainty =
        before === null
          ? YES
          : part.within === ">"
            ? (before[place - 1] ?? NO)
            : part.within === " "
              ? somewhere
              : // What stands beside an element is not looked for.
                MAYBE;
      const isOwn = nth === parts.length - 1;
      now.push(
        from === NO || (isOwn && place < at) ? NO : both(from, isOwn ? own : holds(part, chain, place)),
      );
      if (before !== null) somewhere = either(somewhere, before[place]!);
    }
    before = now;
  }
  return before![at]!;
}
