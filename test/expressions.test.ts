import { describe, expect, test } from "bun:test";
import { judge } from "../.ci/expressions/degree.ts";
import { literalsOf } from "../.ci/expressions/literals.ts";

const degreeOf = ({ source, flags }: RegExp): number => judge(source, flags).degree;

describe("the check of regular expressions", () => {
  test.each([/^(?:\*+\/?)+$/, /(["'])(?:\\.|(?!\1).)*\1/, /^(?:a|a)*$/, /^(?:a*)*b/, /^(?:\w+\s?)*$/])(
    "the time of %p doubles with each letter",
    (pattern) => {
      expect(degreeOf(pattern)).toBe(Infinity);
    },
  );

  test.each([/^.*foo.*bar.*baz/, /\n+\s*(?:Call log:)\s*\n/, /(?:ab)+(?:ab)+c/])(
    "the time of %p grows with the third power",
    (pattern) => {
      expect(degreeOf(pattern)).toBe(3);
    },
  );

  test.each([
    /<[^>]+>/,
    /\s+$/,
    /foo.*bar/,
    /(?=.*a)b/,
    /(\w+)\s\1/,
    /^\s*x/m,
    /(?<=[^.]\s+)A/,
    /"(?:[^\\"]|\\.)*"/,
  ])("the time of %p grows with the square", (pattern) => {
    expect(degreeOf(pattern)).toBe(2);
  });

  test.each([
    /<[^<>]+>/,
    /^\s+/,
    /\d+/,
    /\b\w+@/,
    /(?<!\d)\d+Z/,
    /a*b/y,
    // A search ends with its first match, however many others there are.
    /^(?:a|a)*/,
    /^([a-z]+)([\s\S]*)$/,
    /\d+(?:[.,]\d+)*/,
    /\s*>\s*|\s+/,
    /\d[\d.,]*\d/,
  ])("the time of %p grows with the text", (pattern) => {
    expect(degreeOf(pattern)).toBe(1);
  });

  test("what to repeat is told", () => {
    expect(judge(String.raw`\s+$`, "").pump).toBe(" ");
    expect(judge("<script[^>]*>", "").pump).toContain("<script");
  });

  test("literals are found wherever they stand", () => {
    const text =
      'const one = "x".replace(/a/g, "");\nexport const View = () => <p>{/b/u.test("/c/")}</p>; // /d/';
    expect(literalsOf("view.tsx", text)).toEqual([
      { path: "view.tsx", line: 1, source: "a", flags: "g" },
      { path: "view.tsx", line: 2, source: "b", flags: "u" },
    ]);
  });
});
