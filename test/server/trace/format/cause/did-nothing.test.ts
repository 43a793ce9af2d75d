import { expect, test } from "bun:test";
import { around, missed } from "./alone/scene.ts";
import { click, first, page, run, SITE, told } from "./run.ts";

const TARGET = "getByRole('heading', { name: 'Users' })";
const press = click("Click getByRole('link', { name: 'Users' })", { ts: 4_000, step_id: "next" });
const html = (title: string) => `<main><h1>${title}</h1><a href="/users">Users</a></main>`;
const failed = run(
  ...around(press, html("Today"), html("Today")).map((event) =>
    event.kind === "dom.snapshot" ? { ...event, url: `${SITE}/today` } : event,
  ),
  missed(TARGET),
);
const usual = (url: string) =>
  run(
    page(html("Today"), { url: `${SITE}/today`, ts: 3_900 }),
    press,
    missed(TARGET, { ok: true, error: undefined }),
    page(html("Users"), { url: `${SITE}${url}` }),
  );
const said =
  "page_changed: “Click getByRole('link', { name: 'Users' })” did nothing: the page stayed as it was and sent no request, where it";

test("a press that the page took no notice of is told with where it led in the last pass, if it led elsewhere", () => {
  expect(first(failed, usual("/users"))).toBe(`${said} went to shop.example/users in the last pass`);
  expect(told(failed, usual("/today")).join("\n")).toContain(`${said} changed in the last pass`);
});
