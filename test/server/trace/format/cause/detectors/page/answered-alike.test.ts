import { describe, expect, test } from "bun:test";
import { click, exchange, failing, first, page, passing, run, told } from "../../run.ts";

const script = (size: number) =>
  exchange("/assets/app.js", {
    ts: 100,
    resource_type: "script",
    headers: [{ name: "content-length", value: String(size) }],
  });
const answer = (body: object, more: Record<string, unknown> = {}) =>
  exchange("/api/things", { ts: 4_050, body: JSON.stringify(body), ...more });
const press = click("Click getByRole('button', { name: 'Remove' })", { ts: 4_000, step_id: "press" });
const text = (expected: string, received: string) => ({
  title: "Expect \"toHaveText\" getByTestId('sum')",
  message: "expect(locator).toHaveText(expected) failed\n\nLocator: getByTestId('sum')",
  expected: `"${expected}"`,
  received: `"${received}"`,
});
const sum = (shown: string, more: Record<string, unknown> = {}) =>
  page(`<main><b data-testid="sum">${shown}</b></main>`, more);
/** A run in which an answer came and the page shows something by it. */
const shows = (size: number, shown: string, body: object, end: typeof passing, want = shown) =>
  run(...script(size), press, ...answer(body), sum(shown), end(text(want, shown)));
const SCRIPT = "the script GET /assets/app.js changed since the last pass: it has 9001 bytes instead of 9000";

describe("an answer that is as in every pass", () => {
  const body = { items: [{ id: 1 }, { id: 2 }], total: 14 };
  const usual = shows(9_000, "14 things", body, passing);

  test("is told with what the page shows in the place of it, where its script is another one", () => {
    expect(first(shows(9_001, "2 things", body, failing, "14 things"), usual, usual)).toBe(
      `page_changed: GET /api/things answered “14” for “total”, as in the last pass, but the page shows “2 things” (as many as “items” has items), where that has “14 things”; ${SCRIPT}`,
    );
  });

  test("is told by the currency that an amount is no longer written with", () => {
    const money = { currency: "EUR", open: 428_700 };
    const pass = shows(9_000, "€428,700", money, passing);
    expect(first(shows(9_001, "$428,700", money, failing, "€428,700"), pass, pass)).toBe(
      `page_changed: GET /api/things answered “EUR” for “currency”, as in the last pass, but the page shows “$428,700”, where that has “€428,700”; ${SCRIPT}`,
    );
  });

  test("is told by how many items it has", () => {
    const lines = { lines: [{ name: "Shirt" }], at: 17 };
    const pass = shows(9_000, "1 article", lines, passing);
    expect(first(shows(9_001, "0 articles", lines, failing, "1 article"), pass, pass)).toStartWith(
      "page_changed: GET /api/things answered with 1 item for “lines”, as in the last pass, but the page shows “0 articles”",
    );
  });

  test("was not taken over where the page shows what it showed before it came", () => {
    const fee = { shipping: 495 };
    const removed = (size: number, shown: string, end: typeof passing) =>
      run(
        ...script(size),
        sum("free", { ts: 4_000, step_id: "press", phase: "action" }),
        press,
        ...answer(fee, { method: "DELETE" }),
        sum(shown),
        end(text("€4.95", shown)),
      );
    const pass = removed(9_000, "€4.95", passing);
    expect(first(removed(9_001, "free", failing), pass, pass)).toBe(
      `page_changed: DELETE /api/things answered “495” for “shipping”, as in the last pass, but the page still shows “free”, as before “Click getByRole('button', { name: 'Remove' })”, where that has “€4.95”: it did not take the answer over; ${SCRIPT}`,
    );
  });

  test("is told where it is a refusal whose words the page shows nowhere", () => {
    const alert = {
      title: "Expect \"toHaveText\" getByRole('alert')",
      message:
        "expect(locator).toHaveText(expected) failed\n\nLocator: getByRole('alert')\nError: element(s) not found",
      expected: '"This code has expired"',
      received: undefined,
    };
    const redeemed = (size: number, html: string, end: typeof passing) =>
      run(
        ...script(size),
        press,
        ...answer({ error: "This code has expired" }, { method: "POST", status: 410 }),
        page(`<main>${html}</main>`),
        end(alert),
      );
    const pass = redeemed(9_000, '<p role="alert">This code has expired</p>', passing);
    expect(first(redeemed(9_001, "<p>Basket</p>", failing), pass, pass)).toBe(
      `page_changed: POST /api/things was refused with 410 and “This code has expired” for “error”, as in the last pass, but the page does not show it anywhere, as it does there: it did not take the answer over; ${SCRIPT}`,
    );
  });

  test("says nothing where the script is the same, a pass was answered otherwise, or the value is another's", () => {
    const isTold = (...given: Parameters<typeof told>) =>
      told(...given)
        .join()
        .includes("as in the last pass, but");
    const failed = shows(9_001, "2 things", body, failing, "14 things");
    expect(isTold(failed, usual)).toBeTrue();
    expect(isTold(failed)).toBeFalse();
    expect(isTold(shows(9_000, "2 things", body, failing, "14 things"), usual)).toBeFalse();
    expect(isTold(failed, usual, shows(9_000, "14 things", { ...body, total: 15 }, passing))).toBeFalse();
    const within = { items: [{ stock: 14 }] };
    const other = shows(9_000, "14 things", within, passing);
    expect(isTold(shows(9_001, "2 things", within, failing, "14 things"), other)).toBeFalse();
  });
});

describe("what a page offers in no pass", () => {
  const none = {
    title: "Expect \"toHaveCount\" getByRole('button', { name: 'New contact' })",
    name: "toHaveCount",
    message:
      "expect(locator).toHaveCount(expected) failed\n\nLocator: getByRole('button', { name: 'New contact' })",
    expected: "0",
    received: "1",
  };
  const opened = (size: number, role: string, html: string, end: typeof passing) =>
    run(
      ...script(size),
      press,
      ...answer({ user: { name: "Tom", role } }),
      page(`<main><h1>Contacts</h1>${html}</main>`),
      end(none),
    );
  const usual = opened(9_000, "viewer", "", passing);
  const button = "<button>New contact</button>";

  test("is told with the role that is the same, where its script is another one", () => {
    expect(first(opened(9_001, "viewer", button, failing), usual, usual)).toBe(
      `page_changed: The page now has a button “New contact”, which it has in no pass, though for the same role: GET /api/things answered “viewer” for “user.role”, as in the last pass; ${SCRIPT}`,
    );
  });

  test("comes after what its script did not send", () => {
    const sent = exchange("/api/things/1/read", { ts: 4_100, method: "POST" });
    const pass = run(
      ...script(9_000),
      press,
      ...answer({ user: { role: "viewer" } }),
      ...sent,
      page("<main><h1>Contacts</h1></main>"),
      passing(none),
    );
    const all = told(opened(9_001, "viewer", button, failing), pass, pass);
    expect(all[0]).toStartWith("request_unsent: POST /api/things/1/read was never sent");
    expect(all.join()).toContain("for the same role");
  });

  test("says nothing of a role that is another one, of the same script, and of what a pass has", () => {
    const isTold = (...given: Parameters<typeof told>) =>
      told(...given)
        .join()
        .includes("for the same role");
    expect(isTold(opened(9_001, "admin", button, failing), usual)).toBeFalse();
    expect(isTold(opened(9_000, "viewer", button, failing), usual)).toBeFalse();
    expect(
      isTold(opened(9_001, "viewer", button, failing), opened(9_000, "viewer", button, passing)),
    ).toBeFalse();
  });
});
