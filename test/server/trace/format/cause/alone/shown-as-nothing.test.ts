import { expect, test } from "bun:test";
import { run } from "../run.ts";
import { json, textOf, told } from "./scene.ts";

const cause = (trip: object, expected: string, received: string) =>
  told(run(...json("/api/trips/7", trip), textOf("ends", expected, received))).join("\n");

test("what an answer has nothing for is told where the page says that there is none, or leaves it out", () => {
  expect(cause({ id: "t7", endsOn: null }, "3 days left", "No end")).toStartWith(
    "answer_changed: GET /api/trips/7 answered “null” for “endsOn”, and the page shows “No end”",
  );
  expect(cause({ id: "t7", guest: { name: null } }, "Dear Ada Moss, hello", "Dear , hello")).toContain(
    "answered “null” for “guest.name”, and the page leaves out what the test wants",
  );
});

test("it is not where the page shows a value, or more is missing than one could mean", () => {
  for (const said of [
    cause({ id: "t7", endsOn: null }, "3 days left", "4 days left"),
    cause({ id: "t7", endsOn: null, guest: null, place: null }, "3 days left", "No end"),
    cause({ id: "t7", deletedAt: null }, "3 days left", "No end"),
    cause({ id: "t7", stops: [{ endsOn: null }] }, "3 days left", "No end"),
  ])
    expect(said).not.toContain("answered “null”");
});

test("what a text leaves out is a name or the like, and no thing beside it", () => {
  expect(cause({ id: "t7", guide: null }, "Dear Ada Moss, hello", "Dear , hello")).not.toContain(
    "answered “null”",
  );
});
