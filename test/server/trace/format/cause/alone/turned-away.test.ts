import { describe, expect, test } from "bun:test";
import { exchange, failing, page, run, SITE } from "../run.ts";
import { document, first, header, json, missed, told } from "./scene.ts";

describe("a cookie that a request which was turned away came without", () => {
  const signIn = (terms: string, path = "/sign-in") =>
    exchange(path, {
      ts: 2_000,
      method: "POST",
      status: 303,
      headers: header("set-cookie", `sid=1; ${terms}`),
    });
  const away = (path: string, cookie = "seen=1") =>
    exchange(path, {
      ts: 4_800,
      status: 303,
      headers: header("location", "/sign-in"),
      request: { headers: header("cookie", cookie) },
    });

  test("is told with the terms it was set under", () => {
    expect(first(run(...signIn("Path=/account"), ...away("/claims/new"), failing()))).toBe(
      "storage: GET /claims/new came without the cookie “sid” that POST /sign-in sets with Path=/account: pages outside of /account do not get it",
    );
    expect(first(run(...signIn("Path=/; SameSite=None"), ...away("/claims/new"), failing()))).toContain(
      "with SameSite=None and without Secure: browsers refuse such a cookie",
    );
    expect(first(run(...signIn("Path=/"), ...away("/claims/new"), failing()))).toContain(
      "the browser did not keep it, for no request carried it",
    );
  });

  test("is told where it is set for another domain than the site's, and GraphQL refuses", () => {
    const me = json(
      "/graphql",
      { data: null, errors: [{ message: "Please sign in" }] },
      { ts: 4_800, method: "POST", request: { headers: header("cookie", "seen=1") } },
    );
    expect(first(run(...signIn("Path=/; Domain=bank.example"), ...me, failing()))).toBe(
      "storage: POST /graphql came without the cookie “sid” that POST /sign-in sets with Domain=bank.example: shop.example is no host of that domain, so that browsers refuse it",
    );
    for (const domain of [".shop.example", "SHOP.example"])
      expect(told(run(...signIn(`Path=/; Domain=${domain}`), ...me, failing())).join()).not.toContain(
        "Domain=",
      );
  });

  test("is not told where it came along, or is meant for a part of the site", () => {
    const cookies = (...events: Parameters<typeof run>) => told(run(...events)).join();
    expect(cookies(...signIn("Path=/"), ...away("/claims/new", "sid=1"), failing())).not.toContain("cookie");
    expect(cookies(...signIn("Path=/auth", "/auth/login"), ...away("/api/people"), failing())).not.toContain(
      "cookie",
    );
  });
});

describe("a request that was refused with nothing in the header of its token", () => {
  const page = (cookie: string) =>
    document("/payees", "<h1>Payees</h1>", { headers: header("set-cookie", cookie) });
  const add = (value: string, more: Record<string, unknown> = {}) =>
    exchange("/payees", {
      ts: 4_800,
      method: "POST",
      status: 403,
      request: { headers: header("x-csrf-token", value) },
      ...more,
    });

  test("is told with the cookie that no script can read, or that may be looked for by another name", () => {
    expect(first(run(...page("csrf=1; Path=/; HttpOnly"), ...add(""), failing()))).toBe(
      "storage: POST /payees was sent with an empty header x-csrf-token and refused: GET /payees sets the cookie “csrf” HttpOnly, so that no script can read it",
    );
    expect(first(run(...page("_xsrf=1; Path=/"), ...add("undefined"), failing()))).toBe(
      "storage: POST /payees was sent with an empty header x-csrf-token and refused, though GET /payees sets the cookie “_xsrf”: the page may look for it under another name",
    );
    expect(first(run(...page("auth_token=1; Path=/; HttpOnly"), ...add(""), failing()))).toBe(
      "storage: POST /payees was sent with an empty header x-csrf-token and refused",
    );
  });

  test("is not told of one that was taken, that had its token, or that goes elsewhere", () => {
    for (const events of [
      add("", { status: 200 }),
      add("", { status: 429 }),
      add("", { status: 503 }),
      add("8f2a"),
      exchange("https://chat.example/hello", {
        ts: 4_800,
        status: 403,
        request: { headers: header("x-csrf-token", "") },
      }),
    ])
      expect(told(run(...page("csrf=1; Path=/; HttpOnly"), ...events, failing())).join()).not.toContain(
        "empty header",
      );
  });
});

test("a cookie for the sign-in alone is told where the sign-in leads elsewhere", () => {
  const signIn = exchange("/login", {
    method: "POST",
    ts: 4_000,
    status: 302,
    resource_type: "document",
    headers: [
      { name: "set-cookie", value: "sid=1; Path=/login" },
      { name: "location", value: "/patients" },
    ],
  });
  const away = exchange("/patients", {
    ts: 4_100,
    status: 302,
    resource_type: "document",
    headers: header("location", "/login"),
    request: { headers: header("host", "shop.example") },
  });
  expect(told(run(...signIn, ...away, failing())).join()).toContain(
    "sets with Path=/login: pages outside of /login do not get it",
  );
});

test("who asked who they are before signing in was turned away from nothing since", () => {
  const me = exchange("/api/me", { ts: 1_000, status: 401 });
  const signIn = exchange("/api/session", { method: "POST", ts: 2_000, status: 201 });
  const missing = missed("getByRole('button', { name: 'By guest' })");
  const here = page("<button>Quick split</button>", { url: `${SITE}/table/5/bill` });
  expect(first(run(...me, ...signIn, missing, here))).toStartWith("element_missing:");
  expect(told(run(...me, missing, here)).join()).not.toContain("was sent to /table/5/bill");
  expect(first(run(...me, missing, here))).toStartWith("request_failed: GET /api/me was answered with 401");
});
