import { describe, expect, test } from "bun:test";
import { exchange, failing, passing, run, save, told } from "../run.ts";

const online = (count: number, ts: number) =>
  exchange("/api/presence", { ts, body: JSON.stringify({ online: count, at: ts }) });
const rows = { name: "toHaveCount", title: "Expect \"toHaveCount\" getByRole('row')", expected: "0" };
const counted = failing({ ...rows, message: "expect(locator).toHaveCount(expected) failed", received: "1" });
const pass = run(...online(0, 1_000), save(), passing(rows));
const saysPresence = (...given: Parameters<typeof told>) =>
  told(...given).findIndex((title) => title.includes("“online”"));

describe("a figure that a page asks for by itself, time and again,", () => {
  test("tells less than the failure's own words, though the test counted as many by chance", () => {
    const now = run(...online(0, 1_000), save(), ...online(1, 4_500), counted);
    const titles = told(now, pass, pass);
    expect(titles[0]).toStartWith("assertion: ");
    expect(saysPresence(now, pass, pass)).toBe(1);
  });

  test("is not told with an element that is missing", () => {
    const missing = failing({
      ...{ name: "toBeVisible", title: "Expect \"toBeVisible\" getByRole('heading', { name: 'Team' })" },
      ...{ message: "Error: element(s) not found", expected: "visible", received: undefined },
    });
    const now = run(...online(0, 1_000), save(), ...online(1, 4_500), missing);
    expect(told(now, pass, pass).filter((title) => title.includes("“online”"))).toHaveLength(1);
  });

  test("tells where the test looks at a thing of that name", () => {
    const named = { title: "Expect \"toHaveText\" getByTestId('online')", expected: '"0"' };
    const now = run(...online(0, 1_000), save(), ...online(1, 4_500), failing({ ...named, received: '"1"' }));
    expect(saysPresence(now, run(...online(0, 1_000), save(), passing(named)))).toBe(0);
  });

  test("tells where the test read the one and wants the other, as a text", () => {
    const text = { title: "Expect \"toHaveText\" getByTestId('people')", expected: '"12 here"' };
    const now = run(
      ...online(12, 1_000),
      save(),
      ...online(14, 4_500),
      failing({ ...text, received: '"14 here"' }),
    );
    expect(saysPresence(now, run(...online(12, 1_000), save(), passing(text)))).toBe(0);
  });
});

test("a figure that is asked for after an action tells", () => {
  const now = run(...online(0, 1_000), save(), ...online(1, 3_100), counted);
  const usual = run(...online(0, 1_000), save(), ...online(0, 3_100), passing(rows));
  expect(saysPresence(now, usual, usual)).toBe(0);
});

test("a small figure is not what the page shows in brackets, where nothing is called so", () => {
  const comments = {
    title: "Expect \"toHaveText\" getByRole('heading')",
    expected: '"Comments (3)"',
  };
  const poll = exchange("/api/notices", { ts: 5_500, body: '{"unread":2}' });
  const failed = run(save(), ...poll, failing({ ...comments, received: '"Comments (2)"' }));
  expect(told(failed, run(save(), passing(comments))).join()).not.toContain("that is what the page shows");
  expect(told(failed).join()).not.toContain("that is what the page shows");
});
