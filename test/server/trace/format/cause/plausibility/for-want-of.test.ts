import { expect, test } from "bun:test";
import { click, exchange, failing, first, page, passing, run, told } from "../run.ts";

type More = Record<string, unknown>;
const opened = (body = "<h1>Members</h1>", more: More = {}) =>
  exchange("/members", { ts: 1_000, resource_type: "document", media_type: "text/html", body, ...more });
const script = (more: More = {}) => exchange("/app-7QK4.js", { ts: 1_100, resource_type: "script", ...more });
const lost = script({ status: 404, status_text: "Not Found" });
const types = click("Fill \"Ann\" getByLabel('Search members')", {
  name: "fill",
  ts: 4_000,
  step_id: "types",
  params: { value: "Ann" },
});
const asks = exchange("/members?q=Ann", { ts: 4_100, media_type: "text/html", body: "<p>1 members</p>" });
const count = { expected: '"1 members"', received: '"9 members"' };

test("a script that is gone from the server comes before what an action then did not do", () => {
  const usual = run(...opened(), ...script(), types, ...asks, passing(count));
  const stays = [page("<p>9 members</p>", { ts: 4_000, step_id: "types", phase: "action" }), types];
  const failed = run(...opened(), ...lost, ...stays, page("<p>9 members</p>"), failing(count));
  expect(first(failed, usual, usual)).toContain(
    "The script GET /app-7QK4.js was answered with 404 Not Found",
  );
});

test("what the test was refused comes before the address that it made of the answer", () => {
  const creates = (more: More = {}) =>
    exchange("/api/fixtures", { ts: 500, method: "POST", resource_type: "api", ...more });
  const goes = (id: string, more: More = {}) =>
    exchange(`/fixtures/${id}`, { ts: 6_000, resource_type: "document", media_type: "text/html", ...more });
  const usual = run(...creates({ status: 201 }), ...goes("6948"), passing());
  const refused = creates({ status: 401, body: '{"error":"invalid token"}', media_type: "application/json" });
  const nowhere = goes("undefined", { status: 404, body: "<h1>Page not found</h1>" });
  expect(first(run(...refused, ...nowhere, failing()), usual, usual)).toStartWith(
    "request_failed: POST /api/fixtures was answered with 401: invalid token",
  );
  expect(first(run(...creates({ status: 201 }), ...nowhere, failing()), usual, usual)).toContain(
    "/fixtures/undefined",
  );
});

const stepper = (target: string) =>
  opened(`<form data-controller="stepper"><input name="qty" data-stepper-target="${target}"></form>`);
const thrown = (missing: string) => ({
  kind: "console.error",
  ts: 4_100,
  source: "page",
  level: "error",
  text: `Error: Missing target element "${missing}" for "stepper" controller`,
  stack: `Error: Missing target element "${missing}" for "stepper" controller\n    at http://shop.example/app.js:6:3`,
});

test("an error that misses a name of the markup is told with the markup that lost it", () => {
  const usual = run(...stepper("field"), types, passing());
  const told = first(run(...stepper("input"), types, thrown("field"), failing()), usual, usual);
  expect(told).toStartWith(
    "page_error: The page threw Error: Missing target element “field”".replace(/[“”]/g, '"'),
  );
  expect(told).toContain('; GET /members came with data-stepper-target="input" in <input name="qty">');
  const other = first(run(...stepper("input"), types, thrown("sum"), failing()), usual, usual);
  expect(other).not.toContain("; GET /members came with");
});

test("what an action left as it was is told with the other wiring of its element", () => {
  const field = (action: string) =>
    opened(
      `<label for="text">Text</label><textarea id="text" name="text" data-action="${action}"></textarea>`,
    );
  const writes = click("Fill \"Hi\" getByLabel('Text')", { name: "fill", ts: 4_000, step_id: "writes" });
  const left = {
    title: "Expect \"toHaveText\" getByTestId('left')",
    message: "expect(locator).toHaveText(expected) failed\n\nLocator: getByTestId('left')",
    expected: '"278"',
    received: '"280"',
  };
  const shown = (number: number, more: More = {}) =>
    page(
      `<label for="text">Text</label><textarea id="text"></textarea><b data-testid="left">${number}</b>`,
      more,
    );
  const met = shown(280, { ts: 4_000, step_id: "writes", phase: "action" });
  const wired = (action: string) => run(...field(action), met, writes, shown(280), failing(left));
  const usual = run(...field("input->counter#update"), writes, shown(278), passing(left));
  expect(first(wired("keyup->counter#update"), usual, usual)).toBe(
    'page_changed: “Fill "Hi" getByLabel(\'Text\')” left “280” as it was, where the last pass has “278” by then; neither asks a server for it; GET /members came with data-action="keyup->counter#update" in <textarea name="text" id="text">, where the last pass had data-action="input->counter#update"',
  );
  expect(told(wired("input->counter#update"), usual, usual).join()).not.toContain("data-action");
});
