import { expect, test } from "bun:test";
import { findCause } from "../../../../../../../server/trace/format/cause/find-cause.ts";
import { viewOfHtml, viewOfTree } from "../../../../../../../server/trace/format/cause/page/page-view.ts";
import { numberNodes } from "../../../../../../../server/trace/format/playwright/snapshot-tree.ts";
import { evidenceIn, failing, page, passing, run } from "../../run.ts";

const missing = {
  name: "fill",
  title: "Fill getByLabel('Seek')",
  message: "locator.fill: Timeout 4000ms exceeded.\nCall log:\n  - waiting for getByLabel('Seek')",
  expected: undefined,
  received: undefined,
};
const player = (inside: string) => `<h1>Lesson</h1><x-player>${inside}</x-player><p>Notes</p>`;
const SEEK = "<label>Seek <input></label>";

/** What is told of a page of which the last pass has the wanted element in the component's shadow root. */
function toldOf(html: string, isInShadow: boolean): string {
  const evidence = evidenceIn(
    [],
    run(failing(missing), page(html)),
    run(passing(missing), page(player(SEEK))),
  );
  const shot = evidence.passes[0]!.page!;
  const elements = viewOfHtml(player(SEEK)).map((one) =>
    one.tag === "label" || one.tag === "input" ? { ...one, isInShadow: true as const } : one,
  );
  evidence.passes[0]!.page = { ...shot, elements: isInShadow ? elements : shot.elements };
  return findCause(evidence).suspects[0]!.title;
}

test("an element in the shadow root of a component that has none to look into any more is told so", () => {
  expect(toldOf(player(""), true)).toContain(
    "was nowhere on the page; in the last pass it stood in the shadow root of <x-player>, which has none here that is open",
  );
});

test("an element that stood in no shadow root, or whose component is not there, is not", () => {
  expect(toldOf(player(""), false)).not.toContain("shadow root");
  expect(toldOf("<h1>Lesson</h1>", true)).not.toContain("shadow root");
});

/** A dialog of its own kind, which has these slots, with a button for the slot "actions". */
function slotted(...slots: string[]): string[] {
  const evidence = evidenceIn([], run(failing({ ...missing, title: "Click getByText('Save')" }), page("")));
  const { page: seen } = evidence.run;
  const shadow = slots.map((name) => ["SLOT", name === "" ? {} : { name }]);
  const inside = [
    ["TEMPLATE", { __playwright_shadow_root_: "" }, ["SECTION", {}, ...shadow]],
    ["BUTTON", { slot: "actions" }, "Save"],
  ];
  const tree = numberNodes(["BODY", {}, ["X-DIALOG", {}, ...inside]]);
  evidence.run.page = { ...seen!, elements: viewOfTree(new Map([[0, tree]]), 0) };
  return findCause(evidence).suspects.map(({ title }) => title);
}

test("an element for a slot that its component has not is told so", () => {
  expect(slotted("", "footer")[0]).toBe(
    "The page has a button “Save” for the slot “actions” of <x-dialog>, which has only “footer”; it is not shown",
  );
  expect(slotted("")[0]).toContain("which has no named slot");
  expect(slotted("", "actions").filter((title) => title.includes("slot"))).toEqual([]);
});
