import { expect, test } from "bun:test";
import { viewOfTree } from "../../../../../../server/trace/format/cause/page/page-view.ts";
import { numberNodes } from "../../../../../../server/trace/format/playwright/snapshot-tree.ts";

const seenIn = (root: unknown) => viewOfTree(new Map([[0, numberNodes(root)]]), 0);

test("what stands in a shadow root is part of the page, and what a template holds is not", () => {
  const seen = seenIn([
    "BODY",
    {},
    ["REPORT-LIST", {}, ["TEMPLATE", { __playwright_shadow_root_: "" }, ["A", { href: "#/1" }, "Margins"]]],
    ["TEMPLATE", {}, ["A", { href: "#/2" }, "Never shown"]],
  ]);
  expect(seen.map(({ tag, name }) => `${tag} ${name}`)).toEqual([
    "body Margins",
    "report-list Margins",
    "a Margins",
  ]);
});

test("what a step found is known by Playwright's mark, with or without the call in it", () => {
  const seen = seenIn([
    "BODY",
    {},
    ["INPUT", { id: "to", __playwright_target__: "" }],
    ["INPUT", { id: "amount", __playwright_target__: "call@7" }],
    ["INPUT", { id: "reference" }],
  ]);
  expect(seen.map(({ attributes, foundBy }) => [attributes.id, foundBy])).toEqual([
    [undefined, undefined],
    ["to", ""],
    ["amount", "call@7"],
    ["reference", undefined],
  ]);
});

test("a field holds what was recorded of it, whatever its markup gave it", () => {
  const held = (attributes: object) => seenIn(["FORM", {}, ["INPUT", attributes]])[1]!.attributes.value;
  expect(held({ __playwright_value_: "120", value: "" })).toBe("120");
  expect(held({ value: "", __playwright_value_: "120" })).toBe("120");
  expect(held({ value: "7" })).toBe("7");
  const ticked = (attributes: object) =>
    "checked" in seenIn(["FORM", {}, ["INPUT", { type: "checkbox", ...attributes }]])[1]!.attributes;
  expect(ticked({ checked: "" })).toBe(true);
  expect(ticked({ __playwright_checked_: "true" })).toBe(true);
  expect(ticked({ __playwright_checked_: "false", checked: "" })).toBe(false);
});

test("a figure, a meter and what is folded out have their roles by their tags", () => {
  const roleOf = (tag: string) => seenIn([tag, {}])[0]!.role;
  expect(["FIGURE", "METER", "DETAILS", "SEARCH"].map(roleOf)).toEqual([
    "figure",
    "meter",
    "group",
    "search",
  ]);
});
