import { expect, test } from "bun:test";
import { exchange, failing, run } from "../run.ts";
import { first } from "./scene.ts";

const alert = { kind: "page.dialog", type: "alert", message: "That did not work", ts: 4_600 };
const ALERT = "dialog: The page opened the dialog alert: “That did not work”";

test.each([
  ["/api/session", { status: 401 }, "request_failed: GET /api/session was answered with 401"],
  ["/api/cart", { status: 500 }, "request_failed: GET /api/cart was answered with 500"],
])("the refusal of %s right before an alert comes before it", (url, answer, told) => {
  expect(first(run(...exchange(url, { ts: 4_590, ...answer }), alert, failing()))).toBe(told);
});

test.each([
  ["what stands beside the product", "/recommendations", { ts: 4_590, status: 500 }],
  ["decoration", "/logo.png", { ts: 4_590, status: 404, resource_type: "image" }],
  ["a measurement", "/analytics/collect", { ts: 4_590, method: "POST", status: 429 }],
  ["a probe", "/api/health", { ts: 4_590, method: "HEAD", status: 404 }],
  ["something long before", "/api/cart", { ts: 1_000, status: 500 }],
])("an alert comes before the refusal of %s", (_what, url, refused) => {
  expect(first(run(...exchange(url, refused), alert, failing()))).toBe(ALERT);
});

test("an alert comes before the refusal of what was answered well afterwards", () => {
  const [refused, well] = [{ ts: 4_590, status: 401 }, { ts: 4_700 }];
  const asked = run(...exchange("/api/me", refused), alert, ...exchange("/api/me", well), failing());
  expect(first(asked)).toBe(ALERT);
});
