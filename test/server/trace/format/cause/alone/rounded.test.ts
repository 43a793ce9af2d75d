import { expect, test } from "bun:test";
import { run } from "../run.ts";
import { json, textOf, told } from "./scene.ts";

const cause = (answer: object, expected: string, received: string) =>
  told(run(...json("/api/report", answer), textOf("kpi", expected, received))).join("\n");

test("a figure without the decimals that an answer has and the test wants is told as rounded", () => {
  expect(cause({ satisfaction: 0.934 }, "93.4 %", "Satisfaction93 %")).toStartWith(
    "answer_changed: GET /api/report answered “0.934” for “satisfaction”, and the page shows it rounded (“Satisfaction93 %”), where the test wants “93.4 %”: it lost its decimals",
  );
});

test("another figure, or one that the answer has not, is not", () => {
  expect(cause({ satisfaction: 0.934 }, "93.4 %", "94 %")).not.toContain("rounded");
  expect(cause({ satisfaction: 0.93 }, "93.4 %", "93 %")).not.toContain("rounded");
  expect(cause({ one: 0.934, other: 93.4 }, "93.4 %", "93 %")).not.toContain("rounded");
});
