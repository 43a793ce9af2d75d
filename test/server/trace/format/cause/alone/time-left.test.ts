import { expect, test } from "bun:test";
import { run } from "../run.ts";
import { json, textOf, told } from "./scene.ts";

/** The failed step ends 7 s after the run began. */
const END = 1_007_000;
const due = (minutes: number) =>
  json("/api/tickets/7", { dueAt: new Date(END + minutes * 60_000).toISOString() });
const cause = (minutes: number, received: string, expected = "3h 29m left") =>
  told(run(...due(minutes), textOf("sla", expected, received))).join("\n");

test("a length of time that the page shows rightly is told as that of the answer's moment", () => {
  expect(cause(449, "7h 29m left")).toMatch(
    /^answer_changed: GET \/api\/tickets\/7 answered “1970-.*” for “dueAt”, which the page shows rightly \(“7h 29m left”\): that is 4 hours later than the test wants/,
  );
});

test("one that is whole hours off the answer's moment is told as of another zone", () => {
  expect(cause(209, "2h 29m left")).toContain(
    "as the test wants, but getByTestId('sla') has “2h 29m left”, 60 minutes less: the page takes it for the time of another zone",
  );
});

test("neither is told of another moment, or of less than whole hours", () => {
  expect(cause(100, "2h 29m left")).not.toContain("dueAt");
  expect(cause(209, "2h 50m left")).not.toContain("zone");
});
