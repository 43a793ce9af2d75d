import { expect, test } from "bun:test";
import { run } from "../run.ts";
import { json, textOf, told } from "./scene.ts";

const cause = (answer: object, expected: string, received: string) =>
  told(run(...json("/api/report", answer), textOf("kpi", expected, received))).join("\n");

test("a figure of which the page makes a hundredfold is told as the answer has it", () => {
  expect(cause({ satisfaction: 93.4 }, "93.4 %", "Satisfaction9340.0 %")).toStartWith(
    "answer_changed: GET /api/report answered “93.4” for “satisfaction”, as the test wants, and the page shows a hundred times that (“9340.0 %”): it takes it for another unit, such as a fraction or cents",
  );
  expect(cause({ total: 27 }, "€ 27.00", "Loom13:002€ 0.27paid")).toContain(
    "and the page shows a hundredth of that (“€ 0.27”)",
  );
});

test("where no answer is known to have it, it is told of the page alone", () => {
  expect(cause({}, "€ 27.00", "Loom13:002€ 0.27paid")).toStartWith(
    "page_changed: getByTestId('kpi') shows “€ 0.27”, a hundredth of what the test wants (“€ 27.00”): a number was taken as cents, or the like",
  );
});

test("another figure, or one without a unit, is no hundredfold", () => {
  expect(cause({ total: 27 }, "€ 27.00", "€ 2.70")).not.toContain("hundred");
  expect(cause({ total: 27 }, "27", "2700")).not.toContain("hundred");
  expect(cause({ total: 27 }, "€ 5.40", "€ 0.05")).not.toContain("hundred");
});
