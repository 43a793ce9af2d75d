import { expect, test } from "bun:test";
import { failing, run } from "../run.ts";
import { first, json, told } from "./scene.ts";

const wants = (received: string, target = "getByTestId('row').first()") =>
  failing({
    title: `Expect "toContainText" ${target}`,
    name: "toContainText",
    expected: '"Albrecht"',
    received,
  });
const people = (...items: object[]) => json("/api/people?page=1", { items });
const anna = { id: 1, given: "Anna", family: "Albrecht", lives: "Bonn" };
const leon = { id: 2, given: "Leon", family: "Fischer", lives: "Kiel" };

test("what the page leaves out of a thing that it shows is told with the name that the answer has for it", () => {
  expect(first(run(...people(anna, leon), wants('"Anna Bonn"')))).toBe(
    "answer_changed: GET /api/people?page=1 answered “Albrecht” for “family” of a thing of which the page shows “Anna” and “Bonn”: it leaves that out, or knows it by another name",
  );
});

test("a list that has not what the step looks for in its place is told with what the page shows of it", () => {
  expect(first(run(...people(leon), wants('"Leon Fischer Kiel"')))).toBe(
    "answer_changed: GET /api/people?page=1 answered with 1 item, none of which has “Albrecht”; what the page shows in its place is one of them (“Leon”, “Fischer”)",
  );
});

test("neither is told where another thing has it, or the step takes none by its place", () => {
  const said = /leaves that out|none of which has “Albrecht”; what/;
  expect(told(run(...people(anna, leon), wants('"Leon Fischer Kiel"'))).join("\n")).not.toMatch(said);
  expect(
    told(run(...people(leon), wants('"Leon Fischer Kiel"', "getByTestId('row')"))).join("\n"),
  ).not.toMatch(said);
});
