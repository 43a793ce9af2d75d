import { expect, test } from "bun:test";
import { causeOf, click, exchange, failing, passing, run } from "./run.ts";

/** What a changed page did otherwise, with what changed in it. */
const told = (...args: Parameters<typeof causeOf>) =>
  causeOf(...args).suspects.map(({ kind, title }) => `${kind}: ${title}`);
const first = (...args: Parameters<typeof causeOf>) => told(...args)[0];

const served = (script: string, ts = 1_000) =>
  exchange("/pay", {
    resource_type: "document",
    media_type: "text/html",
    ts,
    body: `<h1>Checkout</h1><script>${script}</script>`,
  });
const pay = click("Click getByRole('button', { name: 'Pay' })", { ts: 4_000 });
const paid = exchange("/api/pay", { method: "POST", ts: 4_200 });

test("a request that was not sent is told with the script of the page that no longer sends it", () => {
  const usual = run(...served("onmessage=e=>{if(e.data.kind==='token')send()}"), pay, ...paid, passing());
  const failed = run(...served("onmessage=e=>{if(e.data.kind==='card-token')send()}"), pay, failing());
  expect(first(failed, usual, usual)).toBe(
    "request_unsent: POST /api/pay was never sent: in the last pass it went out 200 ms after “Click getByRole('button', { name: 'Pay' })”; " +
      "GET /pay came with another script in it: “onmessage=e=>{if(e.data.kind==='card-token')send()}”, where the last pass had “onmessage=e=>{if(e.data.kind==='token')send()}”",
  );
});

test("a script that changed with nothing else is told by itself", () => {
  const usual = run(...served("show('EUR')"), pay, ...paid, passing());
  expect(first(run(...served("show('USD')"), pay, ...paid, failing()), usual, usual)).toStartWith(
    "answer_changed: GET /pay came with another script in it",
  );
});

test("a request that went out in the place of another is told with it", () => {
  const usual = run(pay, ...exchange("/api/rows?q=12", { ts: 4_200 }), passing());
  expect(first(run(pay, ...exchange("/api/rows", { ts: 4_200 }), failing()), usual, usual)).toBe(
    "request_unsent: GET /api/rows?q=12 was never sent: in the last pass it went out 200 ms after “Click getByRole('button', { name: 'Pay' })”; GET /api/rows went out in its place",
  );
});

const drag = click("Drag getByText('alpha')", { name: "dragTo", ts: 3_000 });
const reload = click("Reload", { name: "reload", ts: 4_000 });
const order = (ts: number, ...names: string[]) =>
  exchange("/api/order", { ts, body: JSON.stringify({ order: names }) });
const last = { expected: '"alpha"', received: '"gamma"' };

test("a write that was not sent before a reload is told, and not the old list that the reload shows", () => {
  const saved = exchange("/api/order", { method: "PUT", ts: 3_200 });
  const usual = run(
    ...order(2_000, "alpha", "beta", "gamma"),
    drag,
    ...saved,
    reload,
    ...order(4_200, "beta", "gamma", "alpha"),
    passing(last),
  );
  const failed = run(
    ...order(2_000, "alpha", "beta", "gamma"),
    drag,
    reload,
    ...order(4_200, "alpha", "beta", "gamma"),
    failing(last),
  );
  expect(first(failed, usual, usual)).toStartWith(
    "request_unsent: PUT /api/order was never sent: in the last pass it went out 200 ms after “Drag getByText('alpha')”",
  );
});

const JSON_BODY = [{ name: "content-type", value: "application/json" }];
const book = (sent: object, answer: object) =>
  exchange("/api/bookings", {
    method: "POST",
    ts: 4_200,
    media_type: "application/json",
    request: { headers: JSON_BODY, body: JSON.stringify(sent) },
    body: JSON.stringify(answer),
  });
const day = { expected: '"Booked for 2030-05-12"', received: '"Booked for 2030-05-11"' };

test("a day that the page sent otherwise is told before the answer that repeats it", () => {
  const usual = run(pay, ...book({ day: "2030-05-12" }, { day: "2030-05-12" }), passing(day));
  const failed = run(pay, ...book({ day: "2030-05-11" }, { day: "2030-05-11" }), failing(day));
  expect(first(failed, usual, usual)).toBe(
    "page_changed: POST /api/bookings was sent with the field day “2030-05-11” where the last pass sent “2030-05-12”",
  );
});

test("a day that nobody looks for is no news: the run may be of another day than its passes", () => {
  const usual = run(pay, ...book({ asked: "2030-05-12" }, {}), passing());
  const failed = run(pay, ...book({ asked: "2030-05-13" }, {}), failing());
  expect(told(failed, usual, usual).join("\n")).not.toContain("2030-05-13");
});

test("what was sent otherwise is told before what is read of it later", () => {
  const doc = (text: string) => exchange("/api/doc", { ts: 4_600, body: JSON.stringify({ text }) });
  const put = (text: string) =>
    exchange("/api/doc", {
      method: "PUT",
      ts: 3_200,
      request: { headers: JSON_BODY, body: JSON.stringify({ text }) },
    });
  const check = { expected: '"All is well"', received: '""' };
  const usual = run(pay, ...put("All is well"), reload, ...doc("All is well"), passing(check));
  expect(first(run(pay, ...put(""), reload, ...doc(""), failing(check)), usual, usual)).toBe(
    "page_changed: PUT /api/doc was sent with the field text “” where the last pass sent “All is well”",
  );
});

test("a write that was not sent is told with the one answer before it that says something else", () => {
  const rules = (min: string) => exchange("/api/rules", { ts: 1_000, body: JSON.stringify({ min }) });
  const usual = run(...rules("10"), pay, ...paid, passing());
  expect(first(run(...rules("20"), pay, failing()), usual, usual)).toBe(
    "request_unsent: POST /api/pay was never sent: in the last pass it went out 200 ms after “Click getByRole('button', { name: 'Pay' })”; GET /api/rules answered “20” for “min”, where the last pass had “10”",
  );
});
