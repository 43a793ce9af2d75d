import { expect, test } from "bun:test";
import { exchange, failing, first, passing, run, told } from "../../run.ts";

const DAYS = ["4 May 2012", "10 Sept 2015", "16 Feb 2020"];
const list = (days: string[], query = "sort=joined&dir=desc") =>
  exchange(`/members?${query}`, {
    ts: 4_000,
    resource_type: "document",
    media_type: "text/html",
    body: `<table><tr><th>Name</th><th>Joined</th></tr>${days.map((day) => `<tr><td>Ann</td><td>${day}</td></tr>`).join("")}</table>`,
  });
const compared = (received = "[ 1, 2, 3 ]") => ({
  name: "toEqual",
  title: 'Expect "toEqual"',
  message: "expect(received).toEqual(expected) // deep equality",
  expected: "[ 3, 2, 1 ]",
  received,
});
const usual = run(...list(DAYS.toReversed()), passing(compared()));

test("a served list that is asked for in one direction and comes in the other is told by the column", () => {
  expect(first(run(...list(DAYS), failing(compared())), usual, usual)).toBe(
    "answer_changed: GET /members?sort=joined&dir=desc came in ascending order of “Joined”, though it asks for “desc” in “dir”: the test wants the 3 values the other way round",
  );
});

test("nothing is told of a list that came as it was asked for, or of other values", () => {
  const isTold = (...given: Parameters<typeof told>) =>
    told(...given)
      .join("\n")
      .includes("though it asks");
  expect(isTold(run(...list(DAYS, "dir=asc"), failing(compared())), usual)).toBe(false);
  expect(isTold(run(...list(DAYS.toReversed()), failing(compared())), usual)).toBe(false);
  expect(isTold(run(...list(DAYS), failing(compared("[ 1, 3, 2 ]"))), usual)).toBe(false);
});
