import { expect, test } from "bun:test";
import { click, run } from "../run.ts";
import { json, textOf, told } from "./scene.ts";

const pick = click("Select option getByLabel('Currency')", { name: "page.selectOption", ts: 4_000 });
const rates = json("/api/rates", { base: "EUR", value: 0.92 });
const cause = (...events: Parameters<typeof run>) =>
  told(run(...events, textOf("converted", "≈ €138.00", ""))).join("\n");

test("a figure that the page leaves out is told with the fields of the one answer that may have it", () => {
  const words =
    "answer_changed: GET /api/rates answered after “Select option getByLabel('Currency')” with the fields base, value, and getByTestId('converted') shows nothing, where the test wants “≈ €138.00”";
  expect(cause(pick, ...rates)).toStartWith(words);
  expect(cause(pick, ...rates, ...json("/api/shops", [{ name: "Marriott" }], { ts: 4_600 }))).toStartWith(
    words,
  );
});

test("it is not where several have a number, or it was asked for before", () => {
  const other = json("/api/limits", { most: 60 }, { ts: 4_600 });
  expect(cause(pick, ...rates, ...other)).not.toContain("with the fields");
  expect(cause(...json("/api/rates", { value: 1 }, { ts: 3_000 }), pick, ...rates)).not.toContain(
    "with the fields",
  );
  expect(cause(...json("/api/rates", { value: 1 }, { ts: 3_000 }), pick)).not.toContain("with the fields");
});
