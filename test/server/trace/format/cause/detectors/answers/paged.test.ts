import { expect, test } from "bun:test";
import { exchange, failing, first, passing, run } from "../../run.ts";

const counted = {
  name: "toBe",
  title: 'Expect "toBe"',
  message: "expect(received).toBe(expected) // Object.is equality",
  expected: "6",
  received: "5",
};

/** The pages of a list, asked for one after the other. */
const listed = (...pages: string[][]) =>
  pages.flatMap((titles, at) =>
    exchange(`/api/tools?sort=price${at === 0 ? "" : `&page=${at + 1}`}`, {
      ts: 1_000 + at * 100,
      body: JSON.stringify({ items: titles.map((title) => ({ id: `t-${title}`, title })) }),
    }),
  );
const usual = [
  ["Saw", "Drill"],
  ["Ladder", "Sander"],
  ["Mixer", "Torch"],
];
const pass = run(...listed(...usual), passing({ ...counted, received: undefined }));

test("a page that begins with what the page before it had is told by that thing, and not by what it differs in", () => {
  const overlapping = run(
    ...listed(["Saw", "Drill"], ["Drill", "Ladder"], ["Ladder", "Sander"]),
    failing(counted),
  );
  expect(first(overlapping, pass, pass)).toBe(
    "answer_changed: GET /api/tools?sort=price&page=2 answered with “Drill”, which the page before it (“the first”) had already: the pages overlap, as they do in no pass",
  );
});

test("a thing at the border of two pages that no page has is told as left out", () => {
  const skipping = run(...listed(["Saw", "Drill"], ["Sander"], ["Mixer", "Torch"]), failing(counted));
  expect(first(skipping, pass, pass)).toBe(
    "answer_changed: No page of the list has “Ladder”, with which GET /api/tools?sort=price&page=2 began in the last pass: the pages leave it out",
  );
});

test("pages that GraphQL is asked for are known by their variables", () => {
  const asked = (...pages: string[][]) =>
    pages.flatMap((titles, at) =>
      exchange("/graphql", {
        method: "POST",
        ts: 1_000 + at * 100,
        request: {
          headers: [{ name: "content-type", value: "application/json" }],
          body: JSON.stringify({ operationName: "Tools", variables: { page: at + 1 } }),
        },
        body: JSON.stringify({ data: { tools: { total: 4, items: titles.map((title) => ({ title })) } } }),
      }),
    );
  const usual = run(...asked(["Saw", "Drill"], ["Ladder"]), passing(counted));
  expect(first(run(...asked(["Saw", "Drill"], []), failing(counted)), usual, usual)).toBe(
    "answer_changed: No page of the list has “Ladder”, with which POST /graphql (Tools) began in the last pass: the pages leave it out",
  );
});

test("pages that overlap in passes too, and a thing that is gone from within a page, are no fault of the pages", () => {
  const moving = run(...listed(["Saw", "Drill"], ["Drill", "Ladder"]), passing(counted));
  const alike = run(...listed(["Saw", "Drill"], ["Drill", "Sander"]), failing(counted));
  expect(first(alike, moving, moving)).not.toContain("overlap");
  const within = [
    ["Saw", "Drill", "Ladder"],
    ["Sander", "Mixer", "Torch"],
  ];
  const sold = run(...listed(["Saw", "Ladder"], within[1]!), failing(counted));
  const before = run(...listed(...within), passing(counted));
  expect(first(sold, before, before)).not.toContain("leave it out");
});

test("pages that overlap are told without a pass as well", () => {
  const overlapping = run(...listed(["Saw", "Drill"], ["Drill", "Ladder"]), failing(counted));
  expect(first(overlapping)).toBe(
    "answer_changed: GET /api/tools?sort=price&page=2 answered with “Drill”, which the page before it (“the first”) had already: the pages overlap",
  );
});
