import { expect, test } from "bun:test";
import { causeOf, click, exchange, failing, passing, run } from "./run.ts";

const document = (page: string, ts: number) =>
  exchange("/desk", { ts, resource_type: "document", media_type: "text/html", body: "", request: { page } });
const wrote = (page: string, more: object = {}) =>
  exchange("/api/notes", { ts: 2_000, method: "POST", status: 201, body: "{}", request: { page }, ...more });
const thrown = (page: string) => ({
  kind: "console.error",
  source: "page",
  text: "TypeError: slot is null",
  ts: 1_500,
  page,
});
const check = failing({ page: "one" });
const pass = run(click("Click Add", { ts: 1_900 }), passing());
const sureOf = (...events: Parameters<typeof run>) =>
  causeOf(run(...events, check), pass, pass).suspects.find(({ title }) => title.includes("slot is null"))!
    .confidence;

test("an error of a page that wrote well after it explains little of another page", () => {
  expect(sureOf(thrown("two"), ...wrote("two"))).toBeLessThan(0.5);
  expect(sureOf(thrown("one"), ...wrote("one"), ...document("one", 3_000))).toBeLessThan(0.5);
});

test("an error of the page itself, or of one that wrote nothing well, explains much", () => {
  expect(sureOf(thrown("one"), ...wrote("one"))).toBeGreaterThan(0.7);
  expect(sureOf(thrown("two"))).toBeGreaterThan(0.7);
  expect(sureOf(thrown("two"), ...wrote("two", { status: 500 }))).toBeGreaterThan(0.7);
  expect(sureOf(thrown("two"), ...wrote("one"))).toBeGreaterThan(0.7);
  expect(sureOf(thrown("one"), ...document("one", 3_000))).toBeGreaterThan(0.7);
});
