import { describe, expect, test } from "bun:test";
import { failing, page, passing, run, told } from "../../run.ts";

const HEAD = "<tr><th>Number</th><th>Title</th><th>State</th><th>Owner</th></tr>";
const ROW = "<tr><td>1</td><td>Late parcel</td><td>Urgent</td><td>Ann</td></tr>";
const check = (locator: string) => ({
  title: `Expect "toContainText" ${locator}`,
  message: `expect(locator).toContainText(expected) failed\n\nLocator: ${locator}`,
  expected: '"Urgent"',
  received: '"NumberTitleStateOwner"',
});

/** What is told first of a table, by the page of the run and those of passes. */
const first = (html: string, locator: string, ...passes: string[]): string | undefined =>
  told(
    run(page(`<table>${html}</table>`), failing(check(locator))),
    ...passes.map((before) => run(page(`<table>${before}</table>`), passing(check(locator)))),
  )[0];

describe("the first row of a table", () => {
  const row = "getByRole('row').first()";
  const words =
    "test_code: getByRole('row').first() is the header row of the table (“Number”, “Title”, “State”, …), and no row of what it lists: “Urgent” stands in the row after it";

  test("is told to be the one with the headings, with and without a pass that had none", () => {
    expect(first(`${HEAD}${ROW}`, row)).toBe(words);
    expect(first(`${HEAD}${ROW}`, row, ROW, ROW)).toBe(words);
    expect(first(`${HEAD}${ROW}`, "locator('tr').nth(0)")).toContain("is the header row of the table");
  });

  test("is not where a row of data stands first, another one is taken, or a pass took it as well", () => {
    const isTold = (...given: Parameters<typeof first>) => first(...given)?.includes("header row");
    expect(isTold(`${ROW}${ROW}`, row)).toBe(false);
    expect(isTold(`${HEAD}${ROW}`, "getByRole('row').nth(1)")).toBe(false);
    expect(isTold(`${HEAD}${ROW}`, row, `${HEAD}${ROW}`)).toBe(false);
    expect(isTold("<tr><th>Late parcel</th><td>Urgent</td></tr>", row)).toBe(false);
  });
});
