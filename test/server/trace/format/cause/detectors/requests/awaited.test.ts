import { expect, test } from "bun:test";
import { click, exchange, first, run, told, waitedInVain, waiting } from "../../run.ts";

const ended = waiting({ duration_ms: 150 });
const failed = waitedInVain();
const drag = click("Drag #o2 to #lane", { ts: 3_010, name: "page.dragAndDrop", step_id: "drag" });
const save = (more: object = {}) => exchange("/api/orders/2", { method: "PATCH", ts: 3_100, ...more });
const beat = exchange("/api/heartbeat", { ts: 3_120 });

test("the request whose response ended the wait in every pass is named where it never went out", () => {
  const usual = run(ended, drag, ...save(), ...beat);
  expect(first(run(failed, drag, ...beat), usual, usual)).toBe(
    "request_unsent: PATCH /api/orders/2, which the test waits for, was never sent: in the last pass it went out 90 ms after “Drag #o2 to #lane”",
  );
});

test("none is named where the passes' waits ended with different ones, or the one was answered otherwise here", () => {
  const usual = run(ended, drag, ...save());
  const other = run(ended, drag, ...exchange("/api/lanes", { ts: 3_100 }));
  expect(told(run(failed, drag), usual, other).join()).not.toContain("was never sent");
  const refused = run(failed, drag, ...save({ status: 409 }));
  expect(first(refused, usual)).toStartWith("request_failed: PATCH /api/orders/2 was answered with 409");
});

test("what never came is told with the page's line that it left something aside, and with no other line", () => {
  const cause = (text: string) =>
    first(
      run(
        click("Click Pay", { ts: 3_100 }),
        ...exchange("/authorise", { method: "POST", ts: 3_200 }),
        { kind: "console.warning", ts: 3_400, text },
        waitedInVain(),
      ),
    );
  expect(cause("Ignored a message from http://card.example")).toEndWith(
    "POST /authorise, answered with 200; the page logged the warning: Ignored a message from http://card.example",
  );
  expect(cause("Largest paint after 900 ms")).not.toContain("the page logged");
});

test("the page's line stands once, with the best of what never came", () => {
  const pay = [click("Click Pay", { ts: 3_100 }), ...exchange("/authorise", { method: "POST", ts: 3_200 })];
  const line = { kind: "console.warning", ts: 3_400, text: "Ignored a message from http://card.example" };
  const usual = run(
    ...pay,
    ...exchange("/api/orders", { method: "POST", ts: 3_300 }),
    waiting({ duration_ms: 400 }),
  );
  const suspects = told(run(...pay, line, waitedInVain()), usual, usual);
  const saying = suspects.filter((one) => one.includes("Ignored a message"));
  expect(suspects.length).toBeGreaterThan(1);
  expect(saying).toEqual([suspects[0]!]);
});
