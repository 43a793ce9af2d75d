import { expect, test } from "bun:test";
import { exchange, failing, run } from "../run.ts";
import { first, json } from "./scene.ts";

const accounts = (ts: number, cents: number, more: Record<string, unknown> = {}) =>
  json("/api/accounts", { items: [{ id: "a", balanceCents: cents }] }, { ts, ...more });
const pay = (more: Record<string, unknown> = {}) =>
  exchange("/api/payments", {
    ts: 3_000,
    method: "POST",
    status: 201,
    request: { body: '{"to":"b"}' },
    ...more,
  });
const balance = failing({
  title: "Expect \"toContainText\" getByTestId('balance')",
  expected: '"€24,910.01"',
  received: '"€25,000.00"',
});
const cause = (...more: Parameters<typeof run>) => first(run(...more, balance));
const SHOWN =
  "answer_changed: GET /api/accounts answered “2500000” for “items.0.balanceCents”: that is what the page shows, where the test wants “€24,910.01”";

test("what is answered after a write as before it is told so", () => {
  expect(cause(...accounts(2_000, 2_500_000), ...pay(), ...accounts(3_100, 2_500_000))).toBe(
    `${SHOWN}; it had answered the same before POST /api/payments, answered with 201`,
  );
  expect(cause(...accounts(2_000, 2_600_000), ...pay(), ...accounts(3_100, 2_500_000))).toBe(SHOWN);
  expect(cause(...pay(), ...accounts(3_100, 2_500_000))).toBe(SHOWN);
});

test("what was not asked for again after a write is told so", () => {
  const before = accounts(2_000, 2_500_000);
  expect(cause(...before, ...pay())).toBe(
    `${SHOWN}; it was not asked for again after POST /api/payments, answered with 201`,
  );
  // A refused write changes nothing, a question neither; nor does who comes and goes.
  for (const other of [
    pay({ status: 409 }),
    pay({ status: 200 }),
    exchange("/api/session", { ts: 3_000, method: "POST", status: 201 }),
    [...pay(), ...exchange("/", { ts: 3_200, resource_type: "document" })],
  ])
    expect(cause(...before, ...other)).not.toContain("not asked for again");
});

test("what the test's own route answered is told to come from it", () => {
  expect(cause(...accounts(3_100, 2_500_000, { handled: "fulfilled" }))).toBe(
    `${SHOWN}; the test's own route answered it`,
  );
});

test("a figure in cents is no amount of whole units", () => {
  const invoices = json("/api/invoices", { items: [{ id: "i", netCents: 25_000 }] }, { ts: 3_200 });
  expect(cause(...accounts(3_100, 2_500_000), ...invoices)).toBe(SHOWN);
  expect(cause(...invoices)).not.toContain("25000");
});
