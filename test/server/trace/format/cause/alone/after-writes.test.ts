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
type Sent = Parameters<typeof run>[number];
const cause = (...more: Parameters<typeof run>) => first(run(...more, balance));
const SHOWN =
  "answer_changed: GET /api/accounts answered “2500000” for “items.0.balanceCents”: that is what the page shows, where the test wants “€24,910.01”";

test("what is answered after a write as before it is told so", () => {
  expect(cause(...accounts(2_000, 2_500_000), ...pay(), ...accounts(3_100, 2_500_000))).toBe(
    `${SHOWN}; it still answered as before POST /api/payments, answered with 201`,
  );
  expect(cause(...accounts(2_000, 2_600_000), ...pay(), ...accounts(3_100, 2_500_000))).toBe(SHOWN);
  expect(cause(...pay(), ...accounts(3_100, 2_500_000))).toBe(SHOWN);
});

test("what was asked for before a write had been answered is told so", () => {
  const [sent, answered] = pay() as [Sent, Sent];
  const slow = [sent, ...accounts(3_100, 2_500_000), { ...answered, ts: 3_300 }];
  expect(cause(...accounts(2_000, 2_500_000), ...slow)).toBe(
    `${SHOWN}; it was asked for before POST /api/payments had been answered (with 201), and said the same as before that`,
  );
  // What it said before is not known.
  expect(cause(...slow)).toBe(SHOWN);
});

test("a write that was only taken is told so, and no answer from before it in its place", () => {
  const detail = () => json("/api/accounts/a", { id: "a", balanceCents: 2_500_000 }, { ts: 2_900 });
  const since = `it still answered as before POST /api/payments, answered with`;
  const read = [...accounts(2_000, 2_500_000), ...detail()];
  expect(cause(...read, ...pay({ status: 202 }), ...accounts(3_100, 2_500_000))).toBe(
    `${SHOWN}; ${since} 202, which says that it was taken, not that it is done`,
  );
  expect(cause(...read, ...pay(), ...accounts(3_100, 2_500_000))).toBe(`${SHOWN}; ${since} 201`);
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
