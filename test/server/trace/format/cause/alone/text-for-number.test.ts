import { expect, test } from "bun:test";
import { failing, run } from "../run.ts";
import { first, json, told } from "./scene.ts";

const course = (fee: unknown) => json("/api/courses", { items: [{ id: 1, title: "Guitar", fee }] });
const wants = (received: string) => failing({ expected: '"€59.00"', received });

test("an amount that came as a text, and of which the page shows a hundredth, is told with both", () => {
  expect(first(run(...course("59.00"), wants('"Guitar 4/8€0.59"')))).toBe(
    "answer_changed: GET /api/courses answered “59.00” for “items.0.fee”, as a text and with decimals: the page shows a hundredth of it (“€0.59”), as if it were the smaller unit",
  );
});

test("it is not where it came as a number, or the page shows another amount", () => {
  expect(told(run(...course(5_900), wants('"Guitar €0.59"'))).join("\n")).not.toContain("as a text");
  expect(told(run(...course("59.00"), wants('"Guitar €62.00"'))).join("\n")).not.toContain("as a text");
});
