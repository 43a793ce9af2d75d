import { expect, test } from "bun:test";
import { exchange, failing, run } from "../run.ts";
import { first, json } from "./scene.ts";

const list = (query: string, from: number, count: number, ts: number) =>
  json(
    `/api/notes${query}`,
    {
      items: Array.from({ length: count }, (_, at) => ({ id: `n${from + at}`, text: `Note ${from + at}` })),
    },
    { ts },
  );
const count = failing({
  name: "toHaveCount",
  title: "Expect \"toHaveCount\" getByRole('listitem')",
  expected: "7",
  received: "8",
});
const cause = (...more: Parameters<typeof run>) => first(run(...more, count));

test("a page of a list that begins with the end of the page before it is told", () => {
  expect(cause(...list("", 1, 5, 2_000), ...list("?cursor=4", 5, 3, 3_000))).toBe(
    "answer_changed: GET /api/notes?cursor=4 answered with “Note 5” first, which was the last one of the page before it (GET /api/notes): the pages overlap",
  );
  expect(cause(...list("?page=1", 1, 5, 2_000), ...list("?page=2", 4, 4, 3_000))).toContain(
    "answered with 2 things first that the page before it had ended with, “Note 4” the first of them",
  );
});

test("pages that follow each other, and what was put before a list in between, are not told so", () => {
  const page = list("?page=1", 1, 5, 2_000);
  for (const events of [
    [...page, ...list("?page=2", 6, 3, 3_000)],
    [...page, ...list("?page=1", 5, 3, 3_000)],
    [...page, ...list("?page=2", 1, 5, 3_000)],
    [...page, ...list("?page=2&q=a", 5, 3, 3_000)],
    [
      ...page,
      ...exchange("/api/notes", { ts: 2_500, method: "POST", status: 201 }),
      ...list("?page=2", 5, 3, 3_000),
    ],
  ])
    expect(cause(...events)).not.toContain("the pages overlap");
  const other = failing({ expected: '"Hello"', received: '"Hi"' });
  expect(first(run(...page, ...list("?page=2", 5, 3, 3_000), other))).not.toContain("the pages overlap");
});

test("another thing that goes by the same name is on no page before", () => {
  const staff = (query: string, ...ids: string[]) =>
    json(`/api/staff${query}`, {
      items: ids.map((id) => ({ id, title: id === "u1" ? "Recruiter" : "Lead" })),
    });
  const pages = (id: string) => [...staff("?page=1", "u1", "u2"), ...staff("?page=2", id)];
  expect(cause(...pages("u3"))).not.toContain("the pages overlap");
  expect(cause(...pages("u2"))).toContain("the pages overlap");
});
