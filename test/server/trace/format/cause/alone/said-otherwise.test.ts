import { describe, expect, test } from "bun:test";
import { failing, run } from "../run.ts";
import { first, json, post, told } from "./scene.ts";

const bill = { id: 7, number: "B-7", month: "May", net: 5_750, discount: 10 };
const wants = failing({
  title: "Expect \"toHaveText\" getByTestId('discount')",
  expected: '"5.75 off"',
  received: '"0.06 off"',
});
const events = (thing: object, between: Parameters<typeof run> = []) =>
  run(
    ...json("/api/bills?open", { items: [bill] }, { ts: 4_000 }),
    ...between,
    ...json("/api/bills/7", thing),
    wants,
  );
const HAD = "where GET /api/bills?open had";

describe("an answer about one thing", () => {
  test("is told where it has no value that a list had for it just before", () => {
    expect(first(events({ ...bill, discount: null }))).toBe(
      `answer_changed: GET /api/bills/7 answered “null” for “discount”, ${HAD} “10” for it just before`,
    );
    expect(first(events({ data: { ...bill, discount: null } }))).toContain(HAD);
  });

  test("is told where it has a number in another unit", () => {
    expect(told(events({ ...bill, net: 57.5 })).join("\n")).toContain(
      `GET /api/bills/7 answered “57.5” for “net”, ${HAD} “5750” for it just before: it is a hundredth of that`,
    );
  });

  test("is not where something was written in between, it is another thing, or says another number", () => {
    const silent = (...given: Parameters<typeof events>) =>
      expect(told(events(...given)).join("\n")).not.toContain("just before");
    silent({ ...bill, discount: null }, post("/api/bills/7/undo", 200, {}));
    silent({ ...bill, id: 8, discount: null });
    silent({ id: 7, name: "Anna", age: 5, discount: null });
    silent({ ...bill, discount: 20 });
  });
});
