import { afterEach, describe, expect, test } from "bun:test";
import { createSigninLink } from "../../../server/identity/sessions/service.ts";
import { type TestApp, testApp } from "../../helpers/app.ts";
import { startCodeHost } from "../../helpers/code-host.ts";
import { type ProviderPerson, startProvider, type TestProvider } from "../../helpers/oidc-provider.ts";
import { cookieOf, person } from "../../helpers/people.ts";
import { statement } from "../../helpers/statement.ts";

const BASE = "https://deck.example.com";
const PAGE = { authorization: "", host: "deck.example.com", origin: BASE };
const ADA = { sub: "ada-1", email: "Ada@shop.example", email_verified: true, name: "Ada L." };
let t: TestApp;
let provider: TestProvider | null = null;
let host: ReturnType<typeof startCodeHost> | null = null;
afterEach(async () => {
  await t?.close();
  await provider?.close();
  await host?.close();
  provider = null;
  host = null;
});

async function withSso(sso: Record<string, unknown> = {}): Promise<void> {
  provider = await startProvider({ redirectUri: `${BASE}/signin/sso/callback` });
  const { issuer, clientId, clientSecret } = provider;
  t = await testApp({
    flags: { publicUrl: BASE },
    settings: { sso: { issuer, client_id: clientId, client_secret: clientSecret, ...sso } },
  });
}

async function withCodeHost(sso: Record<string, unknown> = {}): Promise<void> {
  host = startCodeHost();
  t = await testApp({
    flags: { publicUrl: BASE },
    settings: {
      code_host: { api_url: host.apiUrl, oauth_client_id: "app", oauth_client_secret: "host secret" },
      sso,
    },
  });
}

type Kind = "sso" | "code-host";
const get = (path: string, headers: Record<string, string> = {}) =>
  t.api(path, { headers: { ...PAGE, ...headers } });
const post = (path: string, fields: Record<string, string>) =>
  t.api(path, { method: "POST", headers: PAGE, body: new URLSearchParams(fields) });

/** Goes to the provider. @returns where it sends the browser back to, and the cookie that the browser went with */
async function goOut(kind: Kind = "sso", next?: string): Promise<{ back: URL; cookie: string }> {
  const start = await get(`/signin/${kind}${next ? `?next=${encodeURIComponent(next)}` : ""}`);
  expect(start.status).toBe(302);
  const back = await (kind === "sso" ? provider! : host!).follow(start.headers.get("location")!);
  return { back, cookie: cookieOf(start, "product_signin")! };
}
const comeBack = (back: URL, cookie: string | null) =>
  get(back.pathname + back.search, cookie === null ? {} : { cookie });

async function signIn(who: ProviderPerson, next?: string): Promise<Response> {
  provider!.signedIn(who);
  const { back, cookie } = await goOut("sso", next);
  return comeBack(back, cookie);
}
const me = async (response: Response) =>
  (await get("/api/v1/me", { cookie: cookieOf(response)! })).json() as Promise<{
    user: { id: string; name: string; email: string };
    org: { id: string; role: string };
  }>;
async function invited(email: string, orgId = t.orgId, role = "billing"): Promise<void> {
  const now = t.clock.now();
  await t.store.records
    .insertInto("invitations")
    .values({
      ...{
        id: t.deps.ids.uuid(),
        org_id: orgId,
        email,
        role: role as "billing",
        hash: t.deps.ids.secret(43),
      },
      ...{ invited_by: null, created_at: now, expires_at: now + 60_000 },
    })
    .execute();
}
const accepted = () =>
  statement(t.store, "SELECT org_id FROM audit_events WHERE action = 'invitation.accept'");
const users = async () => (await statement(t.store, "SELECT id FROM users")).length;

describe("an identity provider", () => {
  test("signs a member in by a confirmed address, and from then on by what it calls them", async () => {
    await withSso();
    const { id } = await person(t, { email: "ada@shop.example" });
    const first = await signIn(ADA, "/failures");
    expect([first.status, first.headers.get("location")]).toEqual([302, "/failures"]);
    expect(cookieOf(first, "product_signin")).toBeNull();
    expect(await me(first)).toMatchObject({ user: { id }, org: { id: t.orgId, role: "member" } });
    const renamed = await signIn({ ...ADA, email: "ada.new@shop.example", email_verified: false });
    expect(await me(renamed)).toMatchObject({ user: { id } });
    const acts = await statement(
      t.store,
      "SELECT action FROM audit_events WHERE action LIKE 's%' ORDER BY seq",
    );
    expect(acts.map(({ action }) => action)).toEqual([
      ...["session.signin", "sso.link", "session.signin", "session.signin"],
    ]);
  });

  test("brings whoever is invited into the first org with the invitation's role, once", async () => {
    await withSso();
    await invited("ada@shop.example");
    const answer = await me(await signIn(ADA));
    expect(answer).toMatchObject({
      user: { email: "ada@shop.example", name: "Ada L." },
      org: { id: t.orgId, role: "billing" },
    });
    expect(await accepted()).toEqual([{ org_id: t.orgId }]);
    expect(await statement(t.store, "SELECT id FROM invitations")).toEqual([]);
    await statement(t.store, `DELETE FROM memberships WHERE user_id = '${answer.user.id}'`);
    expect((await signIn(ADA)).status).toBe(403);
  });

  test("accepts no invitation of another org, of another address or after its time", async () => {
    await withSso();
    const { createOrg } = await import("../../../server/identity/orgs.ts");
    const other = await createOrg(t.deps, "other");
    await invited("ada@shop.example", other.org_id);
    await invited("bob@shop.example");
    expect((await signIn(ADA)).status).toBe(403);
    await invited("ada@shop.example");
    expect((await signIn({ ...ADA, email_verified: false })).status).toBe(403);
    t.clock.advance(60_000);
    expect((await signIn(ADA)).status).toBe(403);
    expect(await accepted()).toEqual([]);
  });

  test("makes one user of two first sign-ins at once", async () => {
    await withSso({ verified_domains: ["shop.example"] });
    const before = await users();
    provider!.signedIn(ADA);
    const ways = [await goOut(), await goOut()];
    const both = await Promise.all(ways.map(({ back, cookie }) => comeBack(back, cookie)));
    expect(both.map(({ status }) => status)).toEqual([302, 302]);
    expect(await users()).toBe(before + 1);
  });

  test("makes whoever comes from a verified domain a member, once", async () => {
    await withSso({ verified_domains: ["Shop.example"] });
    const before = await users();
    const answer = await me(await signIn(ADA));
    expect(answer).toMatchObject({
      user: { email: "ada@shop.example", name: "Ada L." },
      org: { id: t.orgId, role: "member" },
    });
    expect((await me(await signIn(ADA))).user.id).toBe(answer.user.id);
    expect(await users()).toBe(before + 1);
  });

  test.each([
    ["an address that is not confirmed", { ...ADA, email_verified: false }, "has not confirmed"],
    ["no word whether it is confirmed", { sub: "ada-1", email: "ada@shop.example" }, "has not confirmed"],
    ["no address", { sub: "ada-1" }, "has not confirmed"],
    ["a domain like a verified one", { ...ADA, email: "ada@shop.example.evil.example" }, "No account"],
    ["two addresses in one", { ...ADA, email: "eve@evil.example, ada@shop.example" }, "has not confirmed"],
  ])("lets nobody in with %s", async (_, who, words) => {
    await withSso({ verified_domains: ["shop.example"] });
    await person(t, { email: "ada@shop.example" });
    const before = await users();
    const answer = await signIn(who);
    expect([answer.status, cookieOf(answer)]).toEqual([403, null]);
    expect(await answer.text()).toContain(words);
    expect(await users()).toBe(before);
    expect(await statement(t.store, "SELECT * FROM external_accounts")).toEqual([]);
  });

  test("brings nobody the account of whom their address belonged to before", async () => {
    await withSso();
    await person(t, { email: "ada@shop.example" });
    expect((await signIn(ADA)).status).toBe(302);
    const heir = await signIn({ ...ADA, sub: "heir" });
    expect([heir.status, cookieOf(heir)]).toEqual([403, null]);
  });

  test("reaches nobody of another org, nor whom the org has let go", async () => {
    await withSso({ verified_domains: ["shop.example"] });
    const { createOrg } = await import("../../../server/identity/orgs.ts");
    const other = await createOrg(t.deps, "other");
    await person(t, { email: "ada@shop.example", orgId: other.org_id, role: "owner" });
    expect((await signIn(ADA)).status).toBe(403);
    const bob = { ...ADA, sub: "bob", email: "bob@shop.example" };
    const { user } = await me(await signIn(bob));
    await statement(t.store, `DELETE FROM memberships WHERE user_id = '${user.id}'`);
    expect((await signIn(bob)).status).toBe(403);
  });

  test.each([
    ["without the cookie of the browser that asked", (back: URL) => ({ back, cookie: null })],
    ["with a cookie that was made up", (back: URL) => ({ back, cookie: `product_signin=${"A".repeat(80)}` })],
    [
      "with another state",
      (back: URL, cookie: string) => {
        back.searchParams.set("state", "another");
        return { back, cookie };
      },
    ],
    [
      "without a state",
      (back: URL, cookie: string) => {
        back.searchParams.delete("state");
        return { back, cookie };
      },
    ],
    [
      "by another issuer (mix-up)",
      (back: URL, cookie: string) => {
        back.searchParams.set("iss", "https://evil.example");
        return { back, cookie };
      },
    ],
    [
      "without naming its issuer",
      (back: URL, cookie: string) => {
        back.searchParams.delete("iss");
        return { back, cookie };
      },
    ],
    [
      "with a code of somebody else",
      (back: URL, cookie: string) => {
        back.searchParams.set("code", "made-up");
        return { back, cookie };
      },
    ],
    [
      "with two states",
      (back: URL, cookie: string) => {
        back.searchParams.append("state", back.searchParams.get("state")!);
        return { back, cookie };
      },
    ],
  ])("cannot be answered for %s", async (_, change) => {
    await withSso();
    await person(t, { email: "ada@shop.example" });
    provider!.signedIn(ADA);
    const { back, cookie } = await goOut();
    const changed = change(back, cookie);
    const answer = await comeBack(changed.back, changed.cookie);
    expect([answer.status, cookieOf(answer)]).toEqual([401, null]);
  });

  test("is answered once, in its time, and with the cookie of that very way", async () => {
    await withSso();
    await person(t, { email: "ada@shop.example" });
    provider!.signedIn(ADA);
    const [first, second] = [await goOut(), await goOut()];
    expect((await comeBack(first.back, second.cookie)).status).toBe(401);
    expect((await comeBack(second.back, second.cookie)).status).toBe(302);
    expect((await comeBack(second.back, second.cookie)).status).toBe(401);
    const late = await goOut();
    t.clock.advance(10 * 60_000);
    expect((await comeBack(late.back, late.cookie)).status).toBe(401);
  });

  test("keeps to PKCE, nonce and the public address, and tells no secret to the browser or the log", async () => {
    await withSso();
    await person(t, { email: "ada@shop.example" });
    provider!.signedIn(ADA);
    const start = await get("/signin/sso");
    const { searchParams } = new URL(start.headers.get("location")!);
    expect(searchParams.get("code_challenge_method")).toBe("S256");
    expect(searchParams.get("nonce")).toBeTruthy();
    expect(searchParams.get("redirect_uri")).toBe(`${BASE}/signin/sso/callback`);
    const set = start.headers.get("set-cookie")!;
    expect(set).toMatch(/; Path=\/signin; Max-Age=600; HttpOnly; SameSite=Lax; Secure$/);
    expect(set).not.toContain(searchParams.get("state")!);
    const { back, cookie } = await goOut();
    await comeBack(back, cookie);
    const log = t.logged.join("");
    for (const secret of [back.searchParams.get("code")!, provider!.clientSecret])
      expect(log).not.toContain(secret);
    const elsewhere = await t.api("/signin/sso?next=/failures", { headers: { host: "localhost" } });
    expect(elsewhere.headers.get("location")).toBe(`${BASE}/signin/sso?next=%2Ffailures`);
  });

  test("stays known over a restart in the middle of signing in", async () => {
    await withSso();
    const { id } = await person(t, { email: "ada@shop.example" });
    provider!.signedIn(ADA);
    const { back, cookie } = await goOut();
    await t.runtime.close();
    const first = t;
    t = await testApp({ dataDir: first.dataDir, clock: first.clock, flags: { publicUrl: BASE } });
    expect((await me(await comeBack(back, cookie))).user.id).toBe(id);
    await t.close();
    t = first;
  });
});

describe("enforced single sign-on", () => {
  test("leaves members no other way but the terminal's link", async () => {
    await withSso();
    const ada = await person(t, { email: "ada@shop.example", password: "correct horse battery" });
    const refused = await post("/v1/session/password", {
      ...{ email: ada.email, password: "correct horse battery" },
    });
    expect([refused.status, cookieOf(refused)]).toEqual([403, null]);
    const wrong = await post("/v1/session/password", { email: ada.email, password: "wrong" });
    expect(wrong.status).toBe(401);
    await post("/v1/session/magic-link", { email: ada.email });
    await t.runJobs();
    expect(t.told).toEqual([]);
    const { url } = await createSigninLink(t.deps, { orgId: t.orgId, base: "" });
    expect((await get(url)).status).toBe(302);
    const page = await (await get("/signin")).text();
    expect(page).toContain("Continue with");
    expect(page).not.toContain("/v1/session/password");
  });

  test("does not hold whoever is a member of other orgs alone", async () => {
    await withSso();
    const { createOrg } = await import("../../../server/identity/orgs.ts");
    const other = await createOrg(t.deps, "other");
    const email = "eve@other.example";
    await person(t, { email, orgId: other.org_id, password: "correct horse battery" });
    const answer = await post("/v1/session/password", { email, password: "correct horse battery" });
    expect(answer.status).toBe(303);
  });

  test("answers 503 with the status page while the provider does not answer", async () => {
    await withSso({ status_page_url: "https://status.idp.example" });
    await person(t, { email: "ada@shop.example" });
    provider!.signedIn(ADA);
    const { back, cookie } = await goOut();
    provider!.setDown(true);
    const callback = await comeBack(back, cookie);
    expect(callback.status).toBe(503);
    await provider!.close();
    t.clock.advance(60 * 60_000);
    const answer = await get("/signin/sso");
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "60"]);
    expect(await answer.text()).toContain("https://status.idp.example");
    const program = await get("/signin/sso", { accept: "application/json" });
    expect(await program.json()).toMatchObject({ error: "sso_unavailable" });
    expect((await get("/signin")).status).toBe(200);
  });
});

describe("single sign-on that is not enforced", () => {
  test("falls back to a link by mail, which lets whoever comes from a verified domain in", async () => {
    await withSso({ enforced: false, verified_domains: ["shop.example"] });
    await provider!.close();
    expect((await get("/signin/sso")).status).toBe(503);
    for (const email of ["new@shop.example", "new@other.example"]) {
      await post("/v1/session/magic-link", { email });
      await t.runJobs();
    }
    expect(t.told).toHaveLength(1);
    const code = /code=(\w+)/.exec(t.told[0]!)![1]!;
    const used = await post("/v1/session/magic-link/use", { code });
    expect(await me(used)).toMatchObject({
      user: { email: "new@shop.example" },
      org: { id: t.orgId, role: "member" },
    });
  });
});

describe("a code host", () => {
  const mail = (email: string, primary: boolean, verified: boolean) => ({ email, primary, verified });
  const OCTO = { id: 7, login: "ada", name: "Ada L." };

  test("signs a member in by the primary confirmed address, and then by the account's id", async () => {
    await withCodeHost();
    const { id } = await person(t, { email: "ada@shop.example" });
    host!.signedIn({
      ...OCTO,
      emails: [mail("a@b.example", false, true), mail("ada@shop.example", true, true)],
    });
    const { back, cookie } = await goOut("code-host", "/runs");
    const answer = await comeBack(back, cookie);
    expect([answer.status, answer.headers.get("location")]).toEqual([302, "/runs"]);
    expect((await me(answer)).user.id).toBe(id);
    host!.signedIn({ ...OCTO, login: "ada-2", emails: [] });
    const again = await goOut("code-host");
    expect((await me(await comeBack(again.back, again.cookie))).user.id).toBe(id);
  });

  test("brings whoever is invited into that org", async () => {
    await withCodeHost();
    const { createOrg } = await import("../../../server/identity/orgs.ts");
    const other = await createOrg(t.deps, "other");
    await invited("ada@shop.example", other.org_id);
    host!.signedIn({ ...OCTO, emails: [mail("ada@shop.example", true, true)] });
    const { back, cookie } = await goOut("code-host");
    expect(await me(await comeBack(back, cookie))).toMatchObject({
      org: { id: other.org_id, role: "billing" },
    });
    expect(await accepted()).toEqual([{ org_id: other.org_id }]);
  });

  test.each([
    ["a second address", [mail("ada@shop.example", false, true), mail("a@b.example", true, true)], 403],
    ["a primary one that is not confirmed", [mail("ada@shop.example", true, false)], 403],
    ["none", [], 403],
  ])("does not take %s", async (_, emails, status) => {
    await withCodeHost();
    await person(t, { email: "ada@shop.example" });
    host!.signedIn({ ...OCTO, emails });
    const { back, cookie } = await goOut("code-host");
    expect((await comeBack(back, cookie)).status).toBe(status);
  });

  test("is not mixed up with the identity provider, nor answered with another's code", async () => {
    await withCodeHost();
    await person(t, { email: "ada@shop.example" });
    host!.signedIn({ ...OCTO, emails: [mail("ada@shop.example", true, true)] });
    const { back, cookie } = await goOut("code-host");
    const path = `/signin/sso/callback${back.search}`;
    expect((await get(path, { cookie })).status).toBe(404);
    back.searchParams.set("code", "made-up");
    const answer = await comeBack(back, cookie);
    expect([answer.status, cookieOf(answer)]).toEqual([401, null]);
  });
});
