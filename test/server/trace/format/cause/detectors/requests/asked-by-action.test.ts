import { expect, test } from "bun:test";
import { click, exchange, failing, first, passing, run, told } from "../../run.ts";

const rows = (number: number, ts: number, ...names: string[]) =>
  exchange(`/api/rows?page=${number}`, { ts, body: JSON.stringify(names.map((name) => ({ name }))) });
const next = click("Click getByRole('button', { name: 'Next' })", { ts: 3_000, name: "page.click" });
const back = click("Click getByRole('button', { name: 'Previous' })", { ts: 7_500, name: "page.click" });
const looks = { expected: '"13–24"', received: '"1–12"' };
const there = run(
  next,
  ...rows(2, 3_050, "Winch"),
  passing(looks),
  back,
  ...rows(1, 7_550, "Anvil"),
  ...rows(2, 9_000, "Winch"),
);
const here = (...events: Parameters<typeof run>) => run(next, ...events, failing(looks));

test("what the last action asked for with another parameter than in every pass is told, though passes ask so later", () => {
  expect(first(here(...rows(1, 3_050, "Anvil")), there, there)).toBe(
    "page_changed: GET /api/rows?page=1 was sent with the parameter page “1” where the last pass sent “2”, after “Click getByRole('button', { name: 'Next' })”",
  );
});

test("it is not told where it asked as passes do, where the question came long after it, or of one pass", () => {
  const isTold = (...given: Parameters<typeof told>) =>
    told(...given)
      .join()
      .includes(", after “Click");
  expect(isTold(here(...rows(2, 3_050, "Anvil")), there, there)).toBe(false);
  expect(isTold(here(...rows(1, 4_900, "Anvil")), there, there)).toBe(false);
  expect(isTold(here(...rows(1, 3_050, "Anvil")), there)).toBe(false);
});
