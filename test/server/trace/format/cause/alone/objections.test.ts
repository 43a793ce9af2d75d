import { describe, expect, test } from "bun:test";
import { click, exchange, failing, page, run } from "../run.ts";
import { first, missed, post, told } from "./scene.ts";

const signIn = click("Click getByRole('button', { name: 'Sign in' })", { ts: 4_000, name: "page.click" });
const form = "<form><input type=password><button>Sign in</button></form>";
const alert = (more: object) =>
  failing({
    title: "Expect \"toHaveText\" getByRole('alert')",
    message: "expect(locator).toHaveText(expected) failed\n\nLocator: getByRole('alert')",
    expected: '"Wrong password"',
    received: undefined,
    ...more,
  });
const none = alert({
  message:
    "expect(locator).toHaveText(expected) failed\n\nLocator: getByRole('alert')\nError: element(s) not found",
});

describe("an objection that the test waits for", () => {
  test("is told as unsaid where the page shows none of what was refused", () => {
    const cause = (body: unknown, html = form, status = 401) =>
      first(run(signIn, ...post("/api/login", status, body), none, page(html)));
    expect(cause({ code: "bad_login" })).toEndWith("; the page shows no message of it");
    expect(cause({ message: "Wrong password" })).toBe(
      "request_failed: POST /api/login was answered with 401: Wrong password; the page shows no message of it, though that stands there for “message”",
    );
    for (const silent of [
      cause({ code: "bad_login" }, `${form}<p role=alert>No</p>`),
      cause({ code: "down" }, form, 503),
    ])
      expect(silent).not.toContain("no message of it");
  });

  test("leads where the page says it in other words of its own", () => {
    const reworded = alert({ received: '"That does not match"' });
    const cause = (body: unknown) =>
      first(
        run(
          signIn,
          ...post("/api/login", 401, body),
          reworded,
          page(`${form}<p role=alert>That does not match</p>`),
        ),
      );
    expect(cause({ code: "bad_login" })).toBe(
      'assertion: getByRole(\'alert\') had "That does not match" where the test expects "Wrong password"; those are the page\'s own words for POST /api/login, answered with 401',
    );
    expect(cause({ message: "That does not match" })).toStartWith("request_failed:");
    // What is no text of an element is nobody's words.
    const polled = failing({
      message: "expect(received).toEqual(expected)",
      expected: '"must not match"',
      received: '"cannot match"',
    });
    expect(told(run(signIn, ...post("/api/login", 401, {}), polled)).join()).not.toContain("own words");
  });

  test("is told with what was sent for what is not allowed, and who is signed in", () => {
    const approve = click("Click Approve", { ts: 4_000, name: "page.click" });
    const html =
      "<span>Ada Moss</span><button>Sign out</button><p role=alert>You are not allowed to do that.</p>";
    const sent = exchange("/reports/3/approval", { method: "POST", ts: 4_100, status: 303 });
    expect(told(run(approve, ...sent, failing(), page(html))).join("\n")).toContain(
      "The page said “You are not allowed to do that.”; POST /reports/3/approval had been answered with 303, where “Ada Moss” is signed in",
    );
  });
});

describe("a page that the test itself opened", () => {
  const goto = (path: string) =>
    click(`Navigate ${path}`, {
      ts: 1_000,
      name: "page.goto",
      params: { url: `http://shop.example${path}` },
      duration_ms: 100,
    });
  const at = (path: string, html: string) => page(html, { url: `http://shop.example${path}` });

  test("is told as the wrong one where it says that there is none", () => {
    const html = "<a href=/saved-replies>Saved replies</a><h1>Page not found</h1>";
    const cause = (path: string) =>
      told(
        run(goto(path), missed("getByRole('button', { name: 'New saved reply' })"), at("/saved-reply", html)),
      );
    expect(cause("/saved-reply")[0]).toBe(
      "page_message: The page said “Page not found”; the test itself had opened “/saved-reply”, where the page has a link to “/saved-replies”",
    );
    expect(cause("/inbox").join("\n")).not.toContain("the test itself had opened");
  });

  test("is where it stayed after a sign-in that was taken, and nobody was sent there", () => {
    const home = failing({ expected: '"Home"', received: '"Sign in"' });
    const before = exchange("/api/me", { ts: 1_500, status: 401 });
    const cause = (status: number, html = form, more = {}) =>
      told(
        run(
          goto("/login"),
          ...before,
          signIn,
          ...post("/api/login", status, { ok: true }, more),
          home,
          at("/login", html),
        ),
      ).join("\n");
    expect(cause(200)).toStartWith(
      "redirected: The page stayed at /login after the sign-in: POST /api/login was answered with 200, and nothing led on from there",
    );
    for (const silent of [
      cause(401),
      cause(200, "<h1>Home</h1>"),
      cause(200, `${form}<p role=alert>Invalid</p>`),
      cause(200, form, { resource_type: "document" }),
    ])
      expect(silent).not.toMatch(/stayed at|was sent to/);
  });
});
