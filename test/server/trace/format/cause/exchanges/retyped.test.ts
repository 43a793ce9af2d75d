import { describe, expect, test } from "bun:test";
import { exchange, failing, first, passing, run, save, told } from "../run.ts";

const json = { media_type: "application/json" };
const given = exchange("/api/orders/7", {
  ts: 1_000,
  body: '{"lines":[{"quantity":20},{"quantity":6}]}',
  ...json,
});
const receipt = (lines: unknown[], answer: object) =>
  exchange("/api/receipts", {
    ts: 3_050,
    method: "POST",
    request: {
      headers: [{ name: "content-type", value: "application/json" }],
      body: JSON.stringify({ note: "DN-20", lines }),
    },
    ...answer,
  });
const booked = { status: 200, body: '{"ok":true}', ...json };
const refused = { status: 422, body: '{"message":"lines[0].quantity must be an integer"}', ...json };
const usual = run(...given, save(), ...receipt([{ quantity: 20 }, { quantity: 6 }], booked), passing());
const sentBy = (lines: unknown[]) => run(...given, save(), ...receipt(lines, refused), failing());

describe("what was sent as a value of another type", () => {
  test("is told with both types where it is written alike, and not as another order of its list", () => {
    const mine = sentBy([{ quantity: "20" }, { quantity: "6" }]);
    expect(first(mine, usual, usual)).toBe(
      "request_failed: POST /api/receipts, which was sent with the field lines.0.quantity as the text “20”, where the last pass sent the number 20, was answered with 422: lines[0].quantity must be an integer",
    );
    expect(told(mine, usual, usual).join("\n")).not.toMatch(/in another order|had given/);
  });

  test("is told so of switches and of nothing, too", () => {
    const flagged = (value: unknown) => [{ isWhole: value }];
    for (const [now, before, words] of [
      ["true", true, "as the text “true”, where the last pass sent the value true"],
      ["null", null, "as the text “null”, where the last pass sent the value null"],
    ] as const)
      expect(
        first(
          sentBy(flagged(now)),
          ...[0, 1].map(() => run(...given, save(), ...receipt(flagged(before), booked), passing())),
        ),
      ).toContain(`the field lines.0.isWhole ${words}`);
  });

  test("is another order where the same things of one type come in another one", () => {
    expect(first(sentBy([{ quantity: 6 }, { quantity: 20 }]), usual, usual)).toContain(
      "with the field lines in another order: “6”, “20”, where the last pass sent “20”, “6”",
    );
  });

  test("is told as another value where it is one", () => {
    expect(first(sentBy([{ quantity: "21" }, { quantity: 6 }]), usual, usual)).toContain(
      "with the field lines.0.quantity “21” where the last pass sent “20”",
    );
  });
});
