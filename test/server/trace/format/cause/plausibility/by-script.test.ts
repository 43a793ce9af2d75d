import { expect, test } from "bun:test";
import { click, exchange, failing, first, passing, run, told } from "../run.ts";

type Told = Record<string, unknown>;
const opened = (ts = 1_000) => exchange("/login", { ts, resource_type: "document", media_type: "text/html" });
const script = (more: Told = {}) => exchange("/app.js", { ts: 1_100, resource_type: "script", ...more });
const lost = script({ status: 404, status_text: "Not Found" });
const press = click("Click getByRole('button', { name: 'Sign in' })", { ts: 4_000, step_id: "press" });
const login = (token: boolean, more: Told = {}) =>
  exchange("/login", {
    ts: 4_050,
    method: "POST",
    request: { headers: token ? [{ name: "X-Token", value: "a1b2c3d4e5" }] : [], body: "name=a" },
    ...more,
  });
const refused = (more: Told = {}) => login(false, { status: 403, body: '{"error":"Expired"}', ...more });
const thrown = (ts: number) => ({
  kind: "console.error",
  ts,
  source: "page",
  level: "error",
  text: "TypeError: Cannot read properties of null (reading 'on')",
  stack: "TypeError: Cannot read properties of null (reading 'on')\n    at http://shop.example/app.js:6:3",
});
const usual = run(...opened(), ...script(), press, ...login(true), passing());

test("a script that was not served comes before what was then sent without what it adds", () => {
  expect(first(run(...opened(), ...lost, press, ...refused(), failing()), usual, usual)).toBe(
    "script_failed: The script GET /app.js was answered with 404 Not Found; POST /login, which was sent without the header x-token, which the last pass sent, was answered with 403: Expired",
  );
});

test("a form that the browser itself sent for want of its script is told with that", () => {
  const form = refused({ resource_type: "document" });
  expect(first(run(...opened(), ...lost, press, ...form, failing()), usual, usual)).toContain(
    "The script GET /app.js was answered with 404 Not Found; POST /login",
  );
});

test("a script that threw while it was loaded comes before what was then sent without what it adds", () => {
  const failed = run(...opened(), ...script(), thrown(1_200), press, ...refused(), failing());
  expect(first(failed, usual, usual)).toMatch(
    /^page_error: The page threw TypeError: Cannot read .*; POST \/login, which was sent without the header x-token/,
  );
});

test("a refusal of what was sent as ever, after an error of an action, or on a page that was opened since comes of something else", () => {
  const isTold = (...events: Parameters<typeof run>) =>
    told(run(...events, failing()), usual, usual).some((title) =>
      /(?:404 Not Found|app\.js:6); POST/.test(title),
    );
  expect(isTold(...opened(), ...lost, press, ...refused())).toBeTrue();
  expect(isTold(...opened(), ...lost, press, ...login(true, { status: 403 }))).toBeFalse();
  const look = click("Click getByText('More')", { ts: 3_000, step_id: "look" });
  expect(isTold(...opened(), ...script(), look, thrown(3_100), press, ...refused())).toBeFalse();
  expect(isTold(...opened(), ...lost, ...opened(3_500), press, ...refused())).toBeFalse();
});
