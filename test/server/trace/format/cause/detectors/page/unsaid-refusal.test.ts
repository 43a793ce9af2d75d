import { expect, test } from "bun:test";
import { click, exchange, failing, first, page, passing, run, told } from "../../run.ts";

const enter = click("Click Sign in", { ts: 3_000, name: "page.click" });
const signIn = (status = 401) =>
  exchange("/api/login", { ts: 3_100, method: "POST", status, body: '{"error":"invalid"}' });
const look = {
  name: "toHaveText",
  title: "Expect \"toHaveText\" getByRole('alert')",
  message:
    "expect(locator).toHaveText(expected) failed\nLocator: getByRole('alert')\nError: element(s) not found",
  expected: '"Wrong password"',
};
const shown = (html: string) => page(`<main><h1>Sign in</h1>${html}</main>`);
const missing = failing({ ...look, received: undefined });
const usual = run(enter, ...signIn(), shown('<p role="alert">Wrong password</p>'), passing(look));

test("a page that says nothing of a refusal, of which every pass tells, is told with it", () => {
  expect(first(run(enter, ...signIn(), shown(""), missing), usual, usual)).toBe(
    "page_changed: POST /api/login was refused with 401, as in the last pass, but the page does not show an alert “Wrong password”, as that does then",
  );
});

test("it is not told where the refusal is another one, or the page shows it", () => {
  const causes = (status: number, html: string) =>
    told(run(enter, ...signIn(status), shown(html), missing), usual, usual).join("\n");
  expect(causes(500, "")).not.toContain("does not show an alert");
  expect(causes(200, "")).not.toContain("does not show an alert");
  expect(causes(401, '<p role="alert">Try later</p>')).not.toContain("does not show an alert");
});
