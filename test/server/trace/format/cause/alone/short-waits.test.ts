import { expect, test } from "bun:test";
import { click, exchange, run } from "../run.ts";
import { document, fill, first, json, missed, textOf } from "./scene.ts";

const complete = click("Click getByRole('button', { name: 'Complete' })", { ts: 4_000 });
const check = (timeout: number, received = "Open") =>
  textOf("state", "Done", received, {
    message: `expect(locator).toHaveText(expected) failed\n\nLocator: getByTestId('state')\nTimeout:  ${timeout}ms`,
    duration_ms: timeout,
  });
const [sent, answered] = exchange("/api/orders/7/completion", { method: "POST", ts: 4_010 });
const order = (state: string, ts: number) => json("/api/orders/7", { id: 7, state }, { ts });
const WAITS = "test_code: The test waits only 150 ms for “Done” in getByTestId('state'), too short:";

test("a wait of less than a second is told with what was not answered yet", () => {
  expect(first(run(complete, sent!, check(150)))).toBe(
    `${WAITS} POST /api/orders/7/completion was still unanswered when it gave up; the page showed “Open”`,
  );
  expect(first(run(complete, sent!, check(150), { ...answered!, ts: 5_600 }))).toStartWith(WAITS);
  expect(first(run(complete, sent!, check(5_000)))).not.toContain("waits only");
});

test("a wait of less than a second is told with the state of the work that was begun", () => {
  const begun = [sent!, { ...answered!, status: 202, ts: 4_050 }];
  expect(first(run(complete, ...begun, ...order("running", 4_900), check(150)))).toBe(
    `${WAITS} GET /api/orders/7 had answered “running” for “state” by then, which is not done yet; the page showed “Open”`,
  );
  for (const events of [
    [...begun, ...order("running", 4_500), ...order("done", 4_900)],
    [...begun, ...order("open", 4_900)],
    order("running", 4_900),
  ])
    expect(first(run(complete, ...events, check(150)))).not.toContain("waits only");
});

test("an action that waits for less than a second is told, too", () => {
  const gone = missed("getByRole('button', { name: 'Next' })", {
    duration_ms: 300,
    error: { message: "TimeoutError: locator.click: Timeout 300ms exceeded." },
  });
  expect(first(run(complete, sent!, gone))).toBe(
    "test_code: The test waits only 300 ms for “Click getByRole('button', { name: 'Next' })”, too short: POST /api/orders/7/completion was still unanswered when it gave up",
  );
});

test("a short wait is not told of what comes to no end, or was begun before", () => {
  for (const url of ["/api/notifications/stream", "/analytics/collect", "https://other.example/api"]) {
    const [asked] = exchange(url, { ts: 4_010 });
    expect(
      first(run(...document("/orders/7", "<h1>Order</h1>"), complete, asked!, check(150))),
    ).not.toContain("waits only");
  }
  expect(first(run(sent!, { ...complete, ts: 4_500 }, check(150)))).not.toContain("waits only");
  expect(first(run(fill("Note", "x", 4_000), check(150)))).not.toContain("waits only");
});
