import { expect, test } from "bun:test";
import { exchange, failing, first, passing, run, told } from "../../run.ts";

const served = (left: string, more: Record<string, unknown> = {}) =>
  exchange("/courses/9", {
    resource_type: "document",
    media_type: "text/html",
    ts: 4_000,
    body: `<h1>Course 9</h1><p>8 of 9</p><p>Left: <b id="left" data-testid="left">${left}</b></p>`,
    ...more,
  });
const looking = (locator: string, received: string) => ({
  title: `Expect "toHaveText" ${locator}`,
  message: `expect(locator).toHaveText(expected) failed\n\nLocator: ${locator}`,
  expected: '"9"',
  received: `"${received}"`,
});
const BY_TEST_ID = "getByTestId('left')";
const visited = (left: string, end: typeof passing, locator = BY_TEST_ID) =>
  run(...served(left), end(looking(locator, left)));

test("a value of one figure is told by the element that the test looks at by its id", () => {
  const usual = visited("9", passing);
  expect(first(visited("8", failing), usual, usual)).toBe(
    "answer_changed: GET /courses/9 came with “8” for the test id “left”, where the last pass had “9”",
  );
  expect(first(visited("8", failing, "locator('#left')"), usual, usual)).toBe(
    "answer_changed: GET /courses/9 came with “8” for the id “left”, where the last pass had “9”",
  );
});

test("a value that is still the one of before a write is told with that write", () => {
  const cancel = exchange("/bookings/5", { method: "DELETE", ts: 4_500 });
  const again = (left: string, end: typeof passing) =>
    run(...served("8"), ...cancel, ...served(left, { ts: 4_800 }), end(looking(BY_TEST_ID, left)));
  const usual = again("9", passing);
  expect(first(again("8", failing), usual, usual)).toBe(
    "answer_changed: GET /courses/9 came with “8” for the test id “left”, where the last pass had “9”: still as before DELETE /bookings/5, which was answered with 200",
  );
  expect(first(again("7", failing), usual, usual)).toEndWith("where the last pass had “9”");
});

test("a longer one that a page came with again, as it was before a write, is told with that write", () => {
  const save = exchange("/courses/9/edit", { method: "POST", ts: 4_500 });
  const priced = (price: string, more: Record<string, unknown> = {}) =>
    served("8", { body: `<h1>Course 9</h1><p>Price</p><p>${price}</p>`, ...more });
  const looks = (received: string) => ({ ...looking(BY_TEST_ID, received), expected: '"$13.35"' });
  const saved = (price: string, end: typeof passing) =>
    run(...priced("$12.50"), ...save, ...priced(price, { ts: 4_800 }), end(looks(price)));
  const usual = saved("$13.35", passing);
  expect(first(saved("$12.50", failing), usual, usual)).toBe(
    "answer_changed: GET /courses/9 came again with “$12.50”, where the last pass had “$13.35”: still as before POST /courses/9/edit, which was answered with 200",
  );
  expect(first(saved("$12.99", failing), usual, usual)).not.toContain("came again");
});

test("no value is told that passes differ in, that the page itself has made of it, or of an element that is not the one", () => {
  const isTold = (...given: Parameters<typeof told>) =>
    told(...given).some((title) => / came with /.test(title));
  const usual = visited("9", passing);
  expect(isTold(visited("8", failing), usual, visited("7", passing))).toBeFalse();
  expect(isTold(run(...served("9"), failing(looking(BY_TEST_ID, "8"))), usual)).toBeFalse();
  expect(isTold(visited("8", failing, "getByTestId('other')"), visited("9", passing))).toBeFalse();
  const twice = (left: string, end: typeof passing) =>
    run(...served(`${left}</b><b data-testid="left">${left}`), end(looking(BY_TEST_ID, left)));
  expect(isTold(twice("8", failing), twice("9", passing))).toBeFalse();
});
