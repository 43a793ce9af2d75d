import { expect, test } from "bun:test";
import { click, exchange, failing, first, page, passing, run, SITE, told } from "../../run.ts";

const enter = click("Click Sign in", { ts: 3_000, name: "page.click" });
const signIn = (more: object = {}) =>
  exchange("/api/login", { ts: 3_100, method: "POST", body: '{"user":"Ana"}', ...more });
const at = (path: string, ts: number) => page("<main><h1>Shop</h1></main>", { url: `${SITE}${path}`, ts });
const looks = { title: "Expect \"toBeVisible\" getByRole('heading', { name: 'Home' })", name: "toBeVisible" };
const missing = failing({ ...looks, message: "Error: element(s) not found", received: undefined });
const pass = () => run(at("/login", 2_000), enter, ...signIn(), at("/home", 6_990), passing(looks));

test("a page that stays where it is, though what it sent was taken as in every pass, which then go on, is told with that answer", () => {
  const mine = run(at("/login", 2_000), enter, ...signIn(), at("/login", 6_990), missing);
  expect(first(mine, pass(), pass())).toBe(
    "redirected: The page stayed at /login, though POST /api/login was answered with 200, as in the last pass, which then went to /home",
  );
});

test("it is not told where nothing was sent, or what was sent was refused", () => {
  for (const sent of [[], signIn({ status: 401, body: '{"message":"No such user"}' })]) {
    const mine = run(at("/login", 2_000), enter, ...sent, at("/login", 6_990), missing);
    expect(told(mine, pass(), pass()).join("\n")).not.toContain("The page stayed");
  }
});
