import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { safeNext } from "../../../server/identity/next-path.ts";
import { createSigninLink } from "../../../server/identity/sessions/service.ts";
import { type TestApp, testApp } from "../../helpers/app.ts";
import { statement } from "../../helpers/statement.ts";

const DAY = 24 * 60 * 60_000;
let t: TestApp;
beforeEach(async () => {
  t = await testApp();
});
afterEach(() => t.close());

const anonymous = { authorization: "" };

async function link(next?: string): Promise<string> {
  const { url } = await createSigninLink(t.deps, {
    orgId: t.orgId,
    base: "http://localhost",
    ...(next ? { next } : {}),
  });
  return url.slice("http://localhost".length);
}

async function signIn(): Promise<string> {
  const response = await t.api(await link(), { headers: anonymous });
  expect(response.status).toBe(302);
  return response.headers.get("set-cookie")!.split(";")[0]!;
}

const me = (cookie: string, more: Record<string, string> = {}) =>
  t.api("/api/v1/me", { headers: { ...anonymous, cookie, ...more } });

describe("a one-time link", () => {
  test("opens a session of the owner and leads where it says", async () => {
    const response = await t.api(await link("/traces/abc?step=3"), { headers: anonymous });
    expect(response.status).toBe(302);
    expect(response.headers.get("location")).toBe("/traces/abc?step=3");
    const cookie = response.headers.get("set-cookie")!;
    expect(cookie).toMatch(/^product_session=\w{43}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Lax$/);
    const answer = (await (await me(cookie.split(";")[0]!)).json()) as {
      user: { id: string };
      org: { role: string };
    };
    expect(answer.user.id).toBe(t.userId);
    expect(answer.org.role).toBe("owner");
  });

  test("works once", async () => {
    const path = await link();
    expect((await t.api(path, { headers: anonymous })).status).toBe(302);
    const again = await t.api(path, { headers: anonymous });
    expect(again.status).toBe(401);
    expect(again.headers.get("content-type")).toContain("text/html");
    expect(again.headers.get("set-cookie")).toBeNull();
  });

  test("opens one session when used twice at once", async () => {
    const path = await link();
    const both = await Promise.all([1, 2].map(() => t.api(path, { headers: anonymous })));
    expect(both.map(({ status }) => status).sort()).toEqual([302, 401]);
  });

  test("ends after 10 minutes", async () => {
    const path = await link();
    t.clock.advance(10 * 60_000);
    expect((await t.api(path, { headers: anonymous })).status).toBe(401);
  });

  test("is not burned by a HEAD request", async () => {
    const path = await link();
    expect((await t.api(path, { method: "HEAD", headers: anonymous })).headers.get("set-cookie")).toBeNull();
    expect((await t.api(path, { headers: anonymous })).status).toBe(302);
  });

  test("is not kept in the clear", async () => {
    const code = new URL(`http://localhost${await link()}`).searchParams.get("code")!;
    const rows = JSON.stringify(await statement(t.store, "SELECT * FROM signin_codes"));
    expect(rows).not.toContain(code);
    expect(t.logged.join("")).not.toContain(code);
  });

  test.each([
    "//evil.example",
    "/\\evil.example",
    "https://evil.example",
    "javascript:alert(1)",
    "evil",
    "/\t/evil.example",
    "/.//evil.example",
    "/a\nb",
    "",
  ])("does not lead to another site: %p", (next) => {
    expect(safeNext(next)).toBe("/");
  });

  test("leads to a path in any script", async () => {
    const response = await t.api(await link("/traces?q=日本#é"), { headers: anonymous });
    expect(response.status).toBe(302);
    expect(response.headers.get("location")).toBe("/traces?q=%E6%97%A5%E6%9C%AC#%C3%A9");
  });
});

describe("a session", () => {
  test("slides: it lives 30 days after it was last seen", async () => {
    const cookie = await signIn();
    t.clock.advance(29 * DAY);
    const seen = await me(cookie);
    expect(seen.status).toBe(200);
    expect(seen.headers.get("set-cookie")).toStartWith(`${cookie};`);
    t.clock.advance(29 * DAY);
    expect((await me(cookie)).status).toBe(200);
    t.clock.advance(30 * DAY);
    expect((await me(cookie)).status).toBe(401);
  });

  test("is kept as a hash", async () => {
    const token = (await signIn()).split("=")[1]!;
    expect(JSON.stringify(await statement(t.store, "SELECT * FROM sessions"))).not.toContain(token);
  });

  test("ends with signing out, at once and alone", async () => {
    const [one, other] = [await signIn(), await signIn()];
    expect((await me(one)).status).toBe(200);
    const out = await t.api("/v1/session/signout", {
      method: "POST",
      headers: { ...anonymous, cookie: one, origin: "http://localhost" },
    });
    expect(out.status).toBe(204);
    expect(out.headers.get("set-cookie")).toContain("Max-Age=0");
    expect((await me(one)).status).toBe(401);
    expect((await me(other)).status).toBe(200);
  });

  test.each([
    ["no Origin", null, 403],
    ["Origin null", "null", 403],
    ["another site", "https://evil.example", 403],
    ["another port", "http://localhost:3000", 403],
    ["another name of this machine", "http://127.0.0.1", 403],
    ["this server", "http://localhost", 204],
  ])("changes something only from a page of this server: %s", async (_, origin, status) => {
    const cookie = await signIn();
    const headers: Record<string, string> = { ...anonymous, cookie };
    if (origin) headers.origin = origin;
    const response = await t.api("/v1/session/signout", { method: "POST", headers });
    expect(response.status).toBe(status);
    if (status === 403) expect(await response.json()).toMatchObject({ error: "forbidden" });
  });

  test("reads without an Origin", async () => {
    expect((await me(await signIn())).status).toBe(200);
  });

  test("does not help a bad bearer token: the first credential decides", async () => {
    const cookie = await signIn();
    expect((await me(cookie, { authorization: "Bearer nonsense" })).status).toBe(401);
    expect((await me(`other=1; ${cookie}; more=2`)).status).toBe(200);
    expect((await me("product_session=nonsense")).status).toBe(401);
  });

  test("is marked Secure when the page came by https", async () => {
    const secure = await testApp({ flags: { publicUrl: "https://traces.example.com" } });
    const { url } = await createSigninLink(secure.deps, { orgId: secure.orgId, base: "" });
    const response = await secure.api(url, { headers: { ...anonymous, host: "traces.example.com" } });
    expect(response.headers.get("set-cookie")).toEndWith("; Secure");
    await secure.close();
  });
});
