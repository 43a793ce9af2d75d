import { CALLS, type Locator, type Part, type RoleStates, type TextKind, type TextMatch } from "./model.ts";
import { createReader, LocatorError, type Reader, type Value } from "./reader.ts";
import { parseTarget } from "./target.ts";

/** What a typed text means, or what is wrong with it and where (UTF-16 units from its start). */
export type Parsed = { isOk: true; locator: Locator } | { isOk: false; message: string; at: number };

const KIND_OF = new Map(Object.entries(CALLS).map(([kind, call]) => [call, kind as TextKind]));
const STATES = ["checked", "disabled", "expanded", "includeHidden", "pressed", "selected"] as const;
const LOOKS = [...KIND_OF.keys(), "getByRole", "locator", "frameLocator"];
const PLACES = ["first", "last", "nth"];
const KNOWN = [...LOOKS, ...PLACES, "filter", "and", "or", "contentFrame", "owner", "describe"];
/** What may be called on a frame. */
const OF_FRAMES = [...LOOKS, ...PLACES, "owner"];
const MOST_PARTS = 50;
const DEEPEST = 10;

/**
 * Reads a Playwright locator (`getByRole('button', { name: 'Pay' }).first()`), with or without `page.` before it, a step's
 * target (`button "Pay"`), a plain CSS selector, or an XPath. Nothing of it is run as code.
 */
export function parseLocator(text: string): Parsed {
  const lead = text.length - text.trimStart().length;
  const source = text.trimEnd().replace(/;$/, "");
  try {
    if (source.trim() === "") throw new LocatorError("Type a locator, a CSS selector or an XPath.", 0);
    if (/^\s*(?:await\s+)?(?:[\w$]+\s*\.\s*)*[\w$]+\s*\(/.test(source)) {
      const reader = createReader(source);
      const locator = chain(reader, 0);
      reader.end();
      return { isOk: true, locator };
    }
    const plain = source.trim();
    if (plain.startsWith("/")) return { isOk: true, locator: [{ by: "xpath", xpath: plain }] };
    return { isOk: true, locator: parseTarget(plain) ?? [selector(plain, lead)] };
  } catch (error) {
    if (!(error instanceof LocatorError)) throw error;
    return { isOk: false, message: error.message, at: Math.min(error.at, text.length) };
  }
}

function chain(reader: Reader, depth: number): Locator {
  if (depth > DEEPEST) throw new LocatorError("This is nested too deeply.", reader.at());
  const parts: Part[] = [];
  if (reader.word("await")) reader.space();
  do {
    const at = reader.at();
    const name = reader.name();
    if (parts.length === 0 && !reader.peeks("(")) continue;
    if (!KNOWN.includes(name))
      throw new LocatorError(`There is no ${name}(). Known are ${KNOWN.join(", ")}.`, at);
    const made = call(reader, name, at, depth);
    join(parts, name, made, at);
    if (depth > 0 && parts.some(({ by }) => by === "frame"))
      throw new LocatorError("A locator within another looks in the same frame, not into others.", at);
    if (parts.length > MOST_PARTS) throw new LocatorError("This chain is too long.", at);
  } while (reader.takes("."));
  if (parts.length === 0)
    throw new LocatorError("A call such as getByRole('button') should stand here.", reader.at());
  if (parts.at(-1)?.by === "frame")
    throw new LocatorError("What is looked for in the frame should follow, or .owner().", reader.at());
  return parts;
}

/** Puts a call's parts behind those before it. What follows a frame is looked for in it, or says which frame is meant. */
function join(parts: Part[], name: string, made: readonly Part[], at: number): void {
  const isInFrame = parts.at(-1)?.by === "frame";
  if (isInFrame && !OF_FRAMES.includes(name))
    throw new LocatorError(`${name}() cannot be called on a frame.`, at);
  if (name === "contentFrame" && parts.length === 0)
    throw new LocatorError("contentFrame() is called on the locator of a frame.", at);
  if (name === "owner" && !isInFrame) throw new LocatorError("owner() is called on a frame.", at);
  if (name === "owner") parts.pop();
  else if (isInFrame && PLACES.includes(name)) parts.splice(-1, 0, ...made);
  else parts.push(...made);
}

function call(reader: Reader, name: string, at: number, depth: number): Part[] {
  reader.expect("(");
  const args: Value[] = [];
  while (!reader.peeks(")")) {
    args.push(reader.value((inner) => chain(inner, depth + 1)));
    if (!reader.takes(",")) break;
  }
  reader.expect(")");
  const [first, second] = args;
  if (args.length > 2) throw new LocatorError(`${name}() takes at most two arguments.`, args[2]!.at);
  if (first && name !== "locator" && name !== "getByRole" && !KIND_OF.has(name) && second)
    throw new LocatorError(`${name}() takes one argument.`, second.at);
  switch (name) {
    case "contentFrame":
    case "owner":
    case "first":
    case "last":
      if (first) throw new LocatorError(`${name}() takes no argument.`, first.at);
      if (name === "owner") return [];
      if (name === "contentFrame") return [{ by: "frame" }];
      return [{ by: "nth", index: name === "first" ? 0 : -1 }];
    case "describe":
      if (first?.is !== "string") throw new LocatorError("describe() takes a text.", first?.at ?? at);
      return [];
    case "nth":
      if (first?.is !== "number" || !Number.isInteger(first.value))
        throw new LocatorError("nth() takes a whole number.", first?.at ?? at);
      return [{ by: "nth", index: first.value }];
    case "and":
    case "or":
      if (first?.is !== "locator") throw new LocatorError(`${name}() takes a locator.`, first?.at ?? at);
      return [{ by: name, locator: first.value }];
    case "filter":
      return filters(first, at);
    case "frameLocator":
    case "locator": {
      if (first?.is !== "string")
        throw new LocatorError(`${name}() takes a selector in quotes.`, first?.at ?? at);
      const found = selector(first.value, first.at + 1);
      if (name === "frameLocator") return [found, { by: "frame" }];
      return [found, ...(second ? filters(second, second.at) : [])];
    }
    case "getByRole":
      return [byRole(first, second, at)];
    default:
      return [byText(name, first, second, at)];
  }
}

/** XPath, or CSS as browsers know it: what else Playwright takes is named. */
function selector(selector: string, at: number): Part {
  if (/^\(*\/\/|^\.\.|^xpath=/.test(selector)) return { by: "xpath", xpath: selector.replace(/^xpath=/, "") };
  if (selector.startsWith("/"))
    throw new LocatorError("An XPath from the root is written with xpath= before it.", at);
  const own =
    /:(has-text|text|text-is|text-matches|visible|nth-match|right-of|left-of|above|below|near)\b/.exec(
      selector,
    );
  if (own)
    throw new LocatorError(
      `:${own[1]} is Playwright's own, not CSS. Use getByText() or .filter() for it.`,
      at + own.index,
    );
  const joined = selector.indexOf(">>");
  if (joined >= 0) throw new LocatorError("Join selectors with .locator(), not with >>.", at + joined);
  return { by: "css", css: selector.replace(/^css=/, "") };
}

function textOf(value: Value | undefined, isExact: boolean, what: string, at: number): TextMatch {
  if (value?.is === "string") return { is: "text", value: value.value, isExact };
  if (value?.is === "pattern") return { is: "pattern", source: value.source, flags: value.flags };
  throw new LocatorError(`${what} takes a text in quotes or a /pattern/.`, value?.at ?? at);
}

function fieldsOf(value: Value | undefined, known: readonly string[], what: string): Map<string, Value> {
  if (!value) return new Map();
  if (value.is !== "object") throw new LocatorError(`${what} takes options in { }.`, value.at);
  for (const [key, { at }] of value.fields)
    if (!known.includes(key))
      throw new LocatorError(`${what} has no option ${key}. Known are ${known.join(", ")}.`, at);
  return value.fields;
}

function flag(value: Value | undefined, name: string): boolean | null {
  if (!value) return null;
  if (value.is !== "boolean") throw new LocatorError(`${name} is true or false.`, value.at);
  return value.value;
}

function byText(name: string, first: Value | undefined, second: Value | undefined, at: number): Part {
  const kind = KIND_OF.get(name)!;
  const options = fieldsOf(second, kind === "testid" ? [] : ["exact"], `${name}()`);
  const isExact = kind === "testid" || (flag(options.get("exact"), "exact") ?? false);
  return { by: kind, text: textOf(first, isExact, `${name}()`, at) };
}

function byRole(first: Value | undefined, second: Value | undefined, at: number): Part {
  if (first?.is !== "string" || !/^[a-z]{1,40}$/i.test(first.value))
    throw new LocatorError("getByRole() takes the name of a role in quotes.", first?.at ?? at);
  const options = fieldsOf(second, ["name", "exact", "level", ...STATES], "getByRole()");
  const isExact = flag(options.get("exact"), "exact") ?? false;
  const named = options.get("name");
  const states: RoleStates = {};
  for (const state of STATES) {
    const wanted = flag(options.get(state), state);
    if (wanted !== null) states[state] = wanted;
  }
  const level = options.get("level");
  if (level) {
    if (level.is !== "number") throw new LocatorError("level is a number.", level.at);
    states.level = level.value;
  }
  return {
    by: "role",
    role: first.value.toLowerCase(),
    name: named ? textOf(named, isExact, "name", at) : null,
    states,
  };
}

function filters(value: Value | undefined, at: number): Part[] {
  if (!value) throw new LocatorError("filter() takes options in { }.", at);
  const options = fieldsOf(value, ["hasText", "hasNotText", "has", "hasNot", "visible"], "filter()");
  return [...options].map(([key, option]): Part => {
    if (key === "hasText" || key === "hasNotText") return { by: key, text: textOf(option, false, key, at) };
    if (key === "visible") return { by: "visible", isVisible: flag(option, key)! };
    if (option.is !== "locator") throw new LocatorError(`${key} takes a locator.`, option.at);
    return { by: key as "has" | "hasNot", locator: option.value };
  });
}
