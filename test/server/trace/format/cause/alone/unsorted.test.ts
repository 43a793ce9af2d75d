import { expect, test } from "bun:test";
import { run } from "../run.ts";
import { json, operation, textOf, told } from "./scene.ts";

const rooms = (values: unknown[]) =>
  values.map((size, at) => ({ id: `r${at}`, name: `Room ${"ABCDEF"[at]}`, size }));
const met = textOf("first", "Room Z", "Room A");
const byQuery = (query: string, ...values: unknown[]) =>
  told(run(...json(`/api/rooms${query}`, rooms(values)), met)).join("\n");

test("a list that was asked for in an order and has none is told with its beginning", () => {
  const asked = operation(
    "query Rooms($sort: Sort) { rooms { id name size } }",
    { sort: { field: "size", direction: "DESC" } },
    { rooms: rooms(["LARGE", "SMALL", "LARGE", "MEDIUM"]) },
  );
  expect(told(run(...asked, met)).join("\n")).toContain(
    "POST /graphql (Rooms) asked for a list sorted by “size”, and the answer is in no such order (“LARGE”, “SMALL”, “LARGE”, “MEDIUM”, …): the sort was ignored",
  );
  expect(byQuery("?sort=-size", 4, 9, 2, 7)).toContain("the sort was ignored");
});

test("any order by what values are or mean is one, and so is what was not asked for", () => {
  for (const [query, ...values] of [
    ["?sort=size", 2, 4, 7, 9],
    ["?sort=size:desc", 9, 7, 7, 2],
    ["?sort=size", 9, 7, 4_800, 12, 103],
    ["?sort=size", "SMALL", "SMALL", "LARGE", "MEDIUM"],
    ["?q=size", 4, 9, 2, 7],
    ["?sort=name", 4, 9, 2, 7],
    ["?sort=size", 4, 9, 2],
  ] as [string, ...unknown[]][])
    expect(byQuery(query, ...values), query).not.toContain("the sort was ignored");
});
