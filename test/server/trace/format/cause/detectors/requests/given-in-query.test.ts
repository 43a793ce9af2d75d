import { describe, expect, test } from "bun:test";
import { click, exchange, failing, first, page, passing, run } from "../../run.ts";

const pick = click("Select option getByLabel('Status')", {
  ts: 4_000,
  name: "page.selectOption",
  params: { options: [{ valueOrLabel: "customer" }] },
});
const ask = (query: string) => exchange(`/api/contacts?${query}`, { ts: 4_200, body: '{"rows":1}' });
const shown = page("<main><p>42 contacts</p></main>");
const looks = { title: "Expect \"toBeVisible\" getByText('14 contacts')", name: "toBeVisible" };
const missing = failing({
  ...looks,
  message: "Error: element(s) not found",
  expected: "visible",
  received: undefined,
});
const usual = (...events: Parameters<typeof run>) => {
  const pass = run(...events, page("<main><p>14 contacts</p></main>"), passing(looks));
  return [pass, pass];
};
const cause = (query: string, ...events: Parameters<typeof run>) =>
  first(run(pick, ...events, shown, missing), ...usual(pick, ...ask(query)));

describe("a question that was never sent", () => {
  test("leads before what the page shows where the last action gave what it asks for", () => {
    expect(cause("page=1&status=customer")).toBe(
      "request_unsent: GET /api/contacts?page=1&status=customer was never sent: in the last pass it went out 200 ms after “Select option getByLabel('Status')”",
    );
    expect(cause("page=1")).not.toContain("was never sent");
  });

  test("is told with the other name under which the same went out in its place", () => {
    expect(cause("page=1&status=customer", ...ask("page=1&state=customer"))).toContain(
      "went out in its place, with “state=customer” where the last pass had “status=customer”",
    );
    expect(cause("page=1&status=customer", ...ask("page=2&state=customer"))).not.toContain(
      "where the last pass had",
    );
  });

  test("is told with the error that the page logged in its stead", () => {
    const logged = {
      kind: "console.error",
      ts: 4_100,
      text: "htmx:targetError, #queue",
      source: "console-api",
    };
    expect(cause("page=1&status=customer", logged)).toContain(
      "; the page logged the error: htmx:targetError, #queue",
    );
    expect(cause("page=1&status=customer", { ...logged, ts: 3_000 })).not.toContain("the page logged");
  });

  test("stands behind the error that the page threw, which no pass has", () => {
    const thrown = {
      kind: "console.error",
      ts: 4_100,
      text: "TypeError: rows.filter is no function",
      source: "page",
    };
    expect(cause("page=1&status=customer", thrown)).toStartWith("page_error: The page threw TypeError");
  });

  test("leads where the way back leads to the page that asks it", () => {
    const back = click("Go back", { ts: 4_100, name: "page.goBack" });
    expect(first(run(pick, back, shown, missing), ...usual(pick, back, ...ask("page=3")))).toBe(
      "request_unsent: GET /api/contacts?page=3 was never sent: in the last pass it went out 100 ms after “Go back”",
    );
  });
});
