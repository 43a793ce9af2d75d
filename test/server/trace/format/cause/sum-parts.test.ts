import { expect, test } from "bun:test";
import { exchange, failing, first, passing, run } from "./run.ts";

test("a sum is told with the part of it that is another one, and with no other number", () => {
  const quote = (fee: number, handling: number) =>
    exchange("/api/quote", {
      ts: 4_000,
      body: JSON.stringify({
        lines: [
          { label: "fee", cents: fee },
          { label: "handling", cents: handling },
        ],
        totalCents: fee + handling,
      }),
    });
  const price = { expected: '"€52.74"', received: '"€52.73"' };
  const usual = run(...quote(5_145, 129), passing(price));
  expect(first(run(...quote(5_145, 128), failing(price)), usual, usual)).toBe(
    "answer_changed: GET /api/quote answered “5273” for “totalCents”, where the last pass had “5274”; it has “128” for “cents” of “handling” in it, where the last pass had “129”",
  );
  expect(first(run(...quote(5_143, 130), failing(price)), usual, usual)).not.toContain("in it");
});

test("a sum is told with what its list has lost, and not with what another list has", () => {
  const LINES = [
    { code: "room", label: "Double, two nights", amount: 33_800 },
    { code: "member", label: "Member rate, 5 % off", amount: -1_690 },
    { code: "tax", label: "City tax", amount: 940 },
  ];
  const quote = (has: (code: string) => boolean, more: (lines: typeof LINES) => object) => {
    const lines = LINES.filter(({ code }) => has(code));
    const total = lines.reduce((sum, { amount }) => sum + amount, 0);
    return exchange("/api/quote", { ts: 4_000, body: JSON.stringify({ ...more(lines), total }) });
  };
  const price = { expected: '"€330.50"', received: '"€347.40"' };
  const told = (more: (lines: typeof LINES) => object) => {
    const usual = run(...quote(() => true, more), passing(price));
    return first(run(...quote((code) => code !== "member", more), failing(price)), usual, usual);
  };
  const said = "answer_changed: GET /api/quote answered “34740” for “total”, where the last pass had “33050”";
  expect(told((lines) => ({ lines }))).toBe(
    `${said}; its “lines” has 2 items instead of 3 items, without “Member rate, 5 % off”`,
  );
  expect(told((lines) => ({ other: { lines } }))).toBe(said);
});

test("a sum is told with how many its list has, where the list has no name to tell what it has lost", () => {
  const order = (...cents: number[]) =>
    exchange("/api/order", {
      ts: 4_000,
      body: JSON.stringify({
        lines: cents.map((each) => ({ cents: each })),
        total: cents.reduce((sum, each) => sum + each, 0),
      }),
    });
  const price = { expected: '"€93.47"', received: '"€59.97"' };
  const usual = run(...order(5_997, 3_350), passing(price));
  expect(first(run(...order(5_997), failing(price)), usual, usual)).toEndWith(
    "; its “lines” has 1 item instead of 2 items",
  );
});

test("a sum that a write answers is told with the value in it that is another one than was sent", () => {
  const merge = (qty: number, kept: number) =>
    exchange("/api/cart/merge", {
      method: "POST",
      ts: 4_000,
      request: { body: JSON.stringify({ lines: [{ sku: "mill", qty }] }) },
      body: JSON.stringify({
        lines: [{ sku: "mill", name: "Salt Mill", qty: kept, lineCents: 1_990 * kept }],
        subtotalCents: 1_990 * kept,
      }),
    });
  const total = { expected: '"€59.70"', received: '"€19.90"' };
  const usual = run(...merge(3, 3), passing(total));
  expect(first(run(...merge(3, 1), failing(total)), usual, usual)).toEndWith(
    "; it has “1” for “qty” of “Salt Mill” in it, though it was sent with “3”",
  );
  // What was sent otherwise is kept so.
  expect(first(run(...merge(1, 1), failing(total)), usual, usual)).not.toContain("though it was sent");
});

test("a sum is told with a list of as many items that has others", () => {
  const page = (total: number, ...names: string[]) =>
    exchange("/api/members", {
      ts: 4_000,
      body: JSON.stringify({ items: names.map((name) => ({ name })), total }),
    });
  const count = { expected: '"16 members"', received: '"32 members"' };
  const usual = run(...page(16, "Ann Lee", "Bo Ray"), passing(count));
  const found = first(run(...page(32, "Cy Fox", "Ann Lee"), failing(count)), usual, usual);
  expect(found).toEndWith("; its “items” has other items, without “Bo Ray”, with “Cy Fox”");
});

test("a number is told with the one of another thing that is another one by as much, and not where two changed places or are more", () => {
  const levels = (...quantities: number[]) =>
    exchange("/api/articles/7", {
      ts: 4_000,
      body: JSON.stringify({
        levels: quantities.map((quantity, at) => ({ warehouse: ["Main", "North", "South"][at], quantity })),
      }),
    });
  const stock = { expected: '"50"', received: '"30"' };
  const usual = run(...levels(75, 50, 9), passing(stock));
  const cause = (...quantities: number[]) =>
    first(run(...levels(...quantities), failing(stock)), usual, usual);
  const said =
    "answer_changed: GET /api/articles/7 answered “30” for “levels.North.quantity”, where the last pass had “50”";
  expect(cause(95, 30, 9)).toBe(
    `${said}; what it lacks is in “levels.Main.quantity”, which has “95” where the last pass had “75”`,
  );
  expect(cause(75, 30, 9)).toBe(said);
  expect(cause(95, 30, 29)).not.toContain("lacks");
  const swapped = run(...levels(30, 50, 9), passing(stock));
  expect(first(run(...levels(50, 30, 9), failing(stock)), swapped, swapped)).not.toContain("lacks");
});
