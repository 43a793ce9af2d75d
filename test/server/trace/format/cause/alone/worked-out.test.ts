import { expect, test } from "bun:test";
import { page, run } from "../run.ts";
import { json, textOf, told } from "./scene.ts";

const field = (name: string, value: number) =>
  `<div role="group" aria-label="${name}"><input type="hidden" value="${value}"></div>`;
const tickets = page(`${field("Adults", 2)}${field("Children", 3)}${field("Seniors", 0)}<p>Total</p>`);
const prices = (adult: number, child: number) =>
  json("/api/prices", { slot: { adult, child, senior: 1_550, capacity: 40 } });
const cause = (received: string, adult = 1_850, child = 925) =>
  told(run(...prices(adult, child), tickets, textOf("total", "€ 64.75", received))).join("\n");

test("a sum that leaves out one of the things that were chosen is told with it", () => {
  expect(cause("€ 37.00")).toStartWith(
    "answer_changed: The page shows “€ 37.00”, which leaves out 3 × 9.25 (“Children”), as GET /api/prices has it: with that it would be “€ 64.75”",
  );
});

test("a sum that is right by what was answered is told with that", () => {
  expect(cause("€ 68.25", 1_950, 975)).toStartWith(
    "answer_changed: GET /api/prices answered what the page shows: “€ 68.25” is 2 × 19.50 (“Adults”) + 3 × 9.75 (“Children”), where the test wants “€ 64.75”",
  );
});

test("another sum is not told", () => {
  expect(cause("€ 40.00")).not.toContain("×");
  expect(cause("€ 37.00", 1_850, 900)).not.toContain("×");
});
