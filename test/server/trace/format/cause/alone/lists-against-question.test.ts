import { describe, expect, test } from "bun:test";
import { click, failing, page, run } from "../run.ts";
import { first, json, told } from "./scene.ts";

/** The test counts, or reads, what a list shows. */
const wanting = (expected: string, received: string) =>
  failing({ name: "toHaveText", title: 'Expect "toHaveText" getByTestId("row")', expected, received });
const next = click("Click Next", { ts: 4_000 });
const list = (query: string, items: unknown[], ts: number, more: object = {}) =>
  json(`/api/jobs?${query}`, { items, ...more }, { ts });

describe("a list that is answered otherwise than it was asked for", () => {
  const open = { state: "open" };
  const closed = { state: "closed" };

  test("is told before a number that it has besides", () => {
    const cause = (...items: object[]) =>
      first(run(next, ...list("state=open", items, 4_100, { total: 32.8 }), wanting('"€16.40"', '"€32.80"')));
    expect(cause(open, closed, closed)).toContain("2 of the 3 things that it was answered with are others");
    expect(cause(open, open, open)).toContain("answered “32.8” for “total”");
  });

  test("is told of a page that the shorter list has not any more, and not where the same filter had it", () => {
    const cause = (before: string, items: unknown[]) =>
      told(
        run(
          ...list(`${before}&page=3`, [open], 3_000, { total: 30 }),
          next,
          ...list("state=closed&page=3", items, 4_100, { total: 8 }),
          wanting('"8"', '"0"'),
        ),
      ).join("\n");
    expect(cause("state=all", [])).toContain(
      "still asked for page=3 when “state” had become “closed”, and was answered with nothing, of 8 in all",
    );
    for (const silent of [cause("state=closed", []), cause("state=all", [closed])])
      expect(silent).not.toContain("still asked for page=3");
  });

  test("is told of the one that two pages leave out, and not where they follow each other", () => {
    const from = (number: number) => [0, 1, 2].map((at) => ({ number: number - at }));
    const cause = (second: number, want = '"Job 29"') =>
      told(
        run(
          ...list("page=1", from(32), 3_000),
          next,
          ...list("page=2", from(second), 4_100),
          wanting(want, `"Job ${second}"`),
        ),
      ).join("\n");
    expect(cause(28)).toContain(
      "begins with 28 for “number”, where the page before it had ended with 30: 29 is in neither",
    );
    for (const silent of [cause(29), cause(28, '"Job 12"')]) expect(silent).not.toContain("is in neither");
  });

  test("is told of ranks in the order of the alphabet, and not where the other direction explains it", () => {
    const jobs = (ranks: string) => ranks.split(" ").map((rank) => ({ rank }));
    const cause = (ranks: string, want: string) =>
      told(
        run(
          ...list("sort=no", jobs("urgent low high normal"), 3_000),
          next,
          ...list("sort=rank", jobs(ranks), 4_100),
          wanting(`"${want}"`, `"${ranks.split(" ")[0]}"`),
        ),
      ).join("\n");
    expect(cause("high high low normal urgent", "low")).toContain(
      "sorted by the text of “rank”, in alphabetical order and not by rank",
    );
    for (const silent of [
      cause("high high low normal urgent", "urgent"),
      cause("high urgent low normal", "low"),
      cause("low normal high urgent", "high"),
    ])
      expect(silent).not.toContain("in alphabetical order");
  });
});

test("what a write was sent with and answered with as an empty one is told, and not what it never speaks of", () => {
  const cause = (answer: object, filters: object = { state: "open" }) =>
    told(
      run(
        next,
        ...json("/api/views", answer, {
          method: "POST",
          ts: 4_100,
          request: { body: JSON.stringify({ name: "Mine", filters }) },
        }),
        wanting('"2 jobs"', '"32 jobs"'),
      ),
    ).join("\n");
  expect(cause({ id: 1, name: "Mine", filters: {} })).toContain(
    "for “filters” and answered with an empty one ({}): it was not stored",
  );
  for (const silent of [
    cause({ id: 1, name: "Mine", filters: { state: "open" } }),
    cause({ id: 1, name: "Mine" }),
    cause({ filters: {} }),
    // What only the test knows is not told.
    cause({ id: 1, name: "Mine", filters: {} }, { password: "hush-1" }),
  ])
    expect(silent).not.toContain("an empty one");
});

describe("a list on the page whose answer cannot be read", () => {
  const options =
    '<option value="">Any</option><option value="basic">Basic</option><option value="expert">Expert</option>';
  const picked = click("Select option getByLabel('Level')", {
    name: "page.selectOption",
    ts: 4_000,
    params: { selector: 'internal:label="Level"i', options: [{ valueOrLabel: "basic" }] },
  });
  const shown = (...items: string[]) =>
    page(
      `<label>Level <select>${options}</select></label><ul>${items.map((item) => `<li>${item}</li>`).join("")}</ul>`,
    );
  const asked = (query: string) => json(`/courses?${query}`, "", { ts: 4_100, body: "" });

  test("is told to have kept what the filter leaves out", () => {
    const cause = (query: string, ...items: string[]) =>
      told(run(picked, ...asked(query), shown(...items), wanting('"1 courses"', '"2 courses"'))).join("\n");
    expect(cause("level=basic", "Excel · basic", "SQL · expert")).toContain(
      "asked for “basic” for “level”, and 1 of the 2 things that the page lists since are others (“expert”)",
    );
    for (const silent of [
      cause("level=basic", "Excel · basic", "SQL · basic"),
      cause("level=expert", "Excel · basic", "SQL · expert"),
      cause("level=basic", "Excel · basic", "SQL"),
    ])
      expect(silent).not.toContain("the page lists since");
  });

  test("is told to be sorted as texts are, where the test met its first", () => {
    const cause = (query: string, ...prices: number[]) =>
      told(
        run(
          next,
          ...asked(query),
          shown(...prices.map((price) => `Course € ${price}`)),
          wanting('"Course € 35"', `"Course € ${prices[0]}"`),
        ),
      ).join("\n");
    expect(cause("sort=price", 1100, 120, 35, 90)).toContain(
      "as texts are sorted, not as numbers: 1100 comes before 120",
    );
    for (const silent of [
      cause("sort=price", 1100, 120, 90, 35),
      cause("q=course", 1100, 120, 35, 90),
      cause("sort=price", 1100, 120, 35),
    ])
      expect(silent).not.toContain("as texts are sorted");
  });
});

test("what was sent under places, and not under the ids of the answer before it, is told", () => {
  const cause = (answers: object, ids: string[]) =>
    told(
      run(
        ...json("/api/quiz/1", { questions: ids.map((id) => ({ id })) }, { ts: 3_000 }),
        next,
        ...json(
          "/api/quiz/1",
          { correct: 0 },
          { method: "POST", ts: 4_100, request: { body: JSON.stringify({ answers }) } },
        ),
        wanting('"2 of 2"', '"0 of 2"'),
      ),
    ).join("\n");
  expect(cause({ 0: "A", 1: "B" }, ["q1", "q2"])).toContain(
    "POST /api/quiz/1 was sent with “answers” keyed by position (“0”, “1”, …), where the answer before it goes by the ids “q1”, “q2”",
  );
  for (const silent of [
    cause({ q1: "A", q2: "B" }, ["q1", "q2"]),
    cause({ 0: "A", 1: "B" }, ["0", "1"]),
    cause({ 0: "A", 1: "B" }, ["q1", "q2", "q3"]),
  ])
    expect(silent).not.toContain("keyed by position");
});

test("as many things as the test met are not put down to a list of something else", () => {
  const cause = (target: string) =>
    told(
      run(
        ...json("/api/tickets", { items: Array.from({ length: 10 }, (_, id) => ({ id })) }, { ts: 3_000 }),
        next,
        ...json("/api/customers", { items: Array.from({ length: 9 }, (_, id) => ({ id })) }, { ts: 4_100 }),
        failing({
          name: "toHaveCount",
          title: `Expect "toHaveCount" ${target}`,
          message: "expect(locator).toHaveCount(expected) failed",
          expected: "9",
          received: "10",
        }),
      ),
    )[0]!;
  expect(cause("getByRole('table', { name: 'Customers' }).getByRole('row')")).toStartWith("assertion:");
  expect(cause("getByTestId('row')")).toContain("GET /api/tickets answered with 10 items");
});

test("of several values with the same figure the one is told that the test looks at by its name", () => {
  const cause = (row: string) =>
    first(
      run(
        next,
        ...json("/api/quote", { subtotal: 200, total: 200 }, { ts: 4_100 }),
        failing({
          title: `Expect "toHaveText" getByRole('row', { name: '${row}' })`,
          expected: '"€192.00"',
          received: '"€200.00"',
        }),
      ),
    );
  expect(cause("Total")).toContain("answered “200” for “total”");
  expect(cause("Sum")).toContain("answered “200” for “subtotal”");
});
