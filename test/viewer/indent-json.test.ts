import { expect, test } from "bun:test";
import fc from "fast-check";
import { indentJson } from "../../viewer/ui/indent-json.ts";
import { lineDiff } from "../../viewer/ui/line-diff.ts";
import { pretty } from "../../viewer/ui/text.ts";

/** Without the white space outside of strings. */
const bare = (json: string): string =>
  json.replace(/"(?:[^"\\]|\\.)*"|\s+/g, (found) => (found.startsWith('"') ? found : ""));

const container = fc.jsonValue().map((value) => [value, { a: value }]);

test("indents add white space and nothing else", () => {
  const spaces = fc.constantFrom(undefined, 1, "\t", 7);
  fc.assert(
    fc.property(container, spaces, (value, space) => {
      const text = JSON.stringify(value, null, space);
      const shown = pretty(text);
      expect(shown.json).toBe(true);
      expect(bare(shown.text)).toBe(bare(text));
    }),
  );
});

test("they are those that JSON.stringify makes", () => {
  fc.assert(
    fc.property(container, (value) => {
      expect(pretty(JSON.stringify(value)).text).toBe(JSON.stringify(value, null, 2));
    }),
  );
});

test("long numbers keep their digits, amounts their cents, names that come twice both values, strings their escapes", () => {
  const text =
    '{"id":12345678901234567890,"price":10.00,"big":1e400,"a":1,"a":2,"s":"\\u00e9 \\" \\\\","e":[ ],"o":{ }}';
  expect(pretty(text).text.split("\n")).toEqual([
    "{",
    '  "id": 12345678901234567890,',
    '  "price": 10.00,',
    '  "big": 1e400,',
    '  "a": 1,',
    '  "a": 2,',
    '  "s": "\\u00e9 \\" \\\\",',
    '  "e": [],',
    '  "o": {}',
    "}",
  ]);
});

test("two bodies that differ in the last digit of a long number differ", () => {
  const kinds = (before: string, after: string) => lineDiff(before, after).lines.map(({ kind }) => kind);
  expect(kinds('{"id":9007199254740993}', '{"id":9007199254740992}')).toContain("added");
  expect(kinds('{"price":10.00}', '{"price":10}')).toContain("added");
});

test("what is nearly JSON stays as it is, and what is very deep is not made much longer", () => {
  for (const text of ['{"a":1', "[1,]", "{'a':1}", "[01]", "plain", ""])
    expect(pretty(text)).toEqual({ text, json: false });
  const deep = "[".repeat(100_000) + "]".repeat(100_000);
  expect(indentJson(deep)).toBeNull();
  expect(pretty(deep).text).toBe(deep);
});

test("megabytes cost little more than it takes to read them", () => {
  const row = { id: 1, name: "a name of usual length", tags: ["one", "two"], at: 1.25, nested: { is: true } };
  const text = JSON.stringify(Array.from({ length: 40_000 }, () => row));
  // The least of several counts: others work on the machine too.
  const took = (work: () => unknown): number =>
    Math.min(
      ...[1, 2, 3].map(() => {
        const started = process.cpuUsage();
        work();
        const { user, system } = process.cpuUsage(started);
        return user + system;
      }),
    );
  expect(took(() => pretty(text))).toBeLessThan(30 * took(() => JSON.stringify(JSON.parse(text), null, 2)));
});
