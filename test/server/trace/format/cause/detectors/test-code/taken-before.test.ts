import { expect, test } from "bun:test";
import { exchange, failing, first, page, passing, run, told } from "../../run.ts";

const target = "getByRole('row', { name: 'Desk 2' })";
const look = {
  name: "toContainText",
  title: `Expect "toContainText" ${target}`,
  message: `expect(locator).toContainText(expected) failed\n\nLocator:  ${target}`,
  expected: '"Free"',
};
const desks = (holders: readonly (string | null)[], ts = 1_000) =>
  exchange("/api/desks", {
    ts,
    media_type: "application/json",
    body: JSON.stringify(holders.map((holder, at) => ({ id: `d${at + 1}`, desk: `Desk ${at + 1}`, holder }))),
  });
const book = (ts: number, id = "d2") => exchange(`/api/desks/${id}`, { ts, method: "PUT", status: 204 });
const shows = (holder: string) => page(`<table><tr><td>Desk 2</td><td>${holder}</td></tr></table>`);
const failed = (holders: readonly (string | null)[], ...before: Parameters<typeof run>) =>
  run(
    ...before,
    ...desks(holders),
    shows(holders[1]!),
    failing({ ...look, received: `"Desk 2${holders[1]}"` }),
  );
const usual = (...later: Parameters<typeof run>) =>
  run(...desks([null, null, "Ann Roe"]), shows("Free"), passing(look), ...later);

test("a thing that has a value before the test writes to it, where every pass finds none, is what another run has left", () => {
  const pass = usual(...book(8_000));
  expect(first(failed([null, "Bob Lee", "Ann Roe"]), pass, pass)).toBe(
    `test_code: ${target} had “Bob Lee” already when the test came to it, before this run wrote anything to it: GET /api/desks answered with it, where every pass finds nothing there and writes to it itself only later; another test or an earlier run has left it`,
  );
});

test("it is not told where this run wrote before, several things have a value, or passes never write to it", () => {
  const isTold = (...given: Parameters<typeof told>) =>
    told(...given)
      .join()
      .includes("already when");
  const pass = usual(...book(8_000));
  const left = [null, "Bob Lee", "Ann Roe"];
  expect(isTold(failed(left, ...book(500)), pass, pass)).toBe(false);
  expect(isTold(failed(["Bob Lee", "Bob Lee", "Ann Roe"]), pass, pass)).toBe(false);
  expect(isTold(failed(left), usual(), usual())).toBe(false);
  expect(isTold(failed(left), usual(...book(8_000, "d1")), usual(...book(8_000, "d1")))).toBe(false);
  expect(isTold(failed(left))).toBe(false);
});
