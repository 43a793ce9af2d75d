import { expect, test } from "bun:test";
import { click, exchange, failing, page, run } from "../run.ts";
import { first, header, json, missed, told } from "./scene.ts";

const number = failing({
  title: "Expect \"toHaveText\" getByTestId('number')",
  expected: '"LH-105"',
  received: '"LQ-105"',
});
const next = json("/api/next-number", { number: "LQ-105" }, { ts: 3_500 });
const settings = (more: Record<string, unknown>) =>
  exchange("/api/settings", {
    ts: 3_000,
    method: "PATCH",
    request: { body: '{"prefix":"LH","footer":"Bye"}' },
    media_type: "application/json",
    ...more,
  });

test("what a write says against itself comes before what was read afterwards", () => {
  const cause = (prefix: string) =>
    first(run(...settings({ body: JSON.stringify({ prefix, footer: "Bye" }) }), ...next, number));
  expect(cause("LQ")).toBe(
    "answer_changed: PATCH /api/settings was sent with “LH” for “prefix” and answered with “LQ”",
  );
  expect(cause("LH")).toStartWith("answer_changed: GET /api/next-number answered “LQ-105”");
  expect(cause("XY")).toStartWith("answer_changed: GET /api/next-number answered “LQ-105”");
});

test("a write that the test left behind comes before what was read without it", () => {
  const left = (body: string) =>
    first(
      run(
        ...settings({ request: { body }, status: undefined, error: "net::ERR_ABORTED", duration_ms: 15 }),
        click("Navigate /new", { name: "page.goto", ts: 3_010, step_id: "new" }),
        ...exchange("/new", { ts: 3_012, resource_type: "document" }),
        ...next,
        number,
      ),
    );
  expect(left('{"prefix":"LH"}')).toContain("“Navigate /new” left the page 10 ms after it was sent");
  expect(left('{"footer":"Bye"}')).toStartWith("answer_changed: GET /api/next-number");
});

test("a column that has what is wanted comes before the answer that says what another one shows", () => {
  const cell = failing({
    title: "Expect \"toHaveText\" getByRole('row').filter({ hasText: 'rent' }).getByRole('cell').nth(1)",
    expected: '"€12.00"',
    received: '"Office rent"',
  });
  const rents = json("/api/rents", { note: "Office rent" }, { ts: 3_000 });
  const table = (...cells: string[]) =>
    page(
      `<table><thead><tr><th>Amount</th><th>Note</th></tr></thead><tbody><tr>${cells.map((text) => `<td>${text}</td>`).join("")}</tr></tbody></table>`,
    );
  expect(first(run(...rents, cell, table("€12.00", "Office rent")))).toContain(
    "stands in column 1 (“Amount”)",
  );
  expect(first(run(...rents, cell, table("€13.00", "Office rent")))).toContain("GET /api/rents answered");
});

test("a request that the test's own route ended is told with that", () => {
  const ended = exchange("/api/stays", { ts: 4_900, status: undefined, error: "net::ERR_FAILED" });
  const byRoute = ended.map((event) => ({ ...event, handled: "aborted" }));
  const cause = (events: typeof ended) => first(run(...events, missed("getByText('Stay 7')")));
  expect(cause(byRoute)).toBe(
    "request_failed: GET /api/stays failed: net::ERR_FAILED; the test's own route ended it",
  );
  expect(cause(ended)).not.toContain("own route");
});

test("an empty token says nothing of a refusal where the same was taken with as empty a one", () => {
  const login = (ts: number, status: number) =>
    exchange("/api/login", { ts, status, method: "POST", request: { headers: header("x-csrf-token", "") } });
  const sayings = (...more: Parameters<typeof run>) =>
    told(run(...more, missed("getByText('Notes')"))).join();
  expect(sayings(...login(2_000, 403))).toContain("was sent with an empty header x-csrf-token and refused");
  expect(sayings(...login(2_000, 401), ...login(3_000, 200))).not.toContain("empty header");
});
