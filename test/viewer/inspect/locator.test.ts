import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  isHeavy,
  type Locator,
  type Part,
  TEXT_KINDS,
} from "../../../viewer/trace/stage/inspect/locator/model.ts";
import { parseLocator } from "../../../viewer/trace/stage/inspect/locator/parse.ts";
import { writeTarget } from "../../../viewer/trace/stage/inspect/locator/target.ts";
import { quoted, writeLocator } from "../../../viewer/trace/stage/inspect/locator/write.ts";

const anyText = fc.string({ unit: "binary", maxLength: 30 });
const halves = fc.string({
  unit: fc.constantFrom(
    "'",
    '"',
    "\\",
    "\n",
    "\r",
    "\u2028",
    "\u2029",
    "`",
    "$",
    "{",
    "\ud83d",
    "\ude00",
    "</script>",
    "\0",
    "7",
  ),
});
const hostile = fc.oneof(anyText, halves);

const matched = fc.oneof(
  fc.record({ is: fc.constant("text" as const), value: hostile, isExact: fc.boolean() }),
  fc.record({
    is: fc.constant("pattern" as const),
    source: fc.constantFrom("Pay", "^a\\/b$", "[/\\]]x", "\\d+ (?:items|Stück)"),
    flags: fc.constantFrom("", "i", "u"),
  }),
);
const whole = hostile.map((value) => ({ is: "text" as const, value, isExact: true }));
const states = fc.record(
  { checked: fc.boolean(), disabled: fc.boolean(), includeHidden: fc.boolean(), level: fc.nat(6) },
  { requiredKeys: [] },
);
const first: fc.Arbitrary<Part> = fc.oneof(
  fc.record({
    by: fc.constant("role" as const),
    role: fc.constantFrom("button", "link"),
    name: fc.option(matched),
    states,
  }),
  fc.record({ by: fc.constantFrom(...TEXT_KINDS.filter((kind) => kind !== "testid")), text: matched }),
  fc.record({ by: fc.constant("testid" as const), text: whole }),
  fc.record({
    by: fc.constant("css" as const),
    css: fc.constantFrom("#pay", 'a[title="it\'s"]', "ul > li:nth-of-type(2)"),
  }),
);
const later: fc.Arbitrary<Part> = fc.oneof(
  first,
  fc.record({ by: fc.constant("nth" as const), index: fc.integer({ min: -9, max: 99 }) }),
  fc.record({
    by: fc.constantFrom("hasText" as const, "hasNotText" as const),
    text: matched.map((one) => (one.is === "text" ? { ...one, isExact: false } : one)),
  }),
  fc.record({ by: fc.constant("visible" as const), isVisible: fc.boolean() }),
  fc.record({
    by: fc.constantFrom("has" as const, "hasNot" as const, "and" as const, "or" as const),
    locator: first.map((part) => [part]),
  }),
);
const locators: fc.Arbitrary<Locator> = fc
  .tuple(first, fc.array(later, { maxLength: 4 }))
  .map(([start, more]) => [start, ...more]);

const parsed = (text: string) => {
  const result = parseLocator(text);
  if (!result.isOk) throw new Error(`${text}: ${result.message}`);
  return result.locator;
};

describe("locators as code", () => {
  test("what is written is read back the same", () => {
    fc.assert(
      fc.property(locators, (locator) => expect(parsed(writeLocator(locator, "page."))).toEqual(locator)),
    );
  });

  test("any text in quotes is a string literal of exactly that text, on one line", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const code = quoted(text);
        expect(code).not.toMatch(/[\n\r\u2028\u2029]/);
        expect(new Function(`"use strict"; return ${code}`)()).toBe(text);
      }),
    );
  });

  test("a target is read back as what it was written from, text by one white space", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('"', "\\", " ", "a", "Ü", "'") }), (text) => {
        const value = text.trim().replace(/\s+/g, " ");
        const locator: Locator = [{ by: "text", text: { is: "text", value, isExact: false } }];
        expect(parsed(writeTarget(locator)!)).toEqual(locator);
      }),
    );
  });

  test("targets use the words of scenarios, and there is none for what they cannot say", () => {
    const targetOf = (code: string) => writeTarget(parsed(code));
    expect(targetOf("getByRole('button', { name: 'Pay' })")).toBe('button "Pay"');
    expect(targetOf("getByRole('textbox', { name: 'Email' })")).toBe('field "Email"');
    expect(targetOf("getByLabel('Email')")).toBe('field "Email"');
    expect(targetOf("getByTestId('a\"b')")).toBe('testid "a\\"b"');
    expect(targetOf("#a > b")).toBe('css "#a > b"');
    expect(targetOf("getByPlaceholder('Name')")).toBeNull();
    expect(targetOf("getByRole('button', { name: /Pay/ })")).toBeNull();
    expect(targetOf("getByText('a').nth(1)")).toBeNull();
  });

  test("what people paste is understood", () => {
    const role: Locator = [
      { by: "role", role: "button", name: { is: "text", value: "Pay", isExact: true }, states: {} },
    ];
    for (const text of [
      "page.getByRole('button', { name: 'Pay', exact: true })",
      'await this.page.getByRole( "button" ,\n { exact: true, "name": `Pay` } ) ;',
      "getByRole('button', { name: '\\u0050\\x61\\u{79}', exact: true, })",
    ])
      expect(parsed(text)).toEqual(role);
    expect(parsed("  ul > li ")).toEqual([{ by: "css", css: "ul > li" }]);
    expect(parsed("locator('li', { hasText: 'x' }).last()").map(({ by }) => by)).toEqual([
      "css",
      "hasText",
      "nth",
    ]);
    expect(isHeavy(parsed("getByText('a').filter({ has: page.getByText(/(a+)+$/) })"))).toBe(true);
  });

  test("frames are entered as Playwright writes it, and the place of one is asked for before or after", () => {
    const card: Locator = [
      { by: "css", css: "#card" },
      { by: "nth", index: 0 },
      { by: "frame" },
      { by: "label", text: { is: "text", value: "Number", isExact: false } },
    ];
    for (const text of [
      "page.locator('#card').first().contentFrame().getByLabel('Number')",
      "page.frameLocator('#card').first().getByLabel('Number')",
    ])
      expect(parsed(text)).toEqual(card);
    expect(parsed("frameLocator('#a').frameLocator('#b').locator('p')").map(({ by }) => by)).toEqual([
      "css",
      "frame",
      "css",
      "frame",
      "css",
    ]);
    expect(parsed("locator('#a').describe('the cart')")).toEqual([{ by: "css", css: "#a" }]);
    expect(parsed("frameLocator('#a').owner()")).toEqual([{ by: "css", css: "#a" }]);
  });

  test("an XPath is told from CSS as Playwright tells it, and one that may take for ever waits for the reader", () => {
    const xpathOf = (text: string) => (parsed(text)[0] as { xpath?: string }).xpath;
    expect(xpathOf("//button[@id='a']")).toBe("//button[@id='a']");
    expect(xpathOf("/html/body")).toBe("/html/body");
    expect(xpathOf("(//li)[2]")).toBe("(//li)[2]");
    expect(xpathOf("locator('xpath=/html/body')")).toBe("/html/body");
    expect(xpathOf("locator('li').locator('..')")).toBeUndefined();
    expect(parsed("locator('li').locator('..')")[1]).toEqual({ by: "xpath", xpath: ".." });
    for (const simple of ["//ul//li[@title='a//b']", "//li[2]//a", "(//a)[1]"])
      expect(isHeavy(parsed(simple))).toBe(false);
    for (const heavy of ["//*[count(//*[count(//*) > 1]) > 1]", "//a/preceding::a/following::a"])
      expect(isHeavy(parsed(heavy))).toBe(true);
  });

  test.each([
    ["", 0, "Type a locator"],
    ["getByRole('button'", 18, "should stand here"],
    ["getByRole('button', { nme: 'Pay' })", 27, "no option nme"],
    ["getByRoll('x')", 0, "no getByRoll"],
    ["getByText('Pay)", 10, "no end"],
    ["getByText(/(/)", 10, "pattern is not right"],
    ["getByText('a').nth('1')", 19, "whole number"],
    ["getByText('a') x", 15, "ends here"],
    ["getByText(`${a}`)", 11, "template"],
    ["locator('iframe').contentFrame()", 32, "should follow"],
    ["frameLocator('iframe').filter({ hasText: 'x' })", 23, "cannot be called on a frame"],
    ["contentFrame().getByText('x')", 0, "called on the locator"],
    ["getByText('x').owner()", 15, "called on a frame"],
    ["locator('a').filter({ has: page.frameLocator('iframe').getByText('x') })", 32, "same frame"],
    ["locator('a:has-text(\"x\")')", 10, "Playwright's own"],
    ["locator('/html/body')", 9, "xpath="],
    ["fetch('http://evil.test')", 0, "no fetch"],
    ["getByText(alert(1))", 10, "no alert"],
  ])("%j is refused at character %d", (text, at, message) => {
    const result = parseLocator(text);
    expect(result).toMatchObject({ isOk: false, at });
    expect(result.isOk ? "" : result.message).toContain(message);
  });

  test("no text whatever makes it throw, and a place of error lies within the text", () => {
    const bits = fc.array(
      fc.constantFrom(
        "getByText",
        "(",
        ")",
        "'",
        "{",
        "}",
        "name:",
        ".",
        ",",
        "\\",
        "/",
        "`",
        "é",
        "page",
        " ",
        "1",
      ),
      { maxLength: 12 },
    );
    fc.assert(
      fc.property(
        fc.oneof(
          bits.map((list) => list.join("")),
          anyText,
        ),
        (text) => {
          const result = parseLocator(text);
          if (!result.isOk) expect(result.at >= 0 && result.at <= text.length).toBe(true);
        },
      ),
    );
  });
});
