import { describe, expect, test } from "bun:test";
import { click, exchange, failing, first, page, passing, run, told } from "../../run.ts";

const type = click("Type \"Northwind Europe\" getByLabel('Name')", {
  name: "page.type",
  ts: 2_000,
  step_id: "type",
  duration_ms: 900,
  params: { selector: "label", text: "Northwind Europe" },
});
const value = (received: string) => ({
  title: "Expect \"toHaveValue\" getByLabel('Name')",
  message: "expect(locator).toHaveValue(expected) failed\n\nLocator: getByLabel('Name')",
  expected: '"Northwind Europe"',
  received: `"${received}"`,
});
/** What was typed was sent, and between both an answer came. */
const typed = (sent: string, end: typeof passing, asked = 2_400) =>
  run(
    type,
    ...exchange("/api/settings", { ts: asked, body: '{"name":"Northwind Sales"}' }),
    ...exchange("/api/settings", {
      ts: 3_500,
      method: "PUT",
      request: { body: JSON.stringify({ name: sent }) },
      body: JSON.stringify({ name: sent }),
    }),
    end(value(sent)),
  );
const usual = typed("Northwind Europe", passing);

describe("a field that was set back while it was typed into", () => {
  test("is told with the answer that came meanwhile and with what was sent", () => {
    expect(first(typed("Northwind SalesEurope", failing), usual, usual)).toBe(
      "page_changed: The field of “Type \"Northwind Europe\" getByLabel('Name')” was set back to “Northwind Sales” while it was typed into, when GET /api/settings was answered with that; PUT /api/settings was sent with the field name “Northwind SalesEurope” where the last pass sent “Northwind Europe”",
    );
  });

  test("is not where no answer came meanwhile, or all that was typed stands behind what it held", () => {
    const isTold = (...given: Parameters<typeof told>) =>
      told(...given)
        .join()
        .includes("was set back to");
    expect(isTold(typed("Northwind SalesEurope", failing, 1_000), usual)).toBeFalse();
    expect(isTold(typed("Northwind SalesNorthwind Europe", failing), usual)).toBeFalse();
    expect(isTold(typed("Northwind SalesAfrica", failing), usual)).toBeFalse();
    expect(isTold(typed("Northwind SalesEurope", failing))).toBeFalse();
  });
});

describe("a dialog that no pass opens", () => {
  const send = click("Click getByRole('button', { name: 'Send' })", {
    ts: 4_000,
    step_id: "send",
    name: "page.click",
  });
  const sent = {
    title: "Expect \"toBeVisible\" getByText('Sent')",
    name: "toBeVisible",
    message:
      "expect(locator).toBeVisible() failed\n\nLocator: getByText('Sent')\nError: element(s) not found",
    expected: undefined,
    received: undefined,
  };
  const form = (more: string, of: Record<string, unknown> = {}) =>
    page(`<main><button>Send</button>${more}</main>`, of);
  const before = form("", { ts: 4_000, step_id: "send", phase: "action" });
  const post = exchange("/api/returns", { ts: 4_050, method: "POST" });
  const dialog =
    '<div role="dialog" aria-label="Send this return?"><p>It cannot be undone, is that right?</p><button>Yes</button></div>';
  const usual = run(before, send, ...post, form("<p>Sent</p>"), passing(sent));

  test("is told by its name with the write that it asks about first, which never went out", () => {
    expect(first(run(before, send, form(dialog), failing(sent)), usual, usual)).toBe(
      "page_message: The page opened the dialog “Send this return?”, which said “It cannot be undone, is that right?”; POST /api/returns was never sent: in the last pass it went out 50 ms after “Click getByRole('button', { name: 'Send' })”",
    );
  });

  test("is told by itself where the write went out, and says nothing of one that a pass opens too", () => {
    const alone = first(run(before, send, ...post, form(dialog), failing(sent)), usual, usual);
    expect(alone).toEndWith("which said “It cannot be undone, is that right?”");
    const opens = run(before, send, ...post, form(dialog), passing(sent));
    expect(told(run(before, send, form(dialog), failing(sent)), opens, opens).join()).not.toContain(
      "is that right?”; POST",
    );
  });
});
