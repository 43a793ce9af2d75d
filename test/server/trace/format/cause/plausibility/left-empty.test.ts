import { expect, test } from "bun:test";
import { click, exchange, failing, first, page, passing, run } from "../run.ts";

const label = '<label for="amount">Amount</label>';
const mail = '<label for="amount">E-mail</label><input __playwright_target__="" id="amount">';
const fill = (fields: string) => [
  page(`<main><form>${fields}</form></main>`, { ts: 4_000, step_id: "act", phase: "action" }),
  click("Fill Amount", { name: "locator.fill", step_id: "act", ts: 4_000, params: { value: "750" } }),
];
const send = (sent: object, ts: number, more: object = {}) =>
  exchange("/api/offers", { ts, method: "POST", request: { body: JSON.stringify(sent) }, ...more });

test("what went into another field by a label comes before the refusal of the field that was left empty, though passes send that more than once", () => {
  const whole = { mail: "a@b.example", amount: "750", note: "Soon" };
  const usual = run(
    ...fill(`${label}<input __playwright_target__="" id="amount">`),
    ...send(whole, 4_500),
    ...send(whole, 4_700),
    passing(),
  );
  const cause = (sent: object, status = 422) =>
    first(
      run(
        ...fill(`${mail}${label}<input id="amount">`),
        ...send(sent, 4_500, { status, body: "No" }),
        failing(),
      ),
      usual,
      usual,
    );
  expect(cause({ ...whole, mail: "b@c.example", amount: "" })).toContain("stands twice on the page");
  // Another field that is empty has nothing to do with it, nor has who is not let in.
  expect(cause({ ...whole, note: "" })).toStartWith("request_failed: POST /api/offers");
  expect(cause({ ...whole, amount: "" }, 403)).toStartWith("request_failed: POST /api/offers");
});
