import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { type TestApp, testApp } from "../../helpers/app.ts";
import { cookieOf, FROM_PAGE, person } from "../../helpers/people.ts";
import { statement } from "../../helpers/statement.ts";

const PASSWORD = "correct horse battery";
const FROM = "x-test-peer";
let t: TestApp;
beforeEach(async () => {
  t = await testApp({ peerOf: (request) => request.headers.get(FROM) });
});
afterEach(() => t.close());

type Headers = Record<string, string>;
const post = (path: string, body: object, headers: Headers = FROM_PAGE) =>
  t.api(path, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
const form = (path: string, fields: Record<string, string>, headers: Headers = FROM_PAGE) =>
  t.api(path, { method: "POST", headers, body: new URLSearchParams(fields) });
const withPassword = (email: string, password: string, headers: Headers = FROM_PAGE) =>
  post("/v1/session/password", { email, password }, headers);
const me = (cookie: string) => t.api("/api/v1/me", { headers: { authorization: "", cookie } });
const audited = (action: string) =>
  statement(t.store, `SELECT actor_id, detail FROM audit_events WHERE action = '${action}' ORDER BY seq`);

/** Asks for a link, and returns the path that the terminal was told of. */
async function askLink(email: string, next?: string): Promise<string | null> {
  const before = t.told.length;
  const asked = await post("/v1/session/magic-link", { email, ...(next ? { next } : {}) });
  expect(asked.status).toBe(202);
  await t.runJobs();
  const line = t.told.slice(before).join("");
  return /http:\/\/[^/]+(\/signin\/link\?code=\w+)/.exec(line)?.[1] ?? null;
}
const codeOf = (path: string) => new URL(path, "http://localhost").searchParams.get("code")!;

describe("an address and its password", () => {
  test("sign in, whatever the case of the address, and lead where the page says", async () => {
    const { id } = await person(t, { email: "Ada@Shop.example", password: PASSWORD });
    const answer = await post("/v1/session/password", {
      ...{ email: " aDA@shop.EXAMPLE ".trim(), password: PASSWORD, next: "/traces?q=1" },
    });
    expect(answer.status).toBe(200);
    expect(await answer.json()).toEqual({ next: "/traces?q=1" });
    expect(await (await me(cookieOf(answer)!)).json()).toMatchObject({ user: { id } });
    expect((await audited("session.signin")).at(-1)).toEqual({
      actor_id: id,
      detail: '{"method":"password"}',
    });
  });

  test("sign in by the form of a page without a script, which leads on", async () => {
    await person(t, { email: "ada@shop.example", password: PASSWORD });
    const fields = { email: "ada@shop.example", password: PASSWORD, next: "/failures" };
    const answer = await form("/v1/session/password", fields);
    expect(answer.status).toBe(303);
    expect(answer.headers.get("location")).toBe("/failures");
    expect(cookieOf(answer)).not.toBeNull();
    const wrong = await form("/v1/session/password", { ...fields, password: "no" });
    expect(wrong.status).toBe(401);
    const page = await wrong.text();
    expect(page).toContain("The address or the password is wrong.");
    expect(page).toContain("ada@shop.example");
    expect(wrong.headers.get("cache-control")).toBe("no-store");
  });

  test.each(["//evil.example", "https://evil.example/", "/\\evil.example", "javascript:alert(1)"])(
    "lead to no other site: %p",
    async (next) => {
      await person(t, { email: "ada@shop.example", password: PASSWORD });
      const fields = { email: "ada@shop.example", password: PASSWORD, next };
      expect((await form("/v1/session/password", fields)).headers.get("location")).toBe("/");
      const page = await (await t.api(`/signin?next=${encodeURIComponent(next)}`)).text();
      expect(page).not.toContain("evil.example");
      const path = (await askLink("ada@shop.example", next))!;
      const used = await form("/v1/session/magic-link/use", { code: codeOf(path) });
      expect(used.headers.get("location")).toBe("/");
    },
  );

  test("are refused alike, after the same work, whether the address is unknown, without a password or another's", async () => {
    await person(t, { email: "ada@shop.example", password: PASSWORD });
    await person(t, { email: "eve@shop.example" });
    await person(t, { email: "out@shop.example", password: PASSWORD, orgId: null });
    const { passwords } = t.deps.identityState;
    const answers = [];
    for (const email of ["ada@shop.example", "eve@shop.example", "nobody@shop.example", "out@shop.example"]) {
      const before = passwords.comparisons();
      const answer = await withPassword(email, email === "out@shop.example" ? PASSWORD : "wrong password");
      expect(passwords.comparisons() - before).toBe(1);
      const headers = [...answer.headers].filter(([name]) => name !== "x-request-id");
      answers.push({ status: answer.status, body: await answer.json(), headers });
    }
    expect(answers[0]!.status).toBe(401);
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
  });

  test.each([
    ["no Origin", null],
    ["another site", "https://evil.example"],
    ["another port", "http://localhost:3000"],
    ["Origin null", "null"],
  ])("are taken from a page of this server alone: %s", async (_, origin) => {
    await person(t, { email: "ada@shop.example", password: PASSWORD });
    const headers: Headers = { authorization: "", ...(origin ? { origin } : {}) };
    const path = (await askLink("ada@shop.example"))!;
    for (const answer of [
      await withPassword("ada@shop.example", PASSWORD, headers),
      await form("/v1/session/password", { email: "ada@shop.example", password: PASSWORD }, headers),
      await post("/v1/session/magic-link", { email: "ada@shop.example" }, headers),
      await form("/v1/session/magic-link/use", { code: codeOf(path) }, headers),
    ]) {
      expect(answer.status).toBe(403);
      expect(cookieOf(answer)).toBeNull();
    }
  });

  test("open a session with a token of its own, whatever cookie the browser came with", async () => {
    await person(t, { email: "ada@shop.example", password: PASSWORD });
    const fixed = `product_session=${"a".repeat(43)}`;
    const first = cookieOf(
      await withPassword("ada@shop.example", PASSWORD, { ...FROM_PAGE, cookie: fixed }),
    )!;
    const second = cookieOf(
      await withPassword("ada@shop.example", PASSWORD, { ...FROM_PAGE, cookie: first }),
    )!;
    expect(new Set([fixed, first, second]).size).toBe(3);
    expect((await me(fixed)).status).toBe(401);
  });

  test("fail at most as often as settings say, of one address and of one account", async () => {
    await person(t, { email: "ada@shop.example", password: PASSWORD });
    const from = (ip: string) => ({ ...FROM_PAGE, [FROM]: ip });
    const statuses = [];
    for (let n = 0; n < 11; n++)
      statuses.push((await withPassword(`u${n}@shop.example`, "wrong", from("203.0.113.1"))).status);
    expect(statuses).toEqual([...new Array(10).fill(401), 429]);
    for (let n = 0; n < 10; n++) await withPassword("ada@shop.example", "wrong", from(`203.0.113.${n + 10}`));
    const before = t.deps.identityState.passwords.comparisons();
    const limited = await withPassword("ADA@shop.example", PASSWORD, from("203.0.113.99"));
    expect(limited.status).toBe(429);
    expect(Number(limited.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(t.deps.identityState.passwords.comparisons()).toBe(before);
    t.clock.advance(6_000);
    expect((await withPassword("ada@shop.example", PASSWORD, from("203.0.113.99"))).status).toBe(200);
  }, 30_000);

  test("fail no more often when many come at once, and the right one does not count", async () => {
    await person(t, { email: "ada@shop.example", password: PASSWORD });
    const { passwords } = t.deps.identityState;
    const from = (ip: string) => ({ ...FROM_PAGE, [FROM]: ip });
    const guess = (ip: string, email = "ada@shop.example") => withPassword(email, "wrong password", from(ip));
    const compared = async (work: () => Promise<Response>[]) => {
      const before = passwords.comparisons();
      const statuses = (await Promise.all(work())).map(({ status }) => status);
      return {
        compared: passwords.comparisons() - before,
        refused: statuses.filter((s) => s === 429).length,
      };
    };
    const many = Array.from({ length: 30 }, (_, i) => i);
    // Of one account from everywhere; of one address to every account.
    expect(await compared(() => many.map((i) => guess(`203.0.113.${i}`)))).toEqual({
      compared: 10,
      refused: 20,
    });
    expect(await compared(() => many.map((i) => guess("198.51.100.1", `u${i}@shop.example`)))).toEqual({
      compared: 10,
      refused: 20,
    });
    t.clock.advance(60_000);
    for (let n = 0; n < 12; n++) {
      const right = await withPassword("ada@shop.example", PASSWORD, from(`203.0.113.${n}`));
      expect(right.status).toBe(200);
    }
  }, 30_000);

  test("are audited when they fail, once a minute with their number", async () => {
    const { id } = await person(t, { email: "ada@shop.example", password: PASSWORD });
    for (let n = 0; n < 3; n++) await withPassword("ada@shop.example", "wrong");
    await withPassword("nobody@shop.example", "wrong");
    expect(await audited("session.signin_failed")).toEqual([]);
    await t.runtime.periodic.find(({ name }) => name === "failed sign-ins")!.run();
    const [entry, ...more] = await audited("session.signin_failed");
    expect(more).toEqual([]);
    expect(entry!.actor_id).toBe(id);
    expect(JSON.parse(String(entry!.detail))).toEqual({ method: "password", failures: 3 });
  });

  test("stand in no log", async () => {
    await person(t, { email: "ada@shop.example", password: PASSWORD });
    await withPassword("ada@shop.example", PASSWORD);
    await withPassword("ada@shop.example", `${PASSWORD} not`);
    await post("/v1/session/password", { email: "ada@shop.example", password: { of: PASSWORD } });
    expect(t.logged.join("")).not.toContain(PASSWORD);
    const rows = await statement(t.store, "SELECT password_hash FROM users WHERE password_hash IS NOT NULL");
    expect(rows[0]!.password_hash).toStartWith("$argon2id$");
  });

  test("are refused as input when they are too long or have other fields", async () => {
    const long = { email: "ada@shop.example", password: "x".repeat(1001) };
    expect((await post("/v1/session/password", long)).status).toBe(400);
    expect((await post("/v1/session/password", { email: "a@b.c", password: "x", more: 1 })).status).toBe(400);
    const wrongType = await t.api("/v1/session/password", { method: "POST", headers: FROM_PAGE, body: "x" });
    expect(wrongType.status).toBe(415);
  });
});

describe("a link by mail", () => {
  test("shows whose it is when it is opened, signs in by its button, and works once", async () => {
    const { id, email } = await person(t, { email: "ada@shop.example" });
    const path = (await askLink(email, "/failures"))!;
    for (let looks = 0; looks < 3; looks++) {
      const page = await t.api(path, { headers: { authorization: "" } });
      expect(page.status).toBe(200);
      expect(page.headers.get("cache-control")).toBe("no-store");
      expect(await page.text()).toContain(email);
      expect(cookieOf(page)).toBeNull();
    }
    const used = await form("/v1/session/magic-link/use", { code: codeOf(path) });
    expect([used.status, used.headers.get("location")]).toEqual([303, "/failures"]);
    expect(await (await me(cookieOf(used)!)).json()).toMatchObject({ user: { id } });
    const again = await form("/v1/session/magic-link/use", { code: codeOf(path) });
    expect([again.status, cookieOf(again)]).toEqual([401, null]);
    expect((await t.api(path, { headers: { authorization: "" } })).status).toBe(401);
    expect((await audited("session.signin")).at(-1)!.detail).toBe('{"method":"magic_link"}');
  });

  test("opens one session when it is used twice at once, and none after 10 minutes", async () => {
    const { email } = await person(t);
    const code = codeOf((await askLink(email))!);
    const both = await Promise.all([1, 2].map(() => post("/v1/session/magic-link/use", { code })));
    expect(both.map(({ status }) => status).sort()).toEqual([200, 401]);
    const late = codeOf((await askLink(email))!);
    t.clock.advance(10 * 60_000);
    expect((await post("/v1/session/magic-link/use", { code: late })).status).toBe(401);
  });

  test("cannot be used where the terminal's link is, nor that one here", async () => {
    const { email } = await person(t);
    const code = codeOf((await askLink(email))!);
    expect((await t.api(`/signin?code=${code}`, { headers: { authorization: "" } })).status).toBe(401);
    expect((await post("/v1/session/magic-link/use", { code })).status).toBe(200);
  });

  test("is asked for alike by whoever has no account; nothing is sent then", async () => {
    await person(t, { email: "ada@shop.example" });
    const answers = [];
    for (const email of ["ada@shop.example", "nobody@shop.example", "no address"]) {
      const before = await statement(t.store, "SELECT count(*) AS n FROM mail_links");
      const answer = await post("/v1/session/magic-link", { email });
      expect(await statement(t.store, "SELECT count(*) AS n FROM mail_links")).toEqual(before);
      answers.push([answer.status, await answer.text()].join(" "));
    }
    expect(new Set(answers).size).toBe(1);
    await t.runJobs();
    expect(t.told).toHaveLength(1);
    expect(await statement(t.store, "SELECT recipient FROM mails")).toEqual([
      { recipient: "ada@shop.example" },
    ]);
  });

  test("leads whoever is invited and has no account into that org, once", async () => {
    const now = t.clock.now();
    const email = "grace@people.example";
    await t.store.records
      .insertInto("invitations")
      .values({
        ...{ id: t.deps.ids.uuid(), org_id: t.orgId, email, role: "billing", hash: t.deps.ids.secret(43) },
        ...{ invited_by: null, created_at: now, expires_at: now + 3_600_000 },
      })
      .execute();
    const path = await askLink(email);
    const used = await post("/v1/session/magic-link/use", { code: codeOf(path!) });
    expect(await (await me(cookieOf(used)!)).json()).toMatchObject({
      user: { email, name: "grace" },
      org: { id: t.orgId, role: "billing" },
    });
    expect(await statement(t.store, "SELECT id FROM invitations")).toEqual([]);
    expect(await audited("invitation.accept")).toHaveLength(1);
  });

  test("goes out at most 3 times within 10 minutes", async () => {
    const { email } = await person(t);
    const paths = [];
    for (let n = 0; n < 4; n++) paths.push(await askLink(email));
    expect(paths.map((path) => path !== null)).toEqual([true, true, true, false]);
    t.clock.advance(10 * 60_000);
    expect(await askLink(email)).not.toBeNull();
  });

  test("stands in no row and in no log, and its mail is wiped when it is used", async () => {
    const { email } = await person(t);
    const code = codeOf((await askLink(email))!);
    const tables = ["mails", "mail_links", "jobs", "audit_events"];
    const rows = await Promise.all(tables.map((table) => statement(t.store, `SELECT * FROM ${table}`)));
    expect(JSON.stringify(rows) + t.logged.join("")).not.toContain(code);
    await post("/v1/session/magic-link/use", { code });
    expect(await statement(t.store, "SELECT sealed FROM mails")).toEqual([{ sealed: null }]);
    expect(t.logged.join("")).not.toContain(code);
  });

  test("leads to this server's own address, whatever the request calls it", async () => {
    await person(t, { email: "ada@shop.example" });
    await post(
      "/v1/session/magic-link",
      { email: "ada@shop.example" },
      { authorization: "", host: "localhost:6666", origin: "http://localhost:6666" },
    );
    await t.runJobs();
    expect(t.told.join("")).not.toContain("6666");
  });

  test("lets nobody in who has left their org meanwhile", async () => {
    const { id, email } = await person(t);
    const code = codeOf((await askLink(email))!);
    await statement(t.store, `DELETE FROM memberships WHERE user_id = '${id}'`);
    expect((await post("/v1/session/magic-link/use", { code })).status).toBe(401);
  });

  test("works after a restart", async () => {
    const { email } = await person(t);
    const code = codeOf((await askLink(email))!);
    await t.runtime.close();
    const again = await testApp({ dataDir: t.dataDir, clock: t.clock });
    const headers = { "content-type": "application/json", ...FROM_PAGE };
    const body = JSON.stringify({ code });
    const used = await again.api("/v1/session/magic-link/use", { method: "POST", headers, body });
    expect(used.status).toBe(200);
    await again.close();
  });
});

describe("the sign-in page", () => {
  test("comes drawn, with forms that need no script, and what is typed lets password managers help", async () => {
    const page = await (await t.api("/signin?next=/failures", { headers: { authorization: "" } })).text();
    expect(page).toContain('action="/v1/session/password"');
    expect(page.toLowerCase()).toContain('formaction="/v1/session/magic-link"');
    expect(page).toContain('autocomplete="username"');
    expect(page).toContain('autocomplete="current-password"');
    expect(page).toContain('value="/failures"');
    expect(page).not.toContain("Continue with");
    expect(page).not.toContain("onpaste");
  });

  test("offers what is configured", async () => {
    const methods = { password: true, link: true, is_mail_sent: false, sso: null, code_host: null };
    expect(await (await t.api("/v1/session/methods", { headers: { authorization: "" } })).json()).toEqual(
      methods,
    );
  });

  test("takes what others typed as text", async () => {
    const answer = await form("/v1/session/password", {
      email: '"><script>alert(1)</script>',
      password: "x",
      next: "/<script>",
    });
    expect(await answer.text()).not.toContain("<script>alert");
  });
});
