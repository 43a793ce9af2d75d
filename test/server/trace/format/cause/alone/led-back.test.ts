import { expect, test } from "bun:test";
import { click, exchange, failing, page, run, SITE } from "../run.ts";
import { header, json, missed, told } from "./scene.ts";

const heading = failing({ expected: '"Notes"', received: '"Home"' });
const at = (path: string, ts: number, more: object = {}) =>
  page("<h1>Home</h1>", { url: `${SITE}${path}`, ts, step_id: "x", ...more });
const press = click("Click Sign in", { ts: 3_000, step_id: "sign-in" });
const login = (more: Record<string, unknown> = {}) =>
  exchange("/api/login", { ts: 3_010, method: "POST", request: { body: "{}" }, ...more });
const sayings = (...more: Parameters<typeof run>) => told(run(...more, heading)).join("\n");

test("a sign-in that leads elsewhere than its own address says is told", () => {
  const words =
    "redirected: The sign-in at /login was to lead on to “next=/notes”, and after POST /api/login the page went to /home";
  const begun = at("/login?next=/notes", 2_000);
  expect(sayings(begun, press, ...login(), at("/home", 6_990))).toContain(words);
  for (const events of [
    [begun, press, ...login(), at("/notes", 4_000), at("/home", 6_990)],
    [begun, press, ...login({ status: 403 }), at("/home", 6_990)],
    [begun, press, ...login(), click("Click Home", { ts: 3_500 }), at("/home", 6_990)],
    [at("/login?next=https://other.example", 2_000), press, ...login(), at("/home", 6_990)],
  ])
    expect(sayings(...events)).not.toContain("was to lead on to");
});

test("what stands in the place of an element on the page that a sign-in led to instead comes after that", () => {
  const look = missed("getByRole('heading', { name: 'Ada Lovelace' })");
  const home = page('<span class="who">Ada Lovelace</span>', { url: `${SITE}/home`, ts: 6_990 });
  const suspects = (from: string) => told(run(at(from, 2_000), press, ...login(), look, home));
  expect(suspects("/login?next=/notes")[0]).toStartWith("redirected: The sign-in at /login was to lead on");
  expect(suspects("/login")[0]).toStartWith("element_renamed:");
});

test("a sign-in whose answer leads elsewhere than it was asked to is told", () => {
  const asked = (next: string) =>
    json(
      "/api/login",
      { next },
      {
        ts: 3_010,
        method: "POST",
        request: { body: '{"returnTo":"/notes"}', headers: header("content-type", "application/json") },
      },
    );
  expect(sayings(at("/login", 2_000), press, ...asked("/"), at("/", 6_990))).toContain(
    "POST /api/login was sent with “/notes” for “returnTo” and answered with “/” for “next”: the page went there",
  );
  expect(sayings(at("/login", 2_000), press, ...asked("/notes"), at("/notes", 6_990))).not.toContain(
    "went there",
  );
});

test("a cookie that was over before it came is told with its end", () => {
  const set = (value: string) =>
    login({ headers: header("set-cookie", value), request: { headers: header("host", "shop.example") } });
  const refused = exchange("/api/me", {
    ts: 4_000,
    status: 401,
    request: { headers: header("host", "shop.example") },
  });
  const words = (value: string) => sayings(press, ...set(value), ...refused);
  expect(words("sid=77; Path=/; Expires=Thu, 01 Jan 1970 00:00:01 GMT")).toContain(
    "sets with Expires=Thu, 01 Jan 1970 00:00:01 GMT, which had passed 17 min before it came",
  );
  for (const value of [
    "sid=77; Path=/; Expires=Fri, 01 Jan 2100 00:00:01 GMT",
    "sid=; Path=/; Expires=Thu, 01 Jan 1970 00:00:01 GMT",
    "sid=deleted; Path=/; Expires=Thu, 01 Jan 1970 00:00:01 GMT",
    "sid=77; Path=/; Max-Age=60; Expires=Thu, 01 Jan 1970 00:00:01 GMT",
  ])
    expect(words(value)).not.toContain("which had passed");
});

test("the first column is known by its place in a row", () => {
  const mails = failing({
    title: "Expect \"toHaveText\" getByRole('table').locator('td:first-child')",
    expected: '"Ines"',
    received: '"ines@shop.example"',
  });
  const table = page(
    "<table><thead><tr><th>E-mail</th><th>Name</th></tr></thead><tbody><tr><td>ines@shop.example</td><td>Ines</td></tr></tbody></table>",
  );
  expect(told(run(mails, table))[0]).toContain("stands in column 2 (“Name”)");
});
