import { expect, test } from "bun:test";
import { click, exchange, failing, run } from "../run.ts";
import { json, told } from "./scene.ts";

const archive = [
  click("Click getByRole('button', { name: 'Archive' })", { ts: 4_000, name: "page.click" }),
  ...exchange("/items/A-17", { ts: 4_050, method: "POST", status: 204 }),
];
const list = (ts: number, ...ids: string[]) => json("/items", { rows: ids.map((id) => ({ id })) }, { ts });
const gone = (id: string, received = "1") =>
  failing({
    name: "toHaveCount",
    title: `Expect "toHaveCount" getByRole('link', { name: '${id}' })`,
    message: `expect(locator).toHaveCount(expected) failed\n\nLocator:  getByRole('link', { name: '${id}' })`,
    expected: "0",
    received,
  });
const cause = (...events: Parameters<typeof run>) => told(run(...archive, ...events)).join("\n");

test("what should be gone and stands in the list that was read after the write is told with both", () => {
  expect(cause(...list(4_200, "A-16", "A-17"), gone("A-17"))).toStartWith(
    "answer_changed: GET /items still had “A-17” after POST /items/A-17 was answered with 204: it was not taken out of the list",
  );
});

test("a list of before, one that lacks it later, and one that should have it are not told", () => {
  for (const said of [
    cause(...list(4_200, "A-16"), gone("A-17")),
    cause(...list(4_200, "A-17"), ...list(4_600, "A-16"), gone("A-17")),
    cause(...list(4_200, "A-17"), gone("A-18")),
    told(run(...list(3_000, "A-17"), ...archive, gone("A-17"))).join("\n"),
  ])
    expect(said).not.toContain("taken out of the list");
});
