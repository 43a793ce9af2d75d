import { describe, expect, test } from "bun:test";
import { exchange, failing, first, page, passing, run, told } from "../../run.ts";

const NAMES = ["Harbour", "Quay", "Lock", "Mill"];
const answer = (names = NAMES) =>
  exchange("/api/places", { ts: 3_000, body: JSON.stringify({ items: names.map((title) => ({ title })) }) });
const drawn = (names: string[], head = "") =>
  page(
    `<header>${head}</header><main><ul>${names.map((name) => `<li><b>${name}</b></li>`).join("")}</ul></main>`,
  );
const missing = {
  name: "toBeVisible",
  title: "Expect \"toBeVisible\" getByRole('list').getByText('Mill')",
  message:
    "expect(locator).toBeVisible() failed\n\nLocator: getByRole('list').getByText('Mill')\nError: element(s) not found",
  expected: "visible",
  received: undefined,
};
const usual = run(...answer(), drawn(NAMES), passing(missing));
const isTold = (...args: Parameters<typeof told>) =>
  told(...args)
    .join()
    .includes("only the first");

describe("a list of which the page draws the first things", () => {
  const failed = run(...answer(), drawn(NAMES.slice(0, 2)), failing(missing));

  test("is told with how many came, where the test looks for one of the others", () => {
    expect(first(failed, usual, usual)).toStartWith(
      "page_changed: The page shows only the first 2 of the 4 items that GET /api/places answered with, and not “Mill”, where the last pass shows all",
    );
  });

  test("is told though the name stands in the head of the page", () => {
    expect(isTold(run(...answer(), drawn(NAMES.slice(0, 2), "Mill"), failing(missing)), usual)).toBeTrue();
  });

  test("is drawn so in a pass too, lacks another one, or never came whole", () => {
    expect(isTold(failed, usual, run(...answer(), drawn(NAMES.slice(0, 2)), passing(missing)))).toBeFalse();
    expect(isTold(run(...answer(), drawn(["Harbour", "Lock"]), failing(missing)), usual)).toBeFalse();
    const short = run(
      ...answer(["Harbour", "Quay", "Lock"]),
      drawn(["Harbour", "Quay", "Lock"]),
      failing(missing),
    );
    expect(isTold(short, usual)).toBeFalse();
    expect(isTold(failed)).toBeFalse();
  });

  test("is told of a count, in which a head and a place for the rest may be counted as well", () => {
    const counted = (want: number, got: number, html: (rows: string) => string) => {
      const count = {
        name: "toHaveCount",
        title: "Expect \"toHaveCount\" locator('tr')",
        message: "expect(locator).toHaveCount(expected) failed",
        expected: `${want}`,
        received: `${got}`,
      };
      const rows = (names: string[]) => page(html(names.map((name) => `<tr><td>${name}</td></tr>`).join("")));
      return isTold(
        run(...answer(), rows(NAMES.slice(0, 2)), failing(count)),
        run(...answer(), rows(NAMES), passing(count)),
      );
    };
    const table = (rows: string) => `<table>${rows}</table>`;
    expect(counted(4, 2, table)).toBeTrue();
    expect(counted(4, 3, table)).toBeTrue();
    expect(counted(5, 3, table)).toBeTrue();
    expect(counted(5, 4, table)).toBeTrue();
    // Other things are counted.
    for (const [want, got] of [
      [4, 1],
      [9, 7],
      [3, 2],
      [2, 3],
    ] as const)
      expect(counted(want, got, table)).toBeFalse();
  });

  const counts = (want: number, got: number) => ({
    name: "toHaveCount",
    title: "Expect \"toHaveCount\" getByRole('listitem')",
    message: "expect(locator).toHaveCount(expected) failed",
    expected: `${want}`,
    received: `${got}`,
  });

  test("is told where one name begins with another", () => {
    const rows = ["Row 1", "Row 2", "Row 3", "Row 10"];
    const of = (some: string[], end: typeof failing) => run(...answer(rows), drawn(some), end(counts(4, 3)));
    expect(isTold(of(rows.slice(0, 3), failing), of(rows, passing))).toBeTrue();
  });

  test("is told of the column of a board, by what its things have in common", () => {
    const items = [...NAMES.map((name) => [name, "todo"]), ["Weir", "done"], ["Pier", "done"]];
    const board = exchange("/api/board", {
      ts: 3_000,
      body: JSON.stringify({ cards: items.map(([description, column]) => ({ description, column })) }),
    });
    const of = (some: string[], end: typeof failing) =>
      run(...board, drawn([...some, "Weir", "Pier"]), end(counts(4, 2)));
    expect(first(of(NAMES.slice(0, 2), failing), of(NAMES, passing))).toContain(
      "The page shows only the first 2 of the 4 items of “todo” that GET /api/board answered with, and not “Lock”",
    );
    expect(isTold(of(["Harbour", "Lock"], failing), of(NAMES, passing))).toBeFalse();
  });

  test("tells nothing where the test looks for something else", () => {
    const other = JSON.parse(JSON.stringify(missing).replaceAll("Mill", "Sign out"));
    const pass = run(...answer(), drawn(NAMES), passing(other));
    expect(isTold(run(...answer(), drawn(NAMES.slice(0, 2)), failing(other)), pass)).toBeFalse();
  });
});
