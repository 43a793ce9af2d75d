import { expect, test } from "bun:test";
import { run } from "../run.ts";
import { json, missed, told } from "./scene.ts";

const asked = (count: number, every: number) =>
  told(
    run(
      ...Array.from({ length: count }, (_, at) =>
        json("/api/guest", { id: "g1" }, { ts: 3_000 + at * every }),
      ).flat(),
      missed("getByTestId('since')"),
    ).toSorted((a, b) => a.ts - b.ts),
  ).join("\n");

test("what a page asks for over and over with no pause is a loop", () => {
  expect(asked(30, 100)).toContain(
    "GET /api/guest was asked 30 times in 2.9 s, each time as soon as it was answered: the page asks for the same in an endless loop",
  );
});

test("what is asked at intervals, or a few times, is none", () => {
  expect(asked(12, 400)).not.toContain("endless loop");
  expect(asked(6, 100)).not.toContain("endless loop");
});
