import { describe, expect, test } from "bun:test";
import { createTwoFilesPatch } from "diff";
import fc from "fast-check";
import { applyUnifiedDiff, readUnifiedDiff } from "../../../../server/run/playback/unified-diff.ts";

const TEXT = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\n";

function apply(text: string, diff: string): string {
  const patch = readUnifiedDiff(diff);
  return patch ? applyUnifiedDiff(text, patch) : text;
}

describe("a unified diff", () => {
  test("applies with headers of git, of diff or with none, and where lines have moved", () => {
    const hunk = "@@ -2,3 +2,3 @@\n two\n-three\n+drei\n four\n";
    const wanted = TEXT.replace("three", "drei");
    for (const head of [
      "",
      "--- a/x\n+++ b/x\n",
      "diff --git a/x b/x\nindex 1..2 100644\n--- a/x\n+++ b/x\n",
    ])
      expect(apply(TEXT, head + hunk)).toBe(wanted);
    expect(apply(`zero\n${TEXT}`, hunk)).toBe(`zero\n${wanted}`);
    expect(apply(TEXT, "")).toBe(TEXT);
  });

  test("that does not fit names the first hunk that does not", () => {
    const diff = "@@ -1,2 +1,2 @@\n-one\n+eins\n two\n@@ -5,2 +5,2 @@\n-fünf\n+five\n six\n";
    expect(() => apply(TEXT, diff)).toThrow("does not apply: hunk 2 (@@ -5,2 +5,2 @@) does not fit the text");
    expect(() => apply("", diff)).toThrow("hunk 1 (@@ -1,2 +1,2 @@)");
  });

  test("is refused in words when it is none, miscounts, or is of several files", () => {
    expect(() => apply(TEXT, "please change line two")).toThrow("is no unified diff: it has no hunk");
    expect(() => apply(TEXT, "@@ -1,5 +1,1 @@\n-one\n+eins\n")).toThrow("is no unified diff");
    const file = (name: string) => `--- a/${name}\n+++ b/${name}\n@@ -1,1 +1,1 @@\n-one\n+eins\n`;
    expect(() => apply(TEXT, file("x") + file("y"))).toThrow("changes 2 files; it may change one");
  });

  test("of any two texts makes the second of the first", () => {
    const text = fc.array(fc.constantFrom("a", "b", "", " c", "-d", "+e", "@@ x", "\\ y"), { maxLength: 12 });
    fc.assert(
      fc.property(text, text, (before, after) => {
        const [a, b] = [
          before.map((line) => `${line}\n`).join(""),
          after.map((line) => `${line}\n`).join(""),
        ];
        expect(apply(a, a === b ? "" : createTwoFilesPatch("x", "x", a, b))).toBe(b);
      }),
      { numRuns: 200 },
    );
  });
});
