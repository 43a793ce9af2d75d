import { describe, expect, test } from "bun:test";
import { click, exchange, failing, first, page, passing, run, told } from "../../run.ts";

const rows = {
  name: "toHaveCount",
  title: "Expect \"toHaveCount\" getByRole('row')",
  message: "expect(locator).toHaveCount(expected) failed\n\nLocator: getByRole('row')",
  expected: "2",
};
const list = (ts: number, ...names: string[]) =>
  exchange("/api/clubs", {
    ts,
    body: JSON.stringify({ items: names.map((name) => ({ name })) }),
    media_type: "application/json",
  });
const post = (name: string, ts: number) =>
  exchange("/api/clubs", {
    ts,
    method: "POST",
    status: 201,
    body: '{"ok":true}',
    request: {
      body: JSON.stringify({ name }),
      headers: [{ name: "content-type", value: "application/json" }],
    },
  });
const table = (...names: string[]) =>
  page(`<table>${["Name", ...names].map((name) => `<tr><td>${name}</td></tr>`).join("")}</table>`);
const usual = run(
  ...list(4_000, "Chess"),
  table("Chess"),
  passing(rows),
  ...post("Night swimming", 8_000),
  ...list(8_100, "Chess", "Night swimming"),
);
const failed = (...names: string[]) =>
  run(...list(4_000, ...names), table(...names), failing({ ...rows, received: String(names.length + 1) }));

describe("what every pass makes only after the step that failed", () => {
  test("was left there before, where this run is answered with it and had made nothing", () => {
    expect(first(failed("Chess", "Night swimming"), usual, usual)).toBe(
      "answer_changed: GET /api/clubs answered with “Night swimming”, which nothing of this run had brought: in the last pass POST /api/clubs makes it, and only later, so that it was left there before",
    );
  });

  test("is another thing where the run brought it, another one is there, or a pass has it by then", () => {
    const brought = run(
      ...post("Night swimming", 3_000),
      ...list(4_000, "Chess", "Night swimming"),
      table("Chess", "Night swimming"),
      failing({ ...rows, received: "3" }),
    );
    const has = run(
      ...list(4_000, "Chess", "Night swimming"),
      table("Chess", "Night swimming"),
      passing(rows),
      ...post("Night swimming", 8_000),
    );
    for (const [mine, pass] of [
      [brought, usual],
      [failed("Chess", "Morning rowing"), usual],
      [failed("Chess", "Night swimming"), has],
    ] as const)
      expect(told(mine, usual, pass).join()).not.toContain("and only later");
  });

  test("may be a state that many things have where it is one word that nobody typed", () => {
    const later = (typed: string, ...more: ReturnType<typeof click>[]) =>
      run(...list(4_000, "Chess"), table("Chess"), passing(rows), ...more, ...post(typed, 8_000));
    const type = click("Fill", { ts: 7_900, name: "fill", params: { value: "Rowing" } });
    const mine = failed("Chess", "Rowing");
    expect(told(mine, later("Rowing")).join()).not.toContain("and only later");
    expect(told(mine, later("Rowing", type)).join()).toContain("and only later");
  });
});
