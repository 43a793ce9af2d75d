import type { Locator } from "./model.ts";

/** What is wrong with a typed locator. `at` counts UTF-16 units from its start. */
export class LocatorError extends Error {
  override name = "LocatorError";
  readonly at: number;

  constructor(message: string, at: number) {
    super(message);
    this.at = at;
  }
}

/** An argument of a call. */
export type Value = { at: number } & (
  | { is: "string"; value: string }
  | { is: "pattern"; source: string; flags: string }
  | { is: "number"; value: number }
  | { is: "boolean"; value: boolean }
  | { is: "object"; fields: Map<string, Value> }
  | { is: "locator"; value: Locator }
);

export type Reader = ReturnType<typeof createReader>;

const ESCAPED: Record<string, string> = { n: "\n", r: "\r", t: "\t", b: "\b", f: "\f", v: "\v", "0": "\0" };
const NUMBER = /-?\d{1,9}(?![\w.])/y;
const NAME = /[A-Za-z_$][\w$]*/y;

/** Reads the few things of JavaScript that locators are written with, from left to right. */
export function createReader(source: string) {
  let at = 0;

  function space(): void {
    while (at < source.length && /\s/.test(source[at]!)) at += 1;
  }

  function fail(message: string, where = at): never {
    throw new LocatorError(message, where);
  }

  function found(): string {
    return at < source.length ? `not ${JSON.stringify(source[at])}` : "but the text ends";
  }

  function peeks(sign: string): boolean {
    space();
    return source.startsWith(sign, at);
  }

  function takes(sign: string): boolean {
    if (!peeks(sign)) return false;
    at += sign.length;
    return true;
  }

  function expect(sign: string): void {
    if (!takes(sign)) fail(`${sign} should stand here, ${found()}.`);
  }

  function match(pattern: RegExp): string | null {
    space();
    pattern.lastIndex = at;
    const text = pattern.exec(source)?.[0] ?? null;
    if (text) at += text.length;
    return text;
  }

  function name(): string {
    return match(NAME) ?? fail(`A name should stand here, ${found()}.`);
  }

  function word(wanted: string): boolean {
    const start = at;
    if (match(NAME) === wanted) return true;
    at = start;
    return false;
  }

  function string(): string {
    const start = at;
    const quote = source[at++]!;
    let text = "";
    while (at < source.length && source[at] !== quote) {
      const character = source[at++]!;
      if (quote === "`" && character === "$" && source[at] === "{")
        fail("A template with values in it cannot be tried: write out its text.", at - 1);
      if (character === "\n" && quote !== "`") fail("This text has no end.", start);
      text += character === "\\" ? escaped() : character;
    }
    if (at >= source.length) fail("This text has no end.", start);
    at += 1;
    return text;
  }

  function escaped(): string {
    const character = source[at++] ?? fail("This text has no end.", at - 1);
    if (character === "u" || character === "x") {
      const pattern = character === "x" ? /[\da-f]{2}/iy : /\{[\da-f]{1,6}\}|[\da-f]{4}/iy;
      pattern.lastIndex = at;
      const digits = pattern.exec(source)?.[0] ?? fail("This escape is not complete.", at - 2);
      const code = Number.parseInt(digits.replace(/[{}]/g, ""), 16);
      if (code > 0x10ffff) fail("There is no such character.", at - 2);
      at += digits.length;
      // Not fromCodePoint: two halves, each escaped, are one character.
      return digits.startsWith("{") ? String.fromCodePoint(code) : String.fromCharCode(code);
    }
    if (character === "\n") return "";
    return ESCAPED[character] ?? character;
  }

  function pattern(start: number): Value {
    at += 1;
    const from = at;
    let isClass = false;
    while (at < source.length && (isClass || source[at] !== "/")) {
      if (source[at] === "\n") fail("This pattern has no end.", start);
      if (source[at] === "\\") at += 1;
      else if (source[at] === "[") isClass = true;
      else if (source[at] === "]") isClass = false;
      at += 1;
    }
    if (at >= source.length) fail("This pattern has no end.", start);
    const body = source.slice(from, at);
    at += 1;
    let flags = "";
    while (/[a-z]/i.test(source[at] ?? "")) flags += source[at++];
    try {
      new RegExp(body, flags);
    } catch (error) {
      fail(`This pattern is not right: ${error instanceof Error ? error.message : String(error)}.`, start);
    }
    return { at: start, is: "pattern", source: body, flags };
  }

  function object(start: number, nested: (reader: Reader) => Locator): Value {
    const fields = new Map<string, Value>();
    at += 1;
    while (!peeks("}")) {
      space();
      const key = source[at] === "'" || source[at] === '"' ? string() : name();
      expect(":");
      fields.set(key, value(nested));
      if (!takes(",")) break;
    }
    expect("}");
    return { at: start, is: "object", fields };
  }

  /** Anything that may stand between the brackets of a call; `nested` reads a locator. */
  function value(nested: (reader: Reader) => Locator): Value {
    space();
    const start = at;
    const first = source[at];
    if (first === "'" || first === '"' || first === "`") return { at: start, is: "string", value: string() };
    if (first === "/") return pattern(start);
    if (first === "{") return object(start, nested);
    const number = match(NUMBER);
    if (number !== null) return { at: start, is: "number", value: Number(number) };
    if (word("true")) return { at: start, is: "boolean", value: true };
    if (word("false")) return { at: start, is: "boolean", value: false };
    if (/[A-Za-z_$]/.test(first ?? "")) return { at: start, is: "locator", value: nested(self) };
    return fail(`A value should stand here, ${found()}.`);
  }

  const self = {
    at: () => {
      space();
      return at;
    },
    space,
    peeks,
    takes,
    expect,
    name,
    word,
    value,
    /** Nothing may follow. */
    end(): void {
      space();
      if (at < source.length) fail(`The locator ends here, yet ${JSON.stringify(source[at])} follows.`);
    },
  };
  return self;
}
