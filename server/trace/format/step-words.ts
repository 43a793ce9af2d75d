import { cut } from "./error-text.ts";

/** What a step does, and on what, as a person says it. */
export interface StepWords {
  verb: string;
  /** Null for a step that acts on nothing in particular. */
  target: string | null;
}

/** A locator at the end of a title, as code has it. */
const LOCATOR = /\s((?:page\.|frame\.)?(?:locator|frameLocator|getBy[A-Z]\w*)\(.*)$/s;
const SCRIPT = /^(Evaluate) (.+)$/s;

/** Whether a step's title says on what, for lists that are too long to take each apart. */
export const hasTarget = (title: string): boolean => SCRIPT.test(title) || LOCATOR.test(title);

/** The title of a step in words: of `Expect "toBeVisible" getByRole('button', { name: 'Pay' })` the target is `button “Pay”`. */
export function stepWords(title: string): StepWords {
  const script = SCRIPT.exec(title);
  if (script && !LOCATOR.test(title)) return { verb: script[1]!, target: script[2]! };
  const at = LOCATOR.exec(title);
  if (!at) return { verb: title, target: null };
  const [from, to] = endsOf(at[1]!);
  const target = to === undefined ? locatorWords(from) : `${locatorWords(from)} to ${locatorWords(to)}`;
  return { verb: title.slice(0, at.index).trim(), target };
}

/** The same in one line. */
export function titleInWords(title: string): string {
  const { verb, target } = stepWords(title);
  return target === null ? verb : `${verb} ${target}`;
}

/**
 * The title of a step in at most so many characters. The outer calls of its locator go first, since they only say where the element
 * lies; a title that is still longer is cut.
 */
export function shortTitle(title: string, most: number): string {
  const at = title.length > most ? LOCATOR.exec(title) : null;
  const calls = at && callsOf(at[1]!.replace(/^(?:page|frame)\./, ""));
  for (const [begin, { name }] of calls?.entries() ?? []) {
    if (!(name in FINDERS)) continue;
    const inner = calls!.slice(begin).map((call) => `${call.name}(${call.args})`);
    const short = `${title.slice(0, at!.index + 1)}${inner.join(".")}`;
    if (short.length <= most) return short;
  }
  return cut(title, most);
}

/** The locator of a step, and of a drag the one that it leads to. */
function endsOf(locators: string): [from: string, to?: string] {
  for (const { index } of locators.matchAll(
    /\) to (?=(?:page\.|frame\.)?(?:locator|frameLocator|getBy[A-Z]\w{0,20})\()/g,
  )) {
    const from = locators.slice(0, index + 1);
    // The same words may stand in a text that is looked for.
    if (callsOf(from.replace(/^(?:page|frame)\./, ""))) return [from, locators.slice(index + 5)];
  }
  return [locators];
}

/** What the calls of a locator find, the innermost first: `button “Pay” in dialog “Checkout”`. What is not known stays code. */
export function locatorWords(locator: string): string {
  const calls = callsOf(locator.replace(/^(?:page|frame)\./, ""));
  if (!calls) return locator;
  let words = "";
  let within = "";
  for (const { name, args } of calls) {
    const found = FINDERS[name]?.(args);
    if (found !== undefined) {
      if (words !== "") within = within === "" ? words : `${words} in ${within}`;
      words = found;
      continue;
    }
    const narrowed = NARROWERS[name]?.(words, args);
    if (narrowed === undefined) return locator;
    words = narrowed;
  }
  return within === "" ? words : `${words} in ${within}`;
}

const BEGINS_LOCATOR = /(?<![\w.])(?:page\.|frame\.)?(?:locator|frameLocator|getBy[A-Z]\w{0,20})\(/g;
/** Of one sentence. */
const MOST_LOCATORS = 8;

/**
 * A sentence with its locators in words: of `getByRole('button', { name: 'Pay' }) was disabled` comes `The button “Pay” was disabled`, and of
 * a step in quotation marks, `“Click getByRole('button', { name: 'Pay' })”`, `“Click button ‘Pay’”`. What else stands in quotation marks
 * stays as it is, and so does what is not known.
 */
export function inWords(sentence: string): string {
  let said = "";
  let at = 0;
  for (const { index } of [...sentence.matchAll(BEGINS_LOCATOR)].slice(0, MOST_LOCATORS)) {
    if (index < at) continue;
    const locator = sentence.slice(index, locatorEnd(sentence, index));
    const words = locatorWords(locator);
    const quote = quoteAround(sentence, index);
    if (words === locator || (quote !== null && !isStep(sentence, quote, index, locator))) continue;
    const told =
      quote !== null
        ? words.replaceAll("“", "‘").replaceAll("”", "’")
        : `${index === 0 ? "The" : "the"} ${words}`;
    said += sentence.slice(at, index) + told;
    at = index + locator.length;
  }
  return said + sentence.slice(at);
}

/** Where the “ stands that a place of a sentence lies behind, before its ”; null where it lies in none. */
function quoteAround(sentence: string, at: number): number | null {
  const quote = sentence.lastIndexOf("“", at);
  return quote > sentence.lastIndexOf("”", at) ? quote : null;
}

/** What the recorder calls steps by: `Click`, `Select option`, `Fill "7"`. Lines of code begin in small letters. */
const VERB = /^[A-Z][a-z]+(?: [a-z]+)*(?: "[^"“”]*")? $/;

/** Whether a text in quotation marks is the whole title of a step that ends with this locator. */
const isStep = (sentence: string, quote: number, at: number, locator: string): boolean =>
  VERB.test(sentence.slice(quote + 1, at)) && sentence[at + locator.length] === "”";

/** Where the calls end that begin at a place. */
function locatorEnd(code: string, start: number): number {
  let at = start;
  for (;;) {
    const name = /^\.?(?:(?:page|frame)\.)?[A-Za-z]{1,40}\(/.exec(code.slice(at, at + 60));
    const end = name ? closingOf(code, at + name[0].length) : -1;
    if (end < 0) return at;
    at = end + 1;
  }
}

interface Call {
  name: string;
  args: string;
}

/** `a(…).b(…)` taken apart; null for anything else, such as a title that was cut. */
function callsOf(code: string): Call[] | null {
  const calls: Call[] = [];
  let at = 0;
  while (at < code.length) {
    const name = /^\.?([A-Za-z]+)\(/.exec(code.slice(at));
    if (!name) return null;
    const start = at + name[0].length;
    const end = closingOf(code, start);
    if (end < 0) return null;
    calls.push({ name: name[1]!, args: code.slice(start, end).trim() });
    at = end + 1;
  }
  return calls;
}

/** Where the bracket closes that was opened before `start`; -1 when it does not. */
function closingOf(code: string, start: number): number {
  let depth = 1;
  let quote = "";
  for (let at = start; at < code.length; at++) {
    const letter = code[at]!;
    if (letter === "\\") at += 1;
    else if (quote !== "") quote = letter === quote ? "" : quote;
    else if (letter === "'" || letter === '"' || letter === "`") quote = letter;
    else if (letter === "(") depth += 1;
    else if (letter === ")" && --depth === 0) return at;
  }
  return -1;
}

/** The first text or pattern of some arguments, without its quotes. */
function textOf(args: string): string | null {
  const [, quoted, pattern] = /^(?:'((?:[^'\\]|\\.)*)'|(\/(?:[^/\\]|\\.)+\/[a-z]*))/.exec(args) ?? [];
  if (quoted !== undefined) return quoted.replace(/\\(.)/g, "$1");
  return pattern ?? null;
}

const option = (args: string, name: string): string | null => {
  const at = new RegExp(`\\b${name}: `).exec(args);
  if (!at) return null;
  const rest = args.slice(at.index + at[0].length);
  return textOf(rest) ?? /^[\w.-]+/.exec(rest)?.[0] ?? null;
};

const said = (text: string | null): string =>
  text === null ? "" : text.startsWith("/") ? text : `“${text}”`;
const called = (what: string) => (args: string) => `${what} ${said(textOf(args))}`.trim();

const FINDERS: Record<string, (args: string) => string> = {
  getByRole(args) {
    const name = option(args, "name");
    const level = option(args, "level");
    return [textOf(args) ?? "", level && `level ${level}`, said(name)].filter(Boolean).join(" ");
  },
  getByText: called("text"),
  getByLabel: called("field"),
  getByPlaceholder: called("field with placeholder"),
  getByAltText: called("image"),
  getByTitle: called("title"),
  getByTestId: called("test id"),
  locator: (args) => textOf(args) ?? args,
  frameLocator: (args) => `frame ${textOf(args) ?? args}`,
};

const ORDINALS = ["1st", "2nd", "3rd"];

const NARROWERS: Record<string, (words: string, args: string) => string> = {
  first: (words) => `first ${words}`,
  last: (words) => `last ${words}`,
  nth: (words, args) => `${ORDINALS[Number(args)] ?? `${Number(args) + 1}th`} ${words}`,
  // A person has said what it is.
  describe: (words, args) => said(textOf(args)) || words,
  contentFrame: (words) => `frame ${words}`,
  filter(words, args) {
    const has = option(args, "hasText");
    const lacks = option(args, "hasNotText");
    if (has !== null) return `${words} with ${said(has)}`;
    if (lacks !== null) return `${words} without ${said(lacks)}`;
    return /visible: true/.test(args) ? `visible ${words}` : words;
  },
};
