import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { createOrg } from "../../../server/identity/orgs.ts";
import { deviceWords } from "../../../server/identity/sessions/device.ts";
import { MAX_SESSIONS } from "../../../server/identity/sessions/open.ts";
import { type TestApp, testApp } from "../../helpers/app.ts";
import { cookieOf, FROM_PAGE, person } from "../../helpers/people.ts";
import { statement } from "../../helpers/statement.ts";

const PASSWORD = "correct horse battery";
let t: TestApp;
beforeEach(async () => {
  t = await testApp();
});
afterEach(() => t.close());

type Headers = Record<string, string>;
const ORIGIN = "http://localhost";
const call = (method: string, path: string, headers: Headers, body?: object) =>
  t.api(path, {
    method,
    headers: { origin: ORIGIN, ...headers, ...(body ? { "content-type": "application/json" } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
const signIn = (email: string, password: string) =>
  call("POST", "/v1/session/password", FROM_PAGE, { email, password });
const as = (cookie: string | null): Headers => ({ authorization: "", cookie: cookie ?? "" });

interface Sessions {
  items: { id: string; is_current: boolean; method: string; device: string; ip: string | null }[];
}
const sessions = async (headers: Headers) =>
  (await (await t.api("/v1/sessions", { headers })).json()) as Sessions;

describe("a user's sessions", () => {
  test("are listed with device and method, end one by one at once, and nobody else's do", async () => {
    const ada = await person(t, { password: PASSWORD });
    const eve = await person(t);
    const agent = "Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0";
    const other = await call(
      "POST",
      "/v1/session/password",
      { ...FROM_PAGE, "user-agent": agent },
      {
        ...{ email: ada.email, password: PASSWORD },
      },
    );
    const { items } = await sessions(ada.headers);
    expect(items.map(({ is_current, method }) => [is_current, method]).sort()).toEqual([
      [false, "password"],
      [true, "link"],
    ]);
    const mine = items.find(({ is_current }) => !is_current)!;
    expect(mine.device).toBe("Firefox on Linux");
    expect((await call("DELETE", `/v1/sessions/${mine.id}`, eve.headers)).status).toBe(404);
    expect((await t.api("/api/v1/me", { headers: as(cookieOf(other)) })).status).toBe(200);
    expect((await call("DELETE", `/v1/sessions/${mine.id}`, ada.headers)).status).toBe(204);
    expect((await t.api("/api/v1/me", { headers: as(cookieOf(other)) })).status).toBe(401);
    expect((await call("DELETE", `/v1/sessions/${mine.id}`, ada.headers)).status).toBe(404);
  });

  test("all others end at once, and this one goes on", async () => {
    const ada = await person(t, { password: PASSWORD });
    const others = [await signIn(ada.email, PASSWORD), await signIn(ada.email, PASSWORD)];
    expect(await (await call("DELETE", "/v1/sessions", ada.headers)).json()).toEqual({ ended: 2 });
    for (const answer of others)
      expect((await t.api("/api/v1/me", { headers: as(cookieOf(answer)) })).status).toBe(401);
    expect((await sessions(ada.headers)).items).toHaveLength(1);
  });

  test("are no business of keys, and end only from a page of this server", async () => {
    const ada = await person(t);
    expect((await t.api("/v1/sessions")).status).toBe(403);
    expect((await t.api("/v1/profile")).status).toBe(403);
    const foreign = await call("DELETE", "/v1/sessions", { ...ada.headers, origin: "https://evil.example" });
    expect(foreign.status).toBe(403);
  });

  test(`are at most ${MAX_SESSIONS}: the one that was not seen for longest ends`, async () => {
    const ada = await person(t);
    const { openSession } = await import("../../../server/identity/sessions/open.ts");
    const { commit } = await import("../../../server/jobs/commit.ts");
    const device = { ip: null, userAgent: null };
    for (let n = 0; n < MAX_SESSIONS; n++) {
      t.clock.advance(1);
      await commit(t.deps, (trx, after) =>
        openSession(t.deps, trx, after, { userId: ada.id, orgId: t.orgId, method: "link", device }),
      );
    }
    const [row] = await statement(t.store, `SELECT count(*) AS n FROM sessions WHERE user_id = '${ada.id}'`);
    expect(row!.n).toBe(MAX_SESSIONS);
    expect((await t.api("/api/v1/me", { headers: ada.headers })).status).toBe(401);
  });

  test.each([
    ["Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/140.0 Safari/537.36 Edg/140.0", "Edge on Windows"],
    ["Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) Version/19.0 Safari/604.1", "Safari on iPhone"],
    ["Mozilla/5.0 (Linux; Android 16) Chrome/140.0 Mobile Safari/537.36", "Chrome on Android"],
    ["curl/8.9", "A program (curl)"],
    [null, "Unknown device"],
    ["<script>", "Unknown device"],
  ])("name their device in words: %p", (agent, words) => {
    expect(deviceWords(agent)).toBe(words);
  });
});

describe("a password", () => {
  test("is set by whoever has none, and changed by the one until now; other sessions and links end", async () => {
    const ada = await person(t);
    const other = await person(t);
    const set = (body: object) => call("PUT", "/v1/profile/password", ada.headers, body);
    expect((await set({ new_password: PASSWORD })).status).toBe(204);
    const elsewhere = await signIn(ada.email, PASSWORD);
    expect(elsewhere.status).toBe(200);
    await call("POST", "/v1/session/magic-link", FROM_PAGE, { email: ada.email });
    await t.runJobs();
    const code = /code=(\w+)/.exec(t.told.join(""))![1]!;
    expect((await set({ new_password: "another good one" })).status).toBe(403);
    expect((await set({ current_password: "wrong", new_password: "another good one" })).status).toBe(403);
    const changed = await set({ current_password: PASSWORD, new_password: "another good one" });
    expect(changed.status).toBe(204);
    expect((await t.api("/api/v1/me", { headers: as(cookieOf(elsewhere)) })).status).toBe(401);
    expect((await t.api("/api/v1/me", { headers: ada.headers })).status).toBe(200);
    expect((await t.api("/api/v1/me", { headers: other.headers })).status).toBe(200);
    expect((await call("POST", "/v1/session/magic-link/use", FROM_PAGE, { code })).status).toBe(401);
    expect((await signIn(ada.email, PASSWORD)).status).toBe(401);
    expect((await signIn(ada.email, "another good one")).status).toBe(200);
    expect(t.logged.join("")).not.toContain("another good one");
  });

  test.each([
    ["too short", "elevenchars"],
    ["too long", "x1y2".repeat(251)],
    ["of one letter", "aaaaaaaaaaaaaaaa"],
    ["the address itself", "Ada.Lovelace@shop.example"],
  ])("is refused: %s", async (_, new_password) => {
    const ada = await person(t, { email: "ada.lovelace@shop.example" });
    const answer = await call("PUT", "/v1/profile/password", ada.headers, { new_password });
    expect([400, 422]).toContain(answer.status);
    expect(await answer.text()).not.toContain(new_password);
  });

  test("may be guessed no more often by a stolen session than elsewhere", async () => {
    const ada = await person(t, { password: PASSWORD });
    const statuses = [];
    for (let n = 0; n < 11; n++) {
      const body = { current_password: "wrong", new_password: "another good one" };
      statuses.push((await call("PUT", "/v1/profile/password", ada.headers, body)).status);
    }
    expect(statuses).toEqual([...new Array(10).fill(403), 429]);
  }, 30_000);

  test("is changed once when two change it at the same moment", async () => {
    const ada = await person(t, { password: PASSWORD });
    const change = (new_password: string) =>
      call("PUT", "/v1/profile/password", ada.headers, { current_password: PASSWORD, new_password });
    const both = await Promise.all([change("first new password"), change("second new password")]);
    expect(both.map(({ status }) => status).sort()).toEqual([204, 409]);
  });
});

describe("a profile", () => {
  test("has a name and an org to begin with, which is one of the user's", async () => {
    const ada = await person(t, { password: PASSWORD });
    const other = await createOrg(t.deps, "other");
    const patch = (body: object) => call("PATCH", "/v1/profile", ada.headers, body);
    expect((await patch({ default_org_id: other.org_id })).status).toBe(422);
    await statement(
      t.store,
      `INSERT INTO memberships VALUES ('${other.org_id}', '${ada.id}', 'admin', ${t.clock.now() + 1})`,
    );
    t.deps.credentials.forgetUser(ada.id);
    const changed = await (await patch({ name: " Ada L. ", default_org_id: other.org_id })).json();
    expect(changed).toMatchObject({ name: "Ada L.", default_org_id: other.org_id, has_password: true });
    const cookie = cookieOf(await signIn(ada.email, PASSWORD));
    const me = await (await t.api("/api/v1/me", { headers: as(cookie) })).json();
    expect(me).toMatchObject({ org: { id: other.org_id, role: "admin" } });
  });

  test("gets another address by a link that its user alone can use, once", async () => {
    const [ada, eve] = [await person(t, { password: PASSWORD }), await person(t)];
    const ask = (body: object) => call("POST", "/v1/profile/email", ada.headers, body);
    expect((await ask({ email: "new@shop.example" })).status).toBe(403);
    expect((await ask({ email: "New@Shop.example", current_password: PASSWORD })).status).toBe(202);
    const code = /confirm=(\w+)/.exec(t.told.join(""))![1]!;
    const confirm = (headers: Headers) => call("POST", "/v1/profile/email/confirm", headers, { code });
    expect((await confirm(eve.headers)).status).toBe(403);
    expect((await call("POST", "/v1/session/magic-link/use", FROM_PAGE, { code })).status).toBe(401);
    expect(await (await confirm(ada.headers)).json()).toEqual({ email: "new@shop.example" });
    expect((await confirm(ada.headers)).status).toBe(403);
    expect((await signIn("new@shop.example", PASSWORD)).status).toBe(200);
    const told = await statement(t.store, "SELECT recipient FROM mails WHERE subject LIKE '%was changed'");
    expect(told).toEqual([{ recipient: ada.email }]);
  });

  test("is not reached by a link that went to the address before", async () => {
    const ada = await person(t);
    await call("POST", "/v1/session/magic-link", FROM_PAGE, { email: ada.email });
    await t.runJobs();
    const old = /link\?code=(\w+)/.exec(t.told.join(""))![1]!;
    await call("POST", "/v1/profile/email", ada.headers, { email: "moved@shop.example" });
    const code = /confirm=(\w+)/.exec(t.told.join(""))![1]!;
    expect((await call("POST", "/v1/profile/email/confirm", ada.headers, { code })).status).toBe(200);
    expect((await call("POST", "/v1/session/magic-link/use", FROM_PAGE, { code: old })).status).toBe(401);
  });

  test("cannot take somebody else's address", async () => {
    const [ada, eve] = [await person(t), await person(t)];
    await call("POST", "/v1/profile/email", ada.headers, { email: eve.email.toUpperCase() });
    const code = /confirm=(\w+)/.exec(t.told.join(""))![1]!;
    expect((await call("POST", "/v1/profile/email/confirm", ada.headers, { code })).status).toBe(409);
  });
});

describe("what an admin sees of single sign-on", () => {
  test("is settings.json's, without the secret, and says when the provider does not answer", async () => {
    await t.close();
    const sso = { issuer: "http://127.0.0.1:9/", client_id: "deck", client_secret: "very secret" };
    t = await testApp({ settings: { sso }, flags: { publicUrl: "https://deck.example.com" } });
    const { headers } = await person(t, { role: "admin" });
    const shown = await (await t.api("/v1/sso", { headers })).text();
    expect(JSON.parse(shown)).toMatchObject({
      ...{ applies: true, is_configured: true, enforced: true, has_client_secret: true },
      callback_url: "https://deck.example.com/signin/sso/callback",
    });
    expect(shown).not.toContain("very secret");
    const tested = await (await call("POST", "/v1/sso/test", headers)).json();
    expect(tested).toMatchObject({ ok: false, token_endpoint: null });
    expect((await t.api("/v1/sso", { headers: (await person(t)).headers })).status).toBe(403);
    const other = await createOrg(t.deps, "other");
    const owner = await person(t, { role: "owner", orgId: other.org_id });
    expect(await (await t.api("/v1/sso", { headers: owner.headers })).json()).toMatchObject({
      ...{ applies: false, issuer: null, client_id: null },
    });
  });
});
