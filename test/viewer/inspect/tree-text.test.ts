import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { parse } from "yaml";
import { readAnswer, readNews } from "../../../viewer/trace/stage/inspect/check.ts";
import type { TreeNode } from "../../../viewer/trace/stage/inspect/protocol.ts";
import { parentsOf, shownLines, treeText } from "../../../viewer/trace/stage/inspect/tree-text.ts";

const line = (depth: number, role: string, name = "", more: Partial<TreeNode> = {}): TreeNode => ({
  id: "0",
  depth,
  role,
  name,
  states: [],
  value: null,
  ...more,
});

const SHOP = [
  line(0, "banner"),
  line(1, "link", "Shop"),
  line(0, "main"),
  line(1, "heading", "Check: out", { states: ["level=1"] }),
  line(1, "list"),
  line(2, "listitem", "", { value: "Kettle" }),
  line(1, "textbox", "Email", { value: "ada@example.com" }),
  line(1, "text", "- 42: yes"),
];

describe("the tree as text", () => {
  test("is written as Playwright's snapshots are", () => {
    expect(treeText(SHOP)).toBe(
      [
        "- banner:",
        '  - link "Shop"',
        "- main:",
        '  - heading "Check: out" [level=1]',
        "  - list:",
        "    - listitem: Kettle",
        '  - textbox "Email": "ada@example.com"',
        '  - text: "- 42: yes"',
      ].join("\n"),
    );
  });

  test("holds any text so that YAML reads it back", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", minLength: 1 }), (text) => {
        expect(parse(treeText([line(0, "text", text)]))).toEqual([{ text }]);
        expect(parse(treeText([line(0, "listitem", "", { value: text })]))).toEqual([{ listitem: text }]);
      }),
    );
  });
});

describe("the lines that are shown", () => {
  const parents = parentsOf(SHOP);

  test("lie in the line above that is less deep", () => {
    expect(parents).toEqual([-1, 0, -1, 2, 2, 4, 2, 2]);
  });

  test("are all but those in closed ones", () => {
    expect(shownLines(SHOP, parents, new Set([0, 4]), "")).toEqual([0, 2, 3, 4, 6, 7]);
    expect(shownLines(SHOP, parents, new Set([2]), "")).toEqual([0, 1, 2]);
  });

  test("with a filter are those that hold it, with what they lie in, closed or not", () => {
    expect(shownLines(SHOP, parents, new Set([2]), "KETTLE")).toEqual([2, 4, 5]);
    expect(shownLines(SHOP, parents, new Set(), "level=1")).toEqual([2, 3]);
    expect(shownLines(SHOP, parents, new Set(), "nowhere")).toEqual([]);
  });
});

describe("what comes from a page's inspector", () => {
  const brief = { id: "7.3", tag: "button", role: "button", name: "Pay" };

  test("is taken when it has the shape that was asked for, cut to bounds, without what does not belong to it", () => {
    const long = "x".repeat(100_000);
    const answer = readAnswer("try", {
      matches: [{ ...brief, name: long, more: 1 }],
      total: 1,
      steps: [{ code: "a", count: 1 }],
      near: [],
    });
    expect(answer.matches[0]).toEqual({ ...brief, name: long.slice(0, 2000) });
    expect(readAnswer("detail", null)).toBeNull();
    expect(readNews({ kind: "hovered", news: { ...brief, role: null } })).toEqual({
      kind: "hovered",
      news: { ...brief, role: null },
    });
    expect(readNews({ kind: "left" })).toEqual({ kind: "left", news: null });
  });

  test("is refused otherwise, whatever it is", () => {
    const wrong = [undefined, null, 1, "x", [], {}, { matches: "x", total: 1, steps: [], near: [] }];
    for (const value of wrong) expect(() => readAnswer("try", value)).toThrow("another shape");
    const many = Array.from({ length: 100_001 }, () => line(0, "text"));
    expect(() => readAnswer("tree", { nodes: many, leftOut: 0 })).toThrow("another shape");
    expect(() => readAnswer("start", { elements: Number.NaN, silentFrames: 0 })).toThrow("another shape");
    for (const news of [
      -1,
      3,
      "",
      "a",
      "-1",
      "1.",
      "1..2",
      "1".repeat(10),
      Array(30).fill("1").join("."),
      null,
      {},
    ])
      expect(readNews({ kind: "chosen", news })).toBeNull();
    fc.assert(fc.property(fc.anything(), (value) => readNews(value) === null || typeof value === "object"));
  });
});
