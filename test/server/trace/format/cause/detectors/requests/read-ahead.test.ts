import { expect, test } from "bun:test";
import { exchange, failing, first, passing, run, told } from "../../run.ts";

const json = { media_type: "application/json" };
/** A request and its answer some ms later. */
function asked(url: string, ts: number, took: number, more: Record<string, unknown> = {}) {
  const [request, answer] = exchange(url, { ts, ...json, ...more });
  return [request!, { ...answer!, ts: ts + took, duration_ms: took }];
}
const write = (ts: number, took: number, more = {}) =>
  asked("/api/orders/4/discount", ts, took, { method: "POST", ...more });
const bill = (ts: number, discount: number) =>
  asked("/api/orders/4/bill", ts, 5, { body: JSON.stringify({ discount, seen: ts }) });
const check = failing({ expected: '"663"', received: '"0"' });
const byTime = (...events: Parameters<typeof run>) =>
  run(...events.toSorted((a, b) => Number(a.ts) - Number(b.ts)));
const usual = byTime(...bill(2_000, 0), ...write(4_000, 300), ...bill(4_302, 663), passing());
const other = byTime(...bill(2_000, 0), ...write(4_000, 260), ...bill(4_256, 663), passing());
const SAID = "went out while POST /api/orders/4/discount was not yet answered";

test("a read that went out before the write was answered which it follows in every pass", () => {
  expect(first(byTime(...bill(2_000, 0), ...write(4_000, 300), ...bill(4_002, 0), check), usual, other)).toBe(
    `out_of_order: GET /api/orders/4/bill ${SAID}, 298 ms too early: in the last pass it followed that, and came with “663” for “discount” in the place of “0”`,
  );
});

test("was not too early where it was asked for again, came with the same, or goes out with the write in passes too", () => {
  const early = [...bill(2_000, 0), ...write(4_000, 300), ...bill(4_002, 0)];
  const atOnce = byTime(...bill(2_000, 0), ...write(4_000, 8), ...bill(4_002, 663), passing());
  for (const silent of [
    told(byTime(...early, ...bill(4_400, 0), check), usual, other),
    told(byTime(...bill(2_000, 0), ...write(4_000, 300), ...bill(4_002, 663), check), usual, other),
    told(byTime(...bill(2_000, 0), ...write(4_000, 300), ...bill(4_290, 0), check), usual, other),
    told(byTime(...early, check), usual, atOnce),
    // What was refused changed nothing that could be read.
    told(byTime(...bill(2_000, 0), ...write(4_000, 300, { status: 500 }), ...bill(4_002, 0), check), usual),
    told(byTime(...early, check)),
  ])
    expect(silent.join("\n")).not.toContain(SAID);
});

test("a list that was read too early is told with the thing that it has not yet", () => {
  const list = (ts: number, ...names: string[]) =>
    asked("/api/addresses", ts, 5, {
      body: JSON.stringify(names.map((name, at) => ({ id: `7f3c9a1e5b2d4860${ts}${at}`, name }))),
    });
  const saved = asked("/api/addresses", 4_000, 300, { method: "POST" });
  expect(
    first(
      byTime(...list(2_000, "Home"), ...saved, ...list(4_002, "Home"), check),
      byTime(...list(2_000, "Home"), ...saved, ...list(4_302, "Home", "Work"), passing()),
    ),
  ).toBe(
    "out_of_order: GET /api/addresses went out while POST /api/addresses was not yet answered, 298 ms too early: in the last pass it followed that, and came with “Work” for “1.name”, which it has not here",
  );
});

test("a read with a cookie that the write's answer set was not too early, however late that was noted", () => {
  const signIn = asked("/api/session", 4_000, 300, {
    method: "POST",
    headers: [{ name: "set-cookie", value: "sid=f20d726c; Path=/; HttpOnly" }],
  });
  const summary = (ts: number, drafts: number, cookie: string) =>
    asked("/api/summary", ts, 5, {
      body: JSON.stringify({ drafts }),
      request: { headers: [{ name: "cookie", value: cookie }] },
    });
  const cause = (cookie: string) =>
    told(
      byTime(...signIn, ...summary(4_002, 3, cookie), check),
      byTime(...signIn, ...summary(4_302, 2, "sid=f20d726c"), passing()),
    ).join();
  expect(cause("sid=f20d726c")).not.toContain("went out while");
  expect(cause("sid=0b1c2d3e")).toContain("GET /api/summary went out while POST /api/session");
});
