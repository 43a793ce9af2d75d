import { expect, test } from "bun:test";
import { click, failing, page, run } from "../run.ts";
import { told } from "./scene.ts";

const arrivals = (...rows: string[]) =>
  page(
    `<table><thead><tr><th>Guest</th><th>Nights</th><th>Room</th></tr></thead><tbody>${rows.join("")}</tbody></table>`,
  );
const row = (...cells: string[]) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join("")}</tr>`;
const cell = (locator: string, expected: string, received: string) =>
  failing({ title: `Expect "toHaveText" ${locator}`, expected, received });

test("a wanted text that stands in another column of the rows is told with both columns", () => {
  const shown = arrivals(row("Moreau, Claire", "2", "Family Garden"), row("Brandt, Ole", "3", "Lake Suite"));
  const cause = (locator: string, expected: string, received: string) =>
    told(run(cell(locator, expected, received), shown)).join("\n");
  const byPlace = "getByRole('row').filter({ hasText: 'Moreau' }).getByRole('cell').nth(1)";
  expect(cause(byPlace, '"Family Garden"', '"2"')).toStartWith(
    "page_changed: The step looks at column 2 (“Nights”), and “Family Garden”, which it wants, stands in column 3 (“Room”): the columns changed places, or the test counts them otherwise",
  );
  expect(
    cause("locator('tbody tr').locator('td:nth-child(2)')", '"Family Garden",\n"Lake Suite"', '"2",\n"3"'),
  ).toContain("stands in column 3 (“Room”)");
  // Nowhere in the table, or what was met is no cell of that column.
  expect(cause(byPlace, '"Junior Suite"', '"2"')).not.toContain("column");
  expect(cause(byPlace, '"Family Garden"', '"5"')).not.toContain("column");
  expect(cause("getByRole('heading')", '"Family Garden"', '"2"')).not.toContain("column");
});

test("a time that the test gave the page's clock is told where it lies days from the run and the time matters", () => {
  const set = (time: number) =>
    click("Set fixed time", {
      name: "browserContext.clockSetFixedTime",
      params: { timeNumber: time },
      ts: 2_000,
      step_id: "clock",
    });
  const timer = failing({
    title: "Expect \"toHaveText\" getByRole('timer')",
    expected: '"9:59"',
    received: '"472865:41"',
  });
  const cause = (time: number, failed = timer) => told(run(set(time), failed)).join("\n");
  // Runs of these tests begin at 1970-01-01T00:16:40Z.
  const june = Date.UTC(1970, 5, 15, 8);
  expect(cause(june)).toStartWith(
    "test_code: The test set the page's clock to 1970-06-15 08:00 UTC (clock.setFixedTime), 165 days after the run: the server goes by its own date",
  );
  expect(cause(1_000_000 + 60_000)).not.toContain("page's clock");
  expect(cause(june, failing())).not.toContain("page's clock");
});
