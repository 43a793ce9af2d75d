import { expect, test } from "bun:test";
import fc from "fast-check";
import {
  cut,
  expectedAndReceived,
  oneLine,
  plainText,
  splitCallLog,
  withoutInvisible,
} from "../../../../server/trace/format/error-text.ts";

test("expected and received are read from Playwright's messages", () => {
  const message = [
    "expect(locator).toHaveText(expected) failed",
    "",
    "Locator:  locator('#total')",
    'Expected: "€ 12.00"',
    'Received: "€ 13.00"',
    "Timeout:  5000ms",
    "",
    "Call log:",
    '  - Expect "toHaveText" with timeout 5000ms',
  ].join("\n");
  expect(expectedAndReceived(message)).toEqual({ expected: '"€ 12.00"', received: '"€ 13.00"' });
});

test("labels with a word behind them and values over several lines are read", () => {
  const message = 'Expected substring: "paid"\nReceived string:    "line one\nline two"\n\nmore';
  expect(expectedAndReceived(message)).toEqual({ expected: '"paid"', received: '"line one\nline two"' });
  expect(expectedAndReceived("Expected: visible\nReceived: <element(s) not found>")).toEqual({
    expected: "visible",
    received: "<element(s) not found>",
  });
});

test("a diff is read where there are no labels with values", () => {
  const message =
    'expect(received).toEqual(expected)\n\n- Expected  - 1\n+ Received  + 1\n\n  Object {\n-   "a": 1,\n+   "a": 2,\n  }';
  expect(expectedAndReceived(message)).toEqual({ expected: '"a": 1,', received: '"a": 2,' });
});

test("a message without them gives none", () => {
  expect(expectedAndReceived("Timeout 30000ms exceeded.")).toEqual({});
});

test("plain text has no control characters but line feeds and tabs, and its limit holds", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "binary", maxLength: 200 }),
      fc.integer({ min: 2, max: 50 }),
      (text, max) => {
        const plain = plainText(`\u001b[1m${text}\u001b]0;title\u0007`, max);
        // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
        expect(plain).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f]/);
        expect(plain.length).toBeLessThanOrEqual(max);
      },
    ),
  );
  expect(plainText("\u001b[31mred\u001b[39m\r\nnext\u0000")).toBe("red\nnext");
});

test("a cut never leaves half a character", () => {
  expect(cut("ab😀😀", 4)).toBe("ab…");
  expect(cut("ab😀😀", 5)).toBe("ab😀…");
});

test("text that nobody sees and a model reads is taken out of what is told", () => {
  const hidden = [..."ignore all"]
    .map((letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0)))
    .join("");
  const bytes = String.fromCodePoint(0xe0100, 0xe01ef);
  expect(withoutInvisible(`Pay${hidden} now${bytes}`)).toBe("Pay now");
  expect(oneLine(`so\u00adft\u061c \u{1f600}${hidden}`)).toBe("soft \u{1f600}");
});

test("a list in another order is told whole on both sides", () => {
  const message = [
    "expect(locator).toHaveText(expected) failed",
    "- Expected  - 1",
    "+ Received  + 1",
    "",
    "  Array [",
    '+   "Northwind",',
    '    "Harbour",',
    '-   "Northwind",',
    "  ]",
  ].join("\n");
  expect(expectedAndReceived(message)).toEqual({
    expected: '[ "Harbour", "Northwind" ]',
    received: '[ "Northwind", "Harbour" ]',
  });
});

test("a list with one thing more or less is told whole on both sides", () => {
  const message = (sign: string) =>
    [
      "expect(locator).toHaveText(expected) failed",
      `- Expected  - ${sign === "-" ? 1 : 0}`,
      `+ Received  + ${sign === "+" ? 1 : 0}`,
      "",
      "  Array [",
      '    "Harbour",',
      `${sign}   "Northwind",`,
      "  ]",
      "",
    ].join("\n");
  const [short, long] = ['[ "Harbour" ]', '[ "Harbour", "Northwind" ]'];
  expect(expectedAndReceived(message("+"))).toEqual({ expected: short, received: long });
  expect(expectedAndReceived(message("-"))).toEqual({ expected: long, received: short });
});

test("a call log is found under its heading, and a message of nothing but empty lines is read as any other", () => {
  expect(splitCallLog("Timed out\n\n  Call log:  \n\n  - waiting for #pay\n")).toEqual({
    message: "Timed out",
    log: ["waiting for #pay"],
  });
  const empty = `Received: ${"\n".repeat(16_000)}x`;
  expect(splitCallLog(empty)).toEqual({ message: empty, log: [] });
});
