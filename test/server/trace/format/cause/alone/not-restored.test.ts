import { describe, expect, test } from "bun:test";
import { click, page, run } from "../run.ts";
import { document, first, json, missed } from "./scene.ts";

const SITE = "http://shop.example";
const signIn = json("/api/session", { token: "t" }, { method: "POST", ts: 1_000 });
const inside = page("<h1>Articles</h1>", { url: `${SITE}/articles`, ts: 2_000, step_id: "open" });
const open = click("Click Articles", { name: "page.click", ts: 2_500, step_id: "open" });
const reload = click("Reload", { name: "page.reload", ts: 2_990, step_id: "reload", duration_ms: 500 });
const served = document("/articles", "<app-root></app-root>");
const door = (more = "") =>
  page(`<h1>Sign in</h1><input type="password">${more}`, { url: `${SITE}/login?next=%2Farticles` });
const look = missed("getByText('14 articles')");
const words = "the page did not read its session back as it started";

describe("a page that stands at its sign-in since it was opened anew", () => {
  test("is told where it had been signed in and nothing was refused", () => {
    expect(first(run(...signIn, inside, open, reload, ...served, look, door()))).toBe(
      `redirected: After “Reload” the page went to its sign-in (/login?next=%2Farticles), though POST /api/session had signed in before and no answer refused anything since: ${words}`,
    );
  });

  test("is not told where something was refused, somebody had signed out, or nobody in", () => {
    const out = click("Click Sign out", { name: "page.click", ts: 2_700, step_id: "out" });
    for (const events of [
      [
        ...signIn,
        inside,
        open,
        reload,
        ...served,
        ...json("/api/me", {}, { ts: 3_100, status: 401 }),
        look,
        door(),
      ],
      [...signIn, inside, open, out, reload, ...served, look, door()],
      [inside, open, reload, ...served, look, door()],
      [...signIn, inside, reload, ...served, click("Click Account", { ts: 4_000 }), look, door()],
      [
        ...signIn,
        inside,
        open,
        reload,
        ...served,
        look,
        page("<h1>Talks</h1>", { url: `${SITE}/sessions/7` }),
      ],
    ])
      expect(first(run(...events))).not.toContain(words);
  });
});

test("an action before the page was opened anew has not led to where it is", () => {
  const cause = (...events: Parameters<typeof run>) =>
    first(run(inside, open, ...events, look, page("<h1>Offers</h1>", { url: `${SITE}/offers` })));
  expect(cause()).toContain("“Click Articles” had led to");
  expect(cause(reload)).not.toContain("had led to");
});
