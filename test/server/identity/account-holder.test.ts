import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type TestApp, testApp } from "../../helpers/app.ts";
import { type Mailbox, startMailbox } from "../../helpers/mailbox.ts";
import { person, secondOrg, signedIn } from "../../helpers/org-people.ts";
import { cookieOf, FROM_PAGE } from "../../helpers/people.ts";
import { type Directory, directory, MANY_REQUESTS, scimToken } from "../../helpers/scim.ts";
import { statement } from "../../helpers/statement.ts";

const PASSWORD = "mallory knows this";
let t: TestApp;
let box: Mailbox;
let shop: Directory;
let evil: { orgId: string; scim: Directory; owner: Awaited<ReturnType<typeof person>> };
beforeAll(async () => {
  box = await startMailbox();
  const smtp = { host: "127.0.0.1", port: box.port, from: "Tracedeck <deck@shop.example>" };
  t = await testApp({
    settings: {
      rate_limits: {
        ...MANY_REQUESTS.rate_limits,
        anonymous: { sign_ins_per_minute: 1000, failed_authentications_per_minute: 1000 },
      },
      notifications: { smtp },
    },
  });
  shop = directory(t.api, await scimToken(t));
  const other = await secondOrg(t, "evil");
  const key = other.headers.authorization.replace("Bearer ", "");
  evil = { ...other, scim: directory(t.api, await scimToken(t, key)) };
});
afterAll(async () => {
  await t.close();
  await box.close();
});

const post = (path: string, body: object, headers: Record<string, string> = FROM_PAGE) =>
  t.api(path, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
const reaches = async (cookie: string, orgId = t.orgId) =>
  (await t.api("/v1/traces", { headers: { authorization: "", cookie, "x-org-id": orgId } })).status;
const byPassword = async (email: string) =>
  (await post("/v1/session/password", { email, password: PASSWORD })).status;
const account = async (email: string) =>
  (await statement(t.store, "SELECT id, email_confirmed_at FROM users WHERE email = ?", email))[0] as
    | { id: string; email_confirmed_at: number | null }
    | undefined;

/** Follows the link that was mailed to an address. @returns the cookie */
async function byMail(email: string): Promise<string> {
  const before = box.mails.length;
  expect((await post("/v1/session/magic-link", { email })).status).toBe(202);
  await t.runJobs();
  const mail = box.mails.slice(before).find(({ to }) => to?.[0]?.address === email);
  const code = /code=([\w-]+)/.exec(mail?.text ?? "")?.[1] ?? "";
  const used = await post("/v1/session/magic-link/use", { code });
  expect(used.status).toBe(200);
  return cookieOf(used)!;
}

async function setPassword(cookie: string): Promise<void> {
  const set = await t.api("/v1/profile/password", {
    method: "PUT",
    headers: { ...FROM_PAGE, cookie, "content-type": "application/json" },
    body: JSON.stringify({ new_password: PASSWORD }),
  });
  expect(set.status).toBe(204);
}

const rename = (scim: Directory, id: string, email: string) =>
  scim.patch(`/Users/${id}`, [{ op: "replace", path: "emails", value: [{ value: email, primary: true }] }]);

/** An account that an org's directory has made, with a session and a password of somebody who never showed to hold the address. */
async function planted(email: string) {
  const made = await evil.scim.user(`planted ${email}`, { emails: [{ value: email, primary: true }] });
  const { id } = (await account(email))!;
  const { headers } = await signedIn(t, { userId: id, orgId: evil.orgId });
  await setPassword(headers.cookie!);
  return { scimId: made.id as string, id, cookie: headers.cookie! };
}

describe("an account whose address a directory changes", () => {
  test("is nobody's until its new holder comes: sessions, password, accounts elsewhere and links end", async () => {
    const { scimId, id, cookie } = await planted("mallory@evil.example");
    await statement(
      t.store,
      "INSERT INTO external_accounts (issuer, subject, user_id, created_at) VALUES ('https://host', 'mallory', ?, 1)",
      id,
    );
    expect(await reaches(cookie, evil.orgId)).toBe(200);
    expect((await rename(evil.scim, scimId, "victim@shop.example")).status).toBe(200);
    expect(await reaches(cookie, evil.orgId)).toBe(401);
    expect(await byPassword("victim@shop.example")).toBe(401);
    expect(await statement(t.store, "SELECT * FROM external_accounts WHERE user_id = ?", id)).toEqual([]);
    await shop.user("victim@shop.example");
    expect(await reaches(cookie)).toBe(401);
    expect(await byPassword("victim@shop.example")).toBe(401);
    expect(await reaches(await byMail("victim@shop.example"))).toBe(200);
    const audited = await statement(
      t.store,
      "SELECT detail FROM audit_events WHERE action = 'user.reset' AND target = ?",
      id,
    );
    expect(audited).toEqual([{ detail: '{"sessions_ended":1,"accounts_removed":1,"had_password":true}' }]);
  });

  test("follows the new one when the old was confirmed too: its holder signs in there, and is told at the old one", async () => {
    const made = await shop.user("bob.smith@shop.example");
    const cookie = await byMail("bob.smith@shop.example");
    await setPassword(cookie);
    const { id } = (await account("bob.smith@shop.example"))!;
    const before = box.mails.length;
    expect((await rename(shop, made.id as string, "bob.jones@shop.example")).status).toBe(200);
    expect(await account("bob.smith@shop.example")).toBeUndefined();
    expect(await account("bob.jones@shop.example")).toEqual({ id, email_confirmed_at: null });
    expect(await reaches(cookie)).toBe(401);
    expect(await byPassword("bob.jones@shop.example")).toBe(401);
    await t.runJobs();
    expect(box.mails.slice(before).map(({ to, subject }) => [to?.[0]?.address, subject])).toEqual([
      ["bob.smith@shop.example", "Your address in Tracedeck was changed"],
    ]);
    expect(await reaches(await byMail("bob.jones@shop.example"))).toBe(200);
    expect((await account("bob.jones@shop.example"))?.id).toBe(id);
    // A name alone ends nothing.
    const theirs = await byMail("bob.jones@shop.example");
    await shop.patch(`/Users/${made.id}`, [{ op: "replace", value: { displayName: "Robert" } }]);
    expect(await reaches(theirs)).toBe(200);
  });

  test("keeps a confirmed one that another org shares, and what gets its holder in", async () => {
    const made = await evil.scim.user("kim@shop.example");
    await shop.user("kim@shop.example");
    const cookie = await byMail("kim@shop.example");
    await setPassword(cookie);
    expect((await rename(evil.scim, made.id as string, "kims-victim@shop.example")).status).toBe(200);
    expect(await account("kims-victim@shop.example")).toBeUndefined();
    expect(await reaches(cookie)).toBe(200);
    expect(await byPassword("kim@shop.example")).toBe(200);
  });
});

describe("an account whose address nobody has confirmed", () => {
  test("comes into an org by its directory without whoever had it before", async () => {
    const { cookie } = await planted("ada@shop.example");
    await shop.user("ada@shop.example");
    expect(await reaches(cookie)).toBe(401);
    expect(await byPassword("ada@shop.example")).toBe(401);
  });

  test("is its holder's alone once they have followed a link in their mail", async () => {
    const { cookie, id } = await planted("eve@shop.example");
    const theirs = await byMail("eve@shop.example");
    expect(await reaches(cookie, evil.orgId)).toBe(401);
    expect(await byPassword("eve@shop.example")).toBe(401);
    expect((await account("eve@shop.example"))?.email_confirmed_at).toBe(t.clock.now());
    // From now on nobody takes it from them.
    await setPassword(theirs);
    await shop.user("eve@shop.example");
    expect(await reaches(theirs)).toBe(200);
    expect(await byPassword("eve@shop.example")).toBe(200);
    expect((await account("eve@shop.example"))?.id).toBe(id);
  });

  test("comes in by an invitation with the session that accepts it alone, and signing in leads there", async () => {
    const { cookie, id } = await planted("ivy@shop.example");
    const { headers } = await signedIn(t, { userId: id, orgId: evil.orgId });
    const owner = await person(t, "owner");
    const invited = await owner.send<{ url: string }>("POST", "/v1/invitations", {
      ...{ email: "ivy@shop.example", role: "member" },
    });
    const token = invited.body.url.split("#")[1]!;
    expect((await post("/v1/invitations/accept", { token }, { ...FROM_PAGE, ...headers })).status).toBe(200);
    expect(await reaches(headers.cookie!)).toBe(200);
    expect(await reaches(cookie)).toBe(401);
    expect(await byPassword("ivy@shop.example")).toBe(401);
    const [user] = await statement(t.store, "SELECT default_org_id FROM users WHERE id = ?", id);
    expect(user).toEqual({ default_org_id: t.orgId });
  });
});

describe("an address whose holder has left every org", () => {
  /** Somebody whom the shop's directory has made, who confirmed the address, chose a password, and left. */
  async function left(email: string): Promise<string> {
    const made = await shop.user(email);
    await setPassword(await byMail(email));
    const { id } = (await account(email))!;
    await statement(
      t.store,
      "INSERT INTO external_accounts (issuer, subject, user_id, created_at) VALUES ('https://host', ?, ?, 1)",
      ...[email, id],
    );
    expect((await shop.remove(`/Users/${made.id}`)).status).toBe(204);
    return id;
  }

  test("may be another person's when a directory brings it again: nothing of the former gets in", async () => {
    const id = await left("sam@shop.example");
    await shop.user("sam@shop.example");
    expect(await byPassword("sam@shop.example")).toBe(401);
    expect(await statement(t.store, "SELECT * FROM external_accounts WHERE user_id = ?", id)).toEqual([]);
    const cookie = await byMail("sam@shop.example");
    expect(await reaches(cookie)).toBe(200);
    await setPassword(cookie);
    expect(await byPassword("sam@shop.example")).toBe(200);
  });

  test("is its new holder's alone when they come by an invitation and a link in their mail", async () => {
    const id = await left("pat@shop.example");
    const owner = await person(t, "owner");
    const invited = await owner.send("POST", "/v1/invitations", {
      email: "pat@shop.example",
      role: "member",
    });
    expect(invited.status).toBe(201);
    // Its mail is not the one with the link to sign in.
    await t.runJobs();
    const cookie = await byMail("pat@shop.example");
    expect(await reaches(cookie)).toBe(200);
    expect(await byPassword("pat@shop.example")).toBe(401);
    expect(await statement(t.store, "SELECT * FROM external_accounts WHERE user_id = ?", id)).toEqual([]);
  });

  test("is still its holder's when the same person of the directory is active again", async () => {
    const made = await shop.user("max@shop.example");
    await setPassword(await byMail("max@shop.example"));
    for (const active of [false, true])
      await shop.patch(`/Users/${made.id}`, [{ op: "replace", path: "active", value: active }]);
    expect(await byPassword("max@shop.example")).toBe(200);
  });
});

test("a link that somebody else may read in an outbox confirms nothing", async () => {
  const open = await testApp();
  try {
    const other = await secondOrg(open, "evil");
    await other.owner.send("POST", "/v1/invitations", { email: "victim@shop.example", role: "member" });
    const asked = await open.api("/v1/session/magic-link", {
      method: "POST",
      headers: { ...FROM_PAGE, "content-type": "application/json" },
      body: JSON.stringify({ email: "victim@shop.example" }),
    });
    expect(asked.status).toBe(202);
    await open.runJobs();
    const code = /code=(\w+)/.exec(open.told.at(-1)!)?.[1];
    const used = await open.api("/v1/session/magic-link/use", {
      method: "POST",
      headers: { ...FROM_PAGE, "content-type": "application/json" },
      body: JSON.stringify({ code }),
    });
    const cookie = cookieOf(used)!;
    expect(
      await statement(open.store, "SELECT email FROM users WHERE email_confirmed_at IS NOT NULL"),
    ).toEqual([]);
    await directory(open.api, await scimToken(open)).user("victim@shop.example");
    const read = await open.api("/v1/traces", {
      headers: { authorization: "", cookie, "x-org-id": open.orgId },
    });
    expect(read.status).toBe(401);
  } finally {
    await open.close();
  }
});
