import { describe, expect, test } from "bun:test";
import type {
  Accepted,
  CreatedInvitation,
  InvitationList,
  OpenedInvitation,
} from "../../../server/identity/invitations/model.ts";
import type { MemberList } from "../../../server/identity/members/model.ts";
import { type TestApp, testApp } from "../../helpers/app.ts";
import { person, secondOrg, type TestPerson } from "../../helpers/org-people.ts";
import { statement } from "../../helpers/statement.ts";

const DAY = 24 * 60 * 60_000;
const NEW = "grace@people.example";

const invite = async (by: TestPerson, email = NEW, role = "member") => {
  const { status, body } = await by.send<CreatedInvitation>("POST", "/v1/invitations", { email, role });
  return { status, body, token: body.url?.split("#")[1] ?? "" };
};

/** As a browser does where nobody is signed in. */
const anonymously = (t: TestApp, path: string, body: unknown, headers: Record<string, string> = {}) =>
  t.api(path, {
    method: "POST",
    headers: {
      authorization: "",
      "content-type": "application/json",
      origin: "http://localhost",
      ...headers,
    },
    body: JSON.stringify(body),
  });

const members = async (by: TestPerson) =>
  (await by.send<MemberList>("GET", "/v1/members")).body.items.map(({ email, role }) => `${email} ${role}`);

describe("an invitation", () => {
  test("brings somebody new in, once, signed in and with a name", async () => {
    await using t = await testApp();
    const admin = await person(t, "admin");
    const { body, token } = await invite(admin, " Grace@People.example ", "billing");
    expect(body).toMatchObject({
      email: NEW,
      role: "billing",
      is_mailed: false,
      invited_by: expect.any(String),
    });
    expect(body.url).toMatch(/^http:\/\/localhost(?::\d+)?\/invitation#\w{43}$/);
    const opened = (await (
      await anonymously(t, "/v1/invitations/open", { token })
    ).json()) as OpenedInvitation;
    expect(opened).toMatchObject({ org_name: "local", email: NEW, role: "billing", signed_in_as: null });

    const accepted = await anonymously(t, "/v1/invitations/accept", { token, name: " Grace " });
    expect((await accepted.json()) as Accepted).toEqual({ org_id: t.orgId });
    const cookie = accepted.headers.get("set-cookie")!.split(";")[0]!;
    const me = await t.api("/api/v1/me", { headers: { authorization: "", cookie } });
    expect(await me.json()).toMatchObject({ user: { name: "Grace", email: NEW }, org: { role: "billing" } });
    expect((await anonymously(t, "/v1/invitations/accept", { token })).status).toBe(404);
    expect((await admin.send<InvitationList>("GET", "/v1/invitations")).body.items).toEqual([]);
    const acts = await statement(
      t.store,
      "SELECT action FROM audit_events WHERE action LIKE 'invitation.%' ORDER BY seq",
    );
    expect(acts).toEqual([{ action: "invitation.create" }, { action: "invitation.accept" }]);
  });

  test("lets who is new choose a password, a good one, and sign in with it later", async () => {
    await using t = await testApp();
    const { token } = await invite(await person(t, "admin"));
    const weak = await anonymously(t, "/v1/invitations/accept", { token, password: "short" });
    expect(weak.status).toBe(422);
    const password = "correct horse battery";
    expect((await anonymously(t, "/v1/invitations/accept", { token, password })).status).toBe(200);
    const again = await anonymously(t, "/v1/session/password", { email: NEW, password });
    expect(again.headers.get("set-cookie")).toStartWith("product_session=");
  });

  test("is accepted by one of two at once", async () => {
    await using t = await testApp();
    const { token } = await invite(await person(t, "admin"));
    const both = await Promise.all([1, 2].map(() => anonymously(t, "/v1/invitations/accept", { token })));
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 404]);
  });

  test("waits until who has an account has signed in with its address, and then leads there", async () => {
    await using t = await testApp();
    const other = await secondOrg(t);
    const grace = await person(t, "member", { orgId: other.orgId, email: NEW });
    const eve = await person(t, "member", { orgId: other.orgId });
    const { token } = await invite(await person(t, "admin"));
    expect((await anonymously(t, "/v1/invitations/accept", { token })).status).toBe(401);
    const asEve = await eve.send("POST", "/v1/invitations/accept", { token });
    expect(asEve.status).toBe(403);
    expect((await grace.send("POST", "/v1/invitations/accept", { token })).status).toBe(200);
    expect((await grace.send("GET", "/api/v1/me")).body).toMatchObject({
      org: { id: t.orgId, role: "member" },
    });
    expect((await eve.send("GET", "/api/v1/me")).body).toMatchObject({ org: { id: other.orgId } });
  });

  test("leaves a member in the role that they have", async () => {
    await using t = await testApp();
    const admin = await person(t, "admin");
    const grace = await person(t, "member", { email: NEW });
    const { token } = await invite(admin, NEW, "billing");
    expect((await grace.send("POST", "/v1/invitations/accept", { token })).status).toBe(200);
    expect(await members(admin)).toContain(`${NEW} member`);
  });

  test("is answered the same whether somebody of the address is known or not", async () => {
    await using t = await testApp();
    const other = await secondOrg(t);
    await person(t, "member", { orgId: other.orgId, email: "known@people.example" });
    const admin = await person(t, "admin");
    const shapes = await Promise.all(
      ["known@people.example", "unknown@people.example"].map(async (email) => {
        const { status, body, token } = await invite(admin, email);
        const opened = await (await anonymously(t, "/v1/invitations/open", { token })).json();
        return [status, Object.keys(body), Object.keys(opened as object), body.is_mailed];
      }),
    );
    expect(shapes[0]).toEqual(shapes[1]!);
  });

  test("works for 7 days, until it is revoked, or until its address is invited again", async () => {
    await using t = await testApp();
    const admin = await person(t, "admin");
    const open = async (token: string) => (await anonymously(t, "/v1/invitations/open", { token })).status;
    const first = await invite(admin);
    const second = await invite(admin, NEW, "admin");
    expect([await open(first.token), await open(second.token)]).toEqual([404, 200]);
    const listed = await admin.send<InvitationList>("GET", "/v1/invitations");
    expect(listed.body.items).toMatchObject([{ email: NEW, role: "admin" }]);
    expect((await admin.send("DELETE", `/v1/invitations/${second.body.id}`)).status).toBe(204);
    expect((await admin.send("DELETE", `/v1/invitations/${second.body.id}`)).status).toBe(404);
    expect(await open(second.token)).toBe(404);
    const third = await invite(admin);
    t.clock.advance(7 * DAY - 1);
    expect(await open(third.token)).toBe(200);
    t.clock.advance(1);
    expect(await open(third.token)).toBe(404);
    expect((await anonymously(t, "/v1/invitations/accept", { token: third.token })).status).toBe(404);
    expect((await admin.send<InvitationList>("GET", "/v1/invitations")).body.items).toEqual([]);
  });

  test("into owning is made by an owner alone; of another org it cannot be revoked", async () => {
    await using t = await testApp();
    const admin = await person(t, "admin");
    const owner = await person(t, "owner");
    const other = await secondOrg(t);
    expect((await invite(admin, NEW, "owner")).status).toBe(403);
    expect((await invite(owner, NEW, "owner")).status).toBe(201);
    const theirs = await invite(other.owner);
    expect((await admin.send("DELETE", `/v1/invitations/${theirs.body.id}`)).status).toBe(403);
  });

  test("goes to one plain address, and by a page of this server", async () => {
    await using t = await testApp();
    const admin = await person(t, "admin");
    for (const email of [
      "nobody",
      "a@b.example, c@d.example",
      "a@b.example\r\nBcc: c@d.example",
      "@b.example",
    ])
      expect((await invite(admin, email)).status).toBe(422);
    const { token } = await invite(admin);
    const foreign = { origin: "https://evil.example" };
    expect((await anonymously(t, "/v1/invitations/accept", { token }, foreign)).status).toBe(403);
    expect((await anonymously(t, "/v1/invitations/open", { token: "x" })).status).toBe(404);
  });

  test("keeps its token out of the records, the log and the audit log; the mail with it is sealed", async () => {
    await using t = await testApp();
    const { token } = await invite(await person(t, "admin"));
    await anonymously(t, "/v1/invitations/open", { token });
    const tables = await statement<{ name: string }>(
      t.store,
      "SELECT name FROM sqlite_master WHERE type = 'table'",
    );
    for (const { name } of tables) {
      if (name.startsWith("traces_fts")) continue;
      const rows = await statement(t.store, `SELECT * FROM "${name}"`);
      const text = rows
        .flatMap((row) => Object.values(row))
        .map((value) =>
          value instanceof Uint8Array ? Buffer.from(value).toString("latin1") : String(value),
        );
      expect([name, text.filter((one) => one.includes(token))]).toEqual([name, []]);
    }
    expect(t.logged.filter((line) => line.includes(token))).toEqual([]);
  });

  test("takes nobody in where people sign in by the identity provider alone, and stays open", async () => {
    await using t = await testApp({
      settings: { sso: { issuer: "https://idp.example", client_id: "c", client_secret: "s" } },
    });
    const other = await secondOrg(t);
    const admin = await person(t, "admin");
    const eve = await person(t, "member", { orgId: other.orgId, email: "eve@people.example" });
    const { token } = await invite(admin);
    const refused = await anonymously(t, "/v1/invitations/accept", {
      token,
      password: "correct horse battery",
    });
    expect([refused.status, refused.headers.get("set-cookie")]).toEqual([403, null]);
    const forEve = await invite(admin, "eve@people.example");
    expect((await eve.send("POST", "/v1/invitations/accept", { token: forEve.token })).status).toBe(403);
    const shown = await members(admin);
    expect(shown.filter((member) => member.includes(NEW) || member.includes("eve@"))).toEqual([]);
    expect((await admin.send<InvitationList>("GET", "/v1/invitations")).body.items).toHaveLength(2);
  });
});
