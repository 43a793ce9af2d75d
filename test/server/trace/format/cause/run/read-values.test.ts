import { describe, expect, test } from "bun:test";
import { causeOf, click, exchange, failing, first, run, sharedOf, told } from "../run.ts";

const read = (title: string, returned: unknown, ts = 4_000) => ({
  ...click(title, { ts, step_id: title }),
  name: "page.count",
  returned,
});
const orders = (count: number) =>
  exchange("/api/orders", {
    ts: 3_000,
    media_type: "application/json",
    body: JSON.stringify({ items: Array.from({ length: count }, (_, at) => ({ to: `Quay ${at}` })) }),
  });
const counted = (count: number, items = count) => run(...orders(items), read("Count .row", count));

describe("a run that failed by the test's own judgement, of which no step tells", () => {
  test("is told by what the test read last and every pass read otherwise", () => {
    const { suspects, failed_step } = causeOf(counted(10, 14), counted(14), counted(14));
    expect(failed_step?.title).toBe("Count .row");
    expect(suspects[0]?.title).toBe("“Count .row” gave the test “10”, where it gave “14” in the last pass");
  });

  test("has the answer first that made it so", () => {
    expect(first(counted(10), counted(14), counted(14))).toBe(
      "answer_changed: GET /api/orders answered with 10 items for “items” instead of 14 items",
    );
  });

  test("is told by an hour that two passes agree on", () => {
    const at = (hour: string) => run(read("Read the text of #eta", hour));
    expect(first(at("13:30"), at("14:30"), at("14:30"))).toStartWith("time: Another time");
    expect(told(at("13:30"), at("14:30"), at("15:10")).join()).not.toContain("gave the test");
  });

  test("is not told by a value that differs between passes, by an id, or where the passes read nothing", () => {
    const named = (name: string) => run(read("Read the text of #who", name));
    for (const [mine, ...theirs] of [
      ["Ana", "Bob", "Eve"],
      ["order 5f0c1a9e-7d0b-4b51-9b1e-2f3c4d5e6f70", "order 0b9d8c7a-1111-4222-8333-944455566677"],
    ])
      expect(told(named(mine!), ...theirs.map(named)).join()).not.toContain("gave the test");
    expect(told(named("Ana"), run(click("Click"))).join()).not.toContain("gave the test");
  });

  test("keeps what the passes read from whoever has the failed run alone", () => {
    const [mine, ...passes] = [counted(10, 14), counted(1_407), counted(1_407)] as const;
    expect(JSON.stringify(causeOf(mine, ...passes))).toContain("1407");
    expect(JSON.stringify(sharedOf(mine, ...passes))).not.toContain("1407");
    expect(JSON.stringify(sharedOf(mine, ...passes))).toContain("“Count .row” gave the test “10”");
  });

  test("is told by its failed step where there is one", () => {
    const mine = run(read("Count .row", 10), failing());
    expect(told(mine, run(read("Count .row", 14))).join()).not.toContain("gave the test");
  });
});
