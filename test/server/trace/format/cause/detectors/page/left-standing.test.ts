import { describe, expect, test } from "bun:test";
import { click, exchange, failing, first, page, passing, run, told } from "../../run.ts";

const script = (size: string) =>
  exchange("/app.js", {
    ts: 500,
    resource_type: "script",
    body: `sha256:${size}`,
    media_type: "text/javascript",
  });
const shown = (html: string, ts = 6_990, step_id = "check") => page(`<main>${html}</main>`, { ts, step_id });
const open = click("Click Open", { ts: 3_000, name: "page.click", step_id: "open" });
const read = (status = 200) =>
  exchange("/api/mails/2/read", { ts: 3_100, method: "PUT", status, body: "{}" });

describe("what the test wants to be gone, and what stands there as before the last action", () => {
  const row = (mark: string) => `<p data-testid="mail">${mark}Holiday</p>`;
  const look = {
    name: "not.toContainText",
    title: "Expect \"not toContainText\" getByTestId('mail')",
    message: "expect(locator).not.toContainText(expected) failed\nLocator: getByTestId('mail')",
    expected: 'not "●"',
  };
  const mine = (status: number) =>
    run(
      ...script("a"),
      shown(row("● "), 2_990, "open"),
      open,
      ...read(status),
      shown(row("● ")),
      failing({ ...look, received: '"● Holiday"' }),
    );
  const usual = (code = "b") => run(...script(code), open, ...read(), shown(row("")), passing(look));

  test("is told with what every pass has by then, and with the write that was taken as there", () => {
    expect(first(mine(200), usual(), usual())).toBe(
      "page_changed: getByTestId('mail') still has “● Holiday”, as before “Click Open”, where the last pass has “Holiday” by then, though PUT /api/mails/2/read was answered with 200, as there; the script GET /app.js changed since the last pass",
    );
  });

  test("is not told where the write was refused, or the script is the same", () => {
    expect(told(mine(500), usual(), usual()).join("\n")).not.toContain("still has");
    expect(told(mine(200), usual("a"), usual("a")).join("\n")).not.toContain("still has");
  });
});

test("what a pass found before its last action and has no longer is not told as shown to a role", () => {
  const badge = "<b data-testid='unseen'>2</b>";
  const me = exchange("/api/me", { ts: 700, body: '{"role":"office"}' });
  const seen = {
    ...passing({ ts: 2_000, step_id: "seen", duration_ms: 20 }),
    title: "Expect \"toHaveText\" getByTestId('unseen')",
  };
  const look = {
    name: "toHaveCount",
    title: "Expect \"toHaveCount\" getByTestId('unseen')",
    message: "expect(locator).toHaveCount(expected) failed\nLocator: getByTestId('unseen')",
    expected: "0",
  };
  const mine = run(
    ...script("a"),
    ...me,
    seen,
    shown(badge, 2_990, "open"),
    open,
    shown(badge),
    failing({ ...look, received: "1" }),
  );
  const usual = run(...script("b"), ...me, seen, open, shown("<p>Mails</p>"), passing(look));
  expect(first(mine, usual, usual)).toBe(
    "page_changed: getByTestId('unseen') still has “2”, as before “Click Open”, where the last pass has it no longer; the script GET /app.js changed since the last pass",
  );
});
