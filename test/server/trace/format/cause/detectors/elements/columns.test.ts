import { describe, expect, test } from "bun:test";
import { click, exchange, failing, first, page, passing, run, told } from "../../run.ts";

describe("a table", () => {
  const table = (...columns: string[]) =>
    page(
      `<table><caption>Applications</caption><thead><tr>${columns.map((name) => `<th>${name}</th>`).join("")}</tr></thead><tbody><tr><th scope="row">7</th><td>9.80</td></tr></tbody></table>`,
    );
  const check = {
    title: "Expect \"toHaveText\" getByRole('table').locator('tbody tr').first().getByRole('cell').nth(6)",
    expected: '"9.80"',
    received: '"28 Nov"',
  };
  const cause = (now: string[], ...before: string[][]) =>
    first(
      run(failing(check), table(...now)),
      ...before.map((columns) => run(passing(check), table(...columns))),
    );

  test("whose columns changed places is told with the two that stand in each other's", () => {
    expect(cause(["Name", "Submitted", "Fee"], ["Name", "Fee", "Submitted"])).toBe(
      "page_changed: The table “Applications” has its columns in another order than in the last pass: “Submitted” stands where that has “Fee”",
    );
  });

  test("that has one more column, or one less, is told with it", () => {
    expect(cause(["Name", "Office", "Fee"], ["Name", "Fee"])).toEndWith(
      "has a column “Office” that it has not in the last pass",
    );
    expect(cause(["Name"], ["Name", "Fee"])).toEndWith("has no column “Fee”, which it has in the last pass");
  });

  test("whose cells are taken by their place is told with what stands there now", () => {
    const plain = (...columns: string[]) =>
      page(
        `<table><tr>${columns.map((name) => `<th>${name}</th>`).join("")}</tr><tr><td>7</td><td>9.80</td></tr></table>`,
      );
    const nth = (at: number) => ({ ...check, title: `Expect "toHaveText" locator('td').nth(${at})` });
    const told = (at: number) =>
      first(
        run(failing(nth(at)), plain("Name", "Office", "Fee")),
        run(passing(nth(at)), plain("Name", "Fee")),
      );
    expect(told(1)).toBe(
      "page_changed: The table has a column “Office” that it has not in the last pass, so that column 2, which the step looks at, is “Office” now and no longer “Fee”",
    );
    expect(told(0)).toEndWith("has a column “Office” that it has not in the last pass");
    expect(cause(["Name", "Office", "Fee"], ["Name", "Fee"])).not.toContain("which the step looks at");
  });

  test("whose columns moved is told before the answer whose value stands in another one for that", () => {
    const rows = (version: number, columns: string[], cells: string[], end: typeof passing) =>
      run(
        ...exchange("/app.js", {
          ts: 500,
          resource_type: "script",
          headers: [{ name: "content-length", value: String(9_000 + version) }],
        }),
        ...exchange("/api/permits", { ts: 4_000, body: '[{"office":"North","state":"granted"}]' }),
        page(
          `<table><tr>${columns.map((name) => `<th>${name}</th>`).join("")}</tr><tr>${cells.map((text) => `<td>${text}</td>`).join("")}</tr></table>`,
        ),
        end({
          title: "Expect \"toHaveText\" getByRole('cell').nth(1)",
          message: "expect(locator).toHaveText(expected) failed\n\nLocator: getByRole('cell').nth(1)",
          expected: '"North"',
          received: '"granted"',
        }),
      );
    const pass = rows(0, ["Name", "Office", "State"], ["Ann", "North", "granted"], passing);
    const all = told(rows(1, ["Name", "State", "Office"], ["Ann", "granted", "North"], failing), pass, pass);
    expect(all[0]).toContain("column 2, which the step looks at, is “State” now and no longer “Office”");
    expect(all[1]).toContain("GET /api/permits answered “North” for “0.office”, as in the last pass, but");
  });

  test("is not told where its columns are the same, quite others, or differ between passes", () => {
    for (const [now, ...before] of [
      [
        ["Name", "Fee"],
        ["Name", "Fee"],
      ],
      [
        ["Day", "Room"],
        ["Name", "Fee"],
      ],
      [
        ["Fee", "Name"],
        ["Name", "Fee"],
        ["Fee", "Name"],
      ],
    ] as [string[], ...string[][]][])
      expect(cause(now, ...before)).not.toContain("The table");
  });

  test("from whose cells by their place the test reads before it compares is told before the rows that are others", () => {
    const rows = (columns: string[], names: string[], end: typeof passing) =>
      run(
        ...exchange("/members", {
          ts: 500,
          resource_type: "document",
          body: `<p>${names.length} members</p>`,
        }),
        click("Get inner text locator('tr').locator('td:first-child')", {
          ts: 4_900,
          name: "page.innerText",
        }),
        page(
          `<p>${names.length} members</p><table><tr>${columns.map((name) => `<th>${name}</th>`).join("")}</tr>${names.map((name) => `<tr><td>${name}</td></tr>`).join("")}</table>`,
        ),
        end({
          title: 'Expect "toBe"',
          name: "toBe",
          message: "expect(received).toBe(expected)",
          expected: '"Ann"',
          received: '"1"',
        }),
      );
    const pass = rows(["Name", "City"], ["Ann"], passing);
    expect(first(rows(["#", "Name", "City"], ["1", "2"], failing), pass, pass)).toBe(
      "page_changed: The table has a column “#” that it has not in the last pass, so that column 1, which the step looks at, is “#” now and no longer “Name”",
    );
  });

  test("in which nothing is looked for by its place comes after what else is known", () => {
    const byName = { ...check, title: "Expect \"toHaveText\" getByRole('cell', { name: 'Fee' })" };
    const suspects = told(
      run(failing(byName), table("Submitted", "Fee")),
      run(passing(byName), table("Fee", "Submitted")),
    );
    expect(suspects.join()).toContain("The table “Applications” has its columns in another order");
  });
});
