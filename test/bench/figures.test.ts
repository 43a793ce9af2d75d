import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import fc from "fast-check";
import { BENCHES, type BenchResult } from "./bench.ts";
import { writeFigures } from "./figures.ts";

const MEASURED = { date: "2026-11-22", machine: "2 cores of something" };
const figure = (name: string, more: Partial<BenchResult> = {}): BenchResult => ({
  name,
  ratio: 1.2,
  target: "≤ 2",
  ok: true,
  detail: "12 ms against 10 ms",
  ...more,
});
const between = (text: string): string =>
  text.split("<!-- bench list -->")[1]!.split("<!-- /bench list -->")[0]!;
const EMPTY = "# Title\n\n<!-- bench list --><!-- /bench list -->\n\nThe rest.\n";

describe("figures in a Markdown text", () => {
  test("come with the date and the machine, each row as wide as the next", () => {
    const results = [figure("short"), figure("a | b", { ratio: 3456.7, target: "≥ 100", detail: "much" })];
    expect(between(writeFigures(EMPTY, "list", results, MEASURED))).toBe(`

Measured on 2026-11-22: 2 cores of something.

| what   | ratio | target | measured            |
| ------ | ----- | ------ | ------------------- |
| short  | 1.20  | ≤ 2    | 12 ms against 10 ms |
| a \\| b | 3,457 | ≥ 100  | much                |

`);
  });

  test("of a group are one row: from the least to the most, with the detail of the worst", () => {
    const results = [
      figure("page: first", { group: "page", ratio: 0.9 }),
      figure("page: deep", { group: "page", ratio: 2.5, ok: false, detail: "25 ms against 10 ms" }),
      figure("page: rare", { group: "page", ratio: 1.4 }),
    ];
    const text = between(writeFigures(EMPTY, "list", results, MEASURED));
    expect(text).toMatch(/\| page +\| 0\.90 to 2\.50 +\| ≤ 2, missed +\| worst: 25 ms against 10 ms +\|/);
  });

  test("of which more is better are worst where they are least", () => {
    const results = [
      figure("a", { group: "speed", ratio: 120, target: "≥ 100", detail: "slow" }),
      figure("b", { group: "speed", ratio: 4000, target: "≥ 100", detail: "fast" }),
    ];
    expect(writeFigures(EMPTY, "list", results, MEASURED)).toContain("worst: slow");
  });

  const prose = fc.string({ unit: "binary" }).map((text) => text.replaceAll("<!--", "<--"));
  const results = fc.array(
    fc.record({
      name: fc.string(),
      ratio: fc.double({ min: 0, noNaN: true, noDefaultInfinity: true }),
      target: fc.constantFrom("≤ 2", "≥ 3"),
      ok: fc.boolean(),
      detail: prose,
    }),
  );

  test("leave what is outside of the markers as it is, whatever was within", () => {
    fc.assert(
      fc.property(prose, prose, prose, results, (before, within, after, figures) => {
        const text = `${before}<!-- bench list -->${within}<!-- /bench list -->${after}`;
        const written = writeFigures(text, "list", figures, MEASURED);
        expect(written.startsWith(`${before}<!-- bench list -->`)).toBe(true);
        expect(written.endsWith(`<!-- /bench list -->${after}`)).toBe(true);
        expect(writeFigures(written, "list", figures, MEASURED)).toBe(written);
      }),
    );
  });

  test("are refused by a text without their markers, with too many, or in the wrong order", () => {
    const [open, close] = ["<!-- bench list -->", "<!-- /bench list -->"];
    for (const text of ["", open, close, close + open, open + open + close, open + close + close])
      expect(() => writeFigures(text, "list", [figure("a")], MEASURED)).toThrow("once each, in this order");
  });

  test("of every bench, and of no other, have their place in the documentation", async () => {
    const page = await Bun.file(join(import.meta.dir, "..", "..", "viewer", "docs", "figures.md")).text();
    for (const name of Object.keys(BENCHES))
      expect(() => writeFigures(page, name, [figure("a")], MEASURED)).not.toThrow();
    const places = [...page.matchAll(/<!-- bench ([\w-]+) -->/g)].map(([, name]) => name!);
    expect(places.sort()).toEqual(Object.keys(BENCHES).sort());
  });
});
