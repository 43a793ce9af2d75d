import { expect, test } from "bun:test";
import { nodesOfTree } from "../../../../../server/trace/format/diff/tree-nodes.ts";
import { numberNodes } from "../../../../../server/trace/format/playwright/snapshot-tree.ts";

const stateOf = (attributes: object) =>
  nodesOfTree(new Map([[0, numberNodes(["INPUT", attributes])]]), 0)[0]!.state;

test("a field is compared by what was recorded of it, whatever its markup gave it", () => {
  expect(stateOf({ __playwright_value_: "120", value: "" })).toEqual({ value: "120" });
  expect(stateOf({ value: "", __playwright_value_: "120" })).toEqual({ value: "120" });
  expect(stateOf({ value: "7" })).toEqual({ value: "7" });
  expect(stateOf({ __playwright_checked_: "false", checked: "" })).toEqual({});
  expect(stateOf({ type: "password", __playwright_value_: "secret" })).toEqual({});
});

test("what stands in a shadow root is compared, and what a template holds is not", () => {
  const list = ["TEMPLATE", { __playwright_shadow_root_: "" }, ["A", {}, "Margins"]];
  const root = ["MAIN", {}, ["REPORT-LIST", {}, list], ["TEMPLATE", {}, ["A", {}, "Never shown"]]];
  const nodes = nodesOfTree(new Map([[0, numberNodes(root)]]), 0);
  expect(nodes.map(({ tag, text }) => `${tag} ${text}`)).toEqual(["a Margins"]);
});
