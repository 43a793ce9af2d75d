import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createOrg } from "../../../../server/identity/orgs.ts";
import { type TestApp, testApp } from "../../../helpers/app.ts";
import { signedIn } from "../../../helpers/org-people.ts";
import {
  type Directory,
  directory,
  GROUP,
  type Json,
  MANY_REQUESTS,
  scimToken,
  USER,
} from "../../../helpers/scim.ts";
import { statement } from "../../../helpers/statement.ts";

let t: TestApp;
let scim: Directory;
let other: { orgId: string; scim: Directory };
beforeAll(async () => {
  t = await testApp({ settings: MANY_REQUESTS });
  scim = directory(t.api, await scimToken(t));
  const { org_id, api_key } = await createOrg(t.deps, "elsewhere");
  other = { orgId: org_id, scim: directory(t.api, await scimToken(t, api_key)) };
});
afterAll(() => t.close());

interface Account {
  id: string;
  email: string;
  name: string;
}
const accountOf = async (email: string) =>
  (
    await statement(t.store, "SELECT id, email, name FROM users WHERE email = ?", email)
  )[0] as unknown as Account;
const roleOf = async (email: string, orgId = t.orgId) =>
  (
    (await statement(
      t.store,
      "SELECT role FROM memberships m JOIN users u ON u.id = m.user_id WHERE u.email = ? AND m.org_id = ?",
      email,
      orgId,
    )) as { role: string }[]
  )[0]?.role;

/** Signs somebody in, as a link of theirs would. @returns the cookie */
async function signIn(email: string, orgId = t.orgId): Promise<string> {
  return (await signedIn(t, { userId: (await accountOf(email)).id, orgId })).headers.cookie!;
}
const me = (cookie: string) => t.api("/api/v1/me", { headers: { cookie, authorization: "" } });
const setActive = (id: string, active: unknown) =>
  scim.patch(`/Users/${id}`, [{ op: "Replace", path: "active", value: active }]);

describe("a user of the directory", () => {
  test("becomes a member, with an account of the primary address", async () => {
    await scim.user("grace", {
      name: { givenName: "Grace", familyName: "Hopper" },
      emails: [{ value: "g@home.example" }, { value: "grace@shop.example", primary: true }],
    });
    expect(await accountOf("grace@shop.example")).toMatchObject({ name: "Grace Hopper" });
    expect(await roleOf("grace@shop.example")).toBe("member");
  });

  test("that is not active is no member until it is", async () => {
    const made = await scim.user("later@shop.example", { active: false });
    expect(await roleOf("later@shop.example")).toBeUndefined();
    expect((await setActive(made.id, "True")).body.active).toBe(true);
    expect(await roleOf("later@shop.example")).toBe("member");
  });

  test("loses sessions and personal tokens at once, and keys of the org go on; the same user comes back", async () => {
    const made = await scim.user("leaver@shop.example");
    const account = await accountOf("leaver@shop.example");
    const cookie = await signIn("leaver@shop.example");
    expect((await me(cookie)).status).toBe(200);
    for (const kind of ["pat", "sk"])
      await statement(
        t.store,
        `INSERT INTO api_keys (id, org_id, user_id, kind, name, prefix, hash, scopes, created_at)
          VALUES (?, ?, ?, ?, 'x', 'x', ?, '[]', 1)`,
        ...[`${kind}-of-leaver`, t.orgId, account.id, kind, `${kind}-hash`],
      );
    expect((await setActive(made.id, "False")).body.active).toBe(false);
    expect((await me(cookie)).status).toBe(401);
    expect(await roleOf("leaver@shop.example")).toBeUndefined();
    const keys = await statement(
      t.store,
      "SELECT kind FROM api_keys WHERE user_id = ? AND revoked_at IS NULL",
      account.id,
    );
    expect(keys).toEqual([{ kind: "sk" }]);
    await setActive(made.id, true);
    expect(await roleOf("leaver@shop.example")).toBe("member");
    expect((await accountOf("leaver@shop.example")).id).toBe(account.id);
  });

  test("that is deleted leaves the org and its groups, and is another resource when it is made again", async () => {
    const made = await scim.user("gone@shop.example");
    const cookie = await signIn("gone@shop.example");
    const group = await scim.group("Leavers", [made.id]);
    expect((await scim.remove(`/Users/${made.id}`)).status).toBe(204);
    expect((await scim.get(`/Users/${made.id}`)).status).toBe(404);
    expect((await scim.remove(`/Users/${made.id}`)).status).toBe(404);
    expect((await me(cookie)).status).toBe(401);
    expect((await scim.get(`/Groups/${group.id}`)).body).not.toHaveProperty("members");
    const again = await scim.user("gone@shop.example");
    expect(again.id).not.toBe(made.id);
    expect(await roleOf("gone@shop.example")).toBe("member");
  });

  test("that is the org's last owner cannot be deprovisioned, in words", async () => {
    const owner = await scim.user("boss", { emails: [{ value: "owner@local.invalid" }] });
    expect(await roleOf("owner@local.invalid")).toBe("owner");
    for (const reply of [await setActive(owner.id, false), await scim.remove(`/Users/${owner.id}`)]) {
      expect(reply.status).toBe(409);
      expect(reply.body.detail).toContain("last owner");
    }
    expect(await roleOf("owner@local.invalid")).toBe("owner");
    expect((await scim.get(`/Users/${owner.id}`)).body.active).toBe(true);
  });

  test("of two owners who are deprovisioned at once one stays", async () => {
    const made = await createOrg(t.deps, "two-owners");
    const theirs = directory(t.api, await scimToken(t, made.api_key));
    const first = await theirs.user("first", { emails: [{ value: "owner@two-owners.invalid" }] });
    const second = await theirs.user("second@two.example");
    await statement(t.store, "UPDATE memberships SET role = 'owner' WHERE org_id = ?", made.org_id);
    const replies = await Promise.all([
      theirs.remove(`/Users/${first.id}`),
      theirs.remove(`/Users/${second.id}`),
    ]);
    expect(replies.map(({ status }) => status).sort()).toEqual([204, 409]);
  });
});

describe("an account that there is already", () => {
  test("joins, whatever the case of its address, and neither its name nor its address is taken over", async () => {
    await other.scim.user("Shared@Shop.example", { displayName: "As elsewhere says" });
    const account = await accountOf("shared@shop.example");
    const made = await scim.user("shared@shop.example", { displayName: "As local says" });
    expect(await roleOf("shared@shop.example")).toBe("member");
    expect(await roleOf("shared@shop.example", other.orgId)).toBe("member");
    for (const [directoryOf, name] of [
      [scim, "mallory@evil.example"],
      [other.scim, "mallory2@evil.example"],
    ] as const) {
      const { id } = (await directoryOf.find("Users", 'userName eq "shared@shop.example"')).body.Resources[0];
      const changed = await directoryOf.patch(`/Users/${id}`, [
        {
          op: "replace",
          value: { displayName: "Mallory", userName: name, emails: [{ value: name, primary: true }] },
        },
      ]);
      expect([changed.status, changed.body.userName]).toEqual([200, name]);
      expect(await accountOf("shared@shop.example")).toEqual(account);
    }
    expect((await scim.remove(`/Users/${made.id}`)).status).toBe(204);
    expect(await roleOf("shared@shop.example")).toBeUndefined();
    expect(await roleOf("shared@shop.example", other.orgId)).toBe("member");
  });

  test("keeps its sessions of other orgs when one org's directory lets it go", async () => {
    await other.scim.user("both@shop.example");
    const made = await scim.user("both@shop.example");
    const elsewhere = await signIn("both@shop.example", other.orgId);
    await setActive(made.id, false);
    expect((await me(elsewhere)).status).toBe(200);
    const here = await t.api("/api/v1/me", {
      headers: { cookie: elsewhere, authorization: "", "x-org-id": t.orgId },
    });
    expect(here.status).toBe(403);
  });

  test("follows the directory that made it while no other org shares it", async () => {
    const made = await scim.user("maiden@shop.example", { displayName: "Before" });
    const { id } = await accountOf("maiden@shop.example");
    await scim.patch(`/Users/${made.id}`, [
      { op: "replace", path: "userName", value: "married@shop.example" },
      { op: "replace", path: "displayName", value: "After" },
    ]);
    expect(await accountOf("married@shop.example")).toEqual({
      id,
      email: "married@shop.example",
      name: "After",
    });
    const taken = await scim.patch(`/Users/${made.id}`, [
      { op: "replace", path: "userName", value: "grace@shop.example" },
    ]);
    expect([taken.status, taken.body.scimType]).toEqual([409, "uniqueness"]);
  });
});

const setRoles = async (items: Json[], headers: Record<string, string> = {}) =>
  t.api("/v1/scim/roles", {
    method: "PUT",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify({ items }),
  });
/** The owner's cookie, as a page sends it. */
const owner = async () => ({
  cookie: await signIn("owner@local.invalid"),
  origin: "http://localhost",
  authorization: "",
});

describe("groups give roles", () => {
  test("that people of the org have said, at once and for as long as somebody is in them; never owner", async () => {
    const asOwner = await owner();
    expect((await setRoles([{ group: "Admins", role: "owner" }], asOwner)).status).toBe(422);
    expect(
      (
        await setRoles(
          [
            { group: "A", role: "admin" },
            { group: "a", role: "billing" },
          ],
          asOwner,
        )
      ).status,
    ).toBe(422);
    // A directory's token must not raise itself.
    expect((await setRoles([{ group: "Admins", role: "admin" }])).status).toBe(403);
    const roles = [
      { group: "Admins", role: "admin" },
      { group: "Bookkeepers", role: "billing" },
    ];
    expect((await setRoles(roles, asOwner)).status).toBe(200);
    const one = await scim.user("one@shop.example");
    const cookie = await signIn("one@shop.example");
    expect((await me(cookie)).status).toBe(200);
    const admins = await scim.group("ADMINS", [one.id]);
    expect(await roleOf("one@shop.example")).toBe("admin");
    expect(((await (await me(cookie)).json()) as Json).org.role).toBe("admin");
    await scim.group("Bookkeepers", [one.id]);
    expect(await roleOf("one@shop.example")).toBe("admin");
    await scim.patch(`/Groups/${admins.id}`, [{ op: "remove", path: `members[value eq "${one.id}"]` }]);
    expect(await roleOf("one@shop.example")).toBe("billing");
    await scim.patch(`/Groups/${admins.id}`, [{ op: "add", path: "members", value: [{ value: one.id }] }]);
    await setActive(one.id, false);
    await setActive(one.id, true);
    expect(await roleOf("one@shop.example")).toBe("admin");
    await scim.patch(`/Groups/${admins.id}`, [{ op: "replace", value: { displayName: "Former admins" } }]);
    expect(await roleOf("one@shop.example")).toBe("billing");
    await setRoles([{ group: "former admins", role: "admin" }], asOwner);
    expect(await roleOf("one@shop.example")).toBe("admin");
    expect((await scim.remove(`/Groups/${admins.id}`)).status).toBe(204);
    expect(await roleOf("one@shop.example")).toBe("member");
  });

  test("and an owner stays one, and who was made admin by hand too", async () => {
    const asOwner = await owner();
    await setRoles([{ group: "Billing", role: "billing" }], asOwner);
    const boss = (await scim.find("Users", 'userName eq "boss"')).body.Resources[0];
    const byHand = await scim.user("byhand@shop.example");
    await statement(
      t.store,
      "UPDATE memberships SET role = 'admin' WHERE user_id = ?",
      (await accountOf("byhand@shop.example")).id,
    );
    await scim.group("Billing", [boss.id]);
    await scim.group("Unmapped", [byHand.id]);
    expect(await roleOf("owner@local.invalid")).toBe("owner");
    expect(await roleOf("byhand@shop.example")).toBe("admin");
  });
});

test("a session of somebody who may not manage the org is refused, in the form of whom it asks", async () => {
  await scim.user("plain@shop.example");
  const headers = {
    cookie: await signIn("plain@shop.example"),
    authorization: "",
    origin: "http://localhost",
  };
  const users = await t.api("/api/v1/scim/v2/Users", { headers });
  expect([users.status, ((await users.json()) as Json).status]).toEqual([403, "403"]);
  const status = await t.api("/v1/scim", { headers });
  expect([status.status, ((await status.json()) as Json).error]).toEqual([403, "insufficient_scope"]);
  expect((await setRoles([], headers)).status).toBe(403);
});

describe("what a directory does", () => {
  test("stands in the audit, each change once, and a refusal not at all", async () => {
    const actions = async () =>
      (
        (await statement(
          t.store,
          "SELECT action FROM audit_events WHERE action LIKE 'scim.%' ORDER BY seq",
        )) as { action: string }[]
      ).map(({ action }) => action);
    const before = (await actions()).length;
    const made = await scim.user("audited@shop.example");
    await scim.post("/Users", { schemas: [USER], userName: "audited@shop.example" });
    await setActive(made.id, false);
    await setActive(made.id, false);
    const group = await scim.group("Audited", [made.id]);
    await scim.put(`/Groups/${group.id}`, { schemas: [GROUP], displayName: "Audited" });
    await scim.remove(`/Groups/${group.id}`);
    await scim.remove(`/Users/${made.id}`);
    expect((await actions()).slice(before)).toEqual([
      "scim.user.create",
      "scim.user.update",
      "scim.group.create",
      "scim.group.update",
      "scim.group.delete",
      "scim.user.delete",
    ]);
  });

  test("is seen with what was refused in the last day, in words, and tokens that are due", async () => {
    await scim.post("/Users", { schemas: [USER] });
    const status = async () => (await (await t.api("/v1/scim")).json()) as Json;
    const now = await status();
    expect(now).toMatchObject({
      base_url: "http://localhost/api/v1/scim/v2",
      last_request_at: new Date(t.clock.now()).toISOString(),
    });
    expect(now.users.total).toBeGreaterThan(now.users.active);
    expect(now.groups.total).toBeGreaterThan(0);
    expect(now.errors[0]).toMatchObject({
      method: "POST",
      path: "/api/v1/scim/v2/Users",
      status: 400,
      detail: '"userName" is missing.',
    });
    expect(now.tokens).toHaveLength(1);
    expect(now.tokens[0]).toMatchObject({ name: "directory", is_due: false });
    t.clock.advance(91 * 24 * 60 * 60_000);
    expect(await status()).toMatchObject({ errors: [], tokens: [{ is_due: true }] });
  });

  test("is kept within bounds where everything is refused", async () => {
    for (let at = 0; at < 120; at++) await scim.post("/Users", { schemas: [USER] });
    expect(((await (await t.api("/v1/scim")).json()) as Json).errors).toHaveLength(100);
  });
});
