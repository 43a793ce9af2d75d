import { expect, test } from "bun:test";
import { click, exchange, failing, first, page, passing, run, told } from "../run.ts";

const add = click("Click Add", { ts: 4_000, step_id: "add" });
const count = (want: number, got: number) => ({
  title: "Expect \"toHaveText\" getByTestId('count')",
  message: "expect(locator).toHaveText(expected) failed\n\nLocator: getByTestId('count')",
  expected: `"${want} members"`,
  received: `"${got} members"`,
});
const shows = (members: number, more: Record<string, unknown> = {}) =>
  page(`<b data-testid="count">${members} members</b>`, more);
const list = (answer: object, ts = 4_100) => exchange("/api/members", { ts, body: JSON.stringify(answer) });
/** One is added to those that are there, and all are read anew. */
const added = (there: number, shown: number, answer: object, end: typeof passing, ts = 4_100) =>
  run(
    shows(there, { ts: 4_000, step_id: "add", phase: "action" }),
    add,
    ...list(answer, ts),
    shows(shown),
    end(count(there + 1, shown)),
  );
const TOLD = "as the test wants, but getByTestId('count') still shows";

test("a figure that stands as before the action, though what was read since says the wanted one, is told with both", () => {
  const failed = added(11, 11, { count: 12, list: [] }, failing);
  const words =
    "page_changed: GET /api/members answered “12” for “count”, as the test wants, but getByTestId('count') still shows “11 members”, as before “Click Add”: the page did not take that over";
  expect(first(failed)).toBe(words);
  // How many there are differs between runs.
  const pass = added(13, 14, { count: 14, list: [] }, passing);
  expect(first(failed, pass, pass)).toBe(words);
});

test("it is not told where the answer says another one, by another name or too late, or the figure has moved", () => {
  for (const failed of [
    added(11, 11, { count: 11 }, failing),
    added(11, 11, { size: 12 }, failing),
    added(11, 11, { count: 12 }, failing, 6_900),
    added(11, 10, { count: 12 }, failing),
  ])
    expect(told(failed).join()).not.toContain(TOLD);
});
