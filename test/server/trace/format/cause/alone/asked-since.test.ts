import { expect, test } from "bun:test";
import { click, exchange, failing, page, run } from "../run.ts";
import { missed, told } from "./scene.ts";

const quote = (ts: number, total: number, more: Record<string, unknown> = {}) =>
  exchange("/api/quote", {
    ts,
    method: "POST",
    request: { body: "{}" },
    body: JSON.stringify({ total }),
    media_type: "application/json",
    ...more,
  });
const act = (title: string, name: string, ts: number) => click(title, { name, ts, step_id: title });
const rate = act("Check Saver", "page.check", 3_000);
const code = act("Click Apply code", "page.click", 3_500);
const parking = act("Check Parking", "page.check", 4_500);
const price = (more: Record<string, unknown> = {}) =>
  failing({
    title: "Expect \"toHaveText\" getByTestId('total')",
    expected: '"€914.59"',
    received: '"€824.59"',
    ...more,
  });
const earlier = [rate, ...quote(3_050, 92_459), code, ...quote(3_550, 82_459)];

test("a figure that was not asked for again after a field changed, as after the actions before, is told so", () => {
  const cause = (...more: ReturnType<typeof exchange>) => told(run(...earlier, ...more, price())).join("\n");
  const words =
    "POST /api/quote answered “82459” for “total”: that is what the page shows, where the test wants “€914.59”; it was asked for after “Click Apply code”, and not after “Check Parking”";
  expect(cause(parking)).toStartWith(`answer_changed: ${words}`);
  expect(cause(parking, ...quote(4_550, 82_459))).not.toContain("and not after");
  expect(cause(act("Click Details", "page.click", 4_500))).not.toContain("and not after");
  // Once may be how a page begins.
  expect(told(run(rate, ...quote(3_050, 82_459), parking, price())).join()).not.toContain("and not after");
});

test("a figure that was read once while its answer was on the way is told so", () => {
  const read = {
    step_id: "read",
    ts: 4_600,
    duration_ms: 2,
    message: "expect(received).toBe(expected) // Object.is equality",
  };
  const late = quote(4_580, 91_459, { ts: 4_580, duration_ms: 400 });
  const cause = (more: Record<string, unknown>, ...asked: ReturnType<typeof exchange>) =>
    told(run(...earlier, parking, ...asked, price(more))).join("\n");
  expect(cause(read, late[0]!)).toContain(
    "after “Check Parking”, and had not been answered when the test read the value: it reads once and does not wait",
  );
  // One that looks again and again waits.
  expect(cause({}, late[0]!)).not.toContain("reads once");
  const polled = "Timeout 3000ms exceeded while waiting on the predicate";
  expect(cause({ ...read, message: `${read.message}\n\n${polled}` }, late[0]!)).not.toContain("reads once");
});

test("what was taken where the test waits for an objection is told", () => {
  const save = act("Click Save", "page.click", 4_000);
  const write = (status: number, method = "PUT") =>
    exchange("/api/profile", {
      ts: 4_050,
      method,
      status,
      request: { body: "{}" },
      body: "{}",
      media_type: "application/json",
    });
  const cause = (target: string, ...asked: ReturnType<typeof exchange>) =>
    told(run(save, ...asked, missed(target), page("<h1>Profile</h1><p>Saved</p>"))).join("\n");
  const objection = "getByText('Please give the number with its country code')";
  expect(cause(objection, ...write(200))).toStartWith(
    "answer_changed: PUT /api/profile was taken (answered with 200) where the test waits for an objection (“Please give the number with its country code”): nothing refused what “Click Save” sent",
  );
  expect(cause("getByRole('alert')", ...write(200))).toContain("waits for an objection: nothing refused");
  expect(cause(objection, ...write(422))).not.toContain("was taken");
  expect(cause(objection, ...write(200, "GET"))).not.toContain("was taken");
  expect(cause("getByText('Your order is on its way')", ...write(200))).not.toContain("was taken");
});

test("a control is most likely held back for a script that did not load", () => {
  const script = (status: number) => exchange("/v3.js", { ts: 1_000, status, resource_type: "script" });
  const send = missed("getByRole('button', { name: 'Send' })", {
    log: [
      "waiting for getByRole('button', { name: 'Send' })",
      "locator resolved to <button disabled>Send</button>",
      "element is not enabled",
    ],
  });
  const cause = (status: number) =>
    told(run(...script(status), send, page("<button disabled>Send</button>")))[0];
  expect(cause(503)).toBe(
    "element_disabled: getByRole('button', { name: 'Send' }) was disabled; the script GET /v3.js was answered with 503",
  );
  expect(cause(200)).toBe("element_disabled: getByRole('button', { name: 'Send' }) was disabled");
});
