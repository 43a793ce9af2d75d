import { expect, test } from "bun:test";
import { click, failing, first, page, passing, run, told } from "./run.ts";

const fields = (find: string, note: string) =>
  `<input aria-label="Quick find" value="${find}"><input aria-label="Note" value="${note}">`;
const types = (text: string, ts: number, before: string, after: string) => {
  const step_id = `type ${ts}`;
  return [
    click(`Type "${text}"`, { name: "keyboard.type", ts, step_id, params: { text } }),
    page(before, { ts: ts + 5, step_id, phase: "action" }),
    page(after, { ts: ts + 300, step_id, phase: "after" }),
  ];
};
const into = (find: string, note: string) =>
  run(...types("slept well", 4_000, fields("", ""), fields(find, note)), failing());
const usual = run(...types("slept well", 4_000, fields("", ""), fields("", "slept well")), passing());

test("a text that went into another field than in every pass is told with both", () => {
  expect(first(into("slept well", ""), usual, usual)).toBe(
    "page_changed: What the test typed (“slept well”) went into “Quick find”, where it went into “Note” in the last pass: the focus was elsewhere by then",
  );
});

test("a text that arrived nowhere is told with the field of the passes", () => {
  expect(first(into("", ""), usual, usual)).toBe(
    "page_changed: What the test typed (“slept well”) arrived in no field, where it went into “Note” in the last pass: the focus was elsewhere by then",
  );
});

test("a text that went where it goes, or that passes put elsewhere each, is no cause", () => {
  const other = run(...types("slept well", 4_000, fields("", ""), fields("slept well", "")), passing());
  for (const silent of [
    told(into("", "slept well"), usual, usual),
    told(into("slept well", ""), usual, other),
  ])
    expect(silent.join()).not.toContain("the focus was elsewhere");
});

test("a key at which the page takes the focus away stands in neither field, and what is typed later goes on there", () => {
  const torn = run(
    ...types("open 24/7 in summer", 3_000, fields("", ""), fields("7 in summer", "open 24")),
    ...types(
      " free entry",
      4_000,
      fields("7 in summer", "open 24"),
      fields("7 in summer free entry", "open 24"),
    ),
    failing(),
  );
  const whole = run(
    ...types("open 24/7 in summer", 3_000, fields("", ""), fields("", "open 24/7 in summer")),
    ...types(
      " free entry",
      4_000,
      fields("", "open 24/7 in summer"),
      fields("", "open 24/7 in summer free entry"),
    ),
    passing(),
  );
  expect(first(torn, whole, whole)).toBe(
    "page_changed: What the test typed (“open 24/7 in summer”) was torn apart: “Note” got “open 24”, and the rest (“7 in summer”) went into “Quick find”; something took the focus away meanwhile",
  );
});
