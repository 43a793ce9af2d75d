import { describe, expect, test } from "bun:test";
import type { MemberList } from "../../../server/identity/members/model.ts";
import { insertApiKey } from "../../../store/records/identity.ts";
import { listMembers, removeMember, setRole } from "../../../store/records/members.ts";
import { testApp } from "../../helpers/app.ts";
import { person, secondOrg, signedIn } from "../../helpers/org-people.ts";
import { statement } from "../../helpers/statement.ts";

const acts = async (t: Awaited<ReturnType<typeof testApp>>, orgId = t.orgId) =>
  (
    await statement<{ action: string }>(
      t.store,
      `SELECT action FROM audit_events WHERE org_id = '${orgId}' ORDER BY seq`,
    )
  ).map(({ action }) => action);

describe("members", () => {
  test("are listed a page at a time, with who asks marked", async () => {
    await using t = await testApp();
    const admin = await person(t, "admin");
    const member = await person(t, "member");
    const first = await admin.send<MemberList>("GET", "/v1/members?limit=2");
    expect(first.body.items.map((one) => [one.role, one.is_you])).toEqual([
      ["owner", false],
      ["admin", true],
    ]);
    const rest = await admin.send<MemberList>("GET", `/v1/members?limit=2&cursor=${first.body.next_cursor}`);
    expect(rest.body).toMatchObject({ items: [{ user_id: member.userId }], next_cursor: null });
    expect((await member.send("GET", "/v1/members")).status).toBe(403);
  });

  test("have another role at once, both ways, and it is audited", async () => {
    await using t = await testApp();
    const admin = await person(t, "admin");
    const member = await person(t, "member");
    expect((await member.send("GET", "/v1/secrets")).status).toBe(403);
    const path = `/v1/members/${member.userId}`;
    expect((await admin.send("PATCH", path, { role: "admin" })).body).toMatchObject({ role: "admin" });
    expect((await member.send("GET", "/v1/secrets")).status).toBe(200);
    await admin.send("PATCH", path, { role: "billing" });
    expect((await member.send("GET", "/v1/traces")).status).toBe(403);
    expect((await acts(t)).filter((act) => act === "member.role")).toHaveLength(2);
  });

  test("do not come back by an invitation of their own, nor to a role that theirs cannot give any more", async () => {
    await using t = await testApp();
    const owner = await person(t, "owner");
    const invite = async (by: typeof owner, email: string, role: string) => {
      const made = await by.send<{ url: string }>("POST", "/v1/invitations", { email, role });
      expect(made.status).toBe(201);
      return made.body.url.split("#")[1]!;
    };
    const works = async (token: string) =>
      (
        await owner.call("/v1/invitations/open", {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ token }),
        })
      ).status;
    const [gone, leaver, lowered, second] = await Promise.all([
      person(t, "admin"),
      person(t, "admin"),
      person(t, "admin"),
      person(t, "owner"),
    ]);
    const [ofGone, ofLeaver, ofLowered] = [
      await invite(gone, "gone@home.example", "admin"),
      await invite(leaver, "leaver@home.example", "member"),
      await invite(lowered, "lowered@home.example", "admin"),
    ];
    const [toOwn, toWork] = [
      await invite(second, "owning@home.example", "owner"),
      await invite(second, "working@home.example", "member"),
    ];
    expect((await owner.send("DELETE", `/v1/members/${gone.userId}`)).status).toBe(204);
    expect((await leaver.send("POST", `/v1/orgs/${t.orgId}/leave`)).status).toBe(204);
    expect((await owner.send("PATCH", `/v1/members/${lowered.userId}`, { role: "member" })).status).toBe(200);
    expect((await owner.send("PATCH", `/v1/members/${second.userId}`, { role: "admin" })).status).toBe(200);
    for (const token of [ofGone, ofLeaver, ofLowered, toOwn]) expect(await works(token)).toBe(404);
    expect(await works(toWork)).toBe(200);
  });

  test("lose sessions and personal tokens in the org at once, and nothing elsewhere", async () => {
    await using t = await testApp();
    const admin = await person(t, "admin");
    const other = await secondOrg(t);
    const member = await person(t, "member");
    await statement(
      t.store,
      `INSERT INTO memberships VALUES ('${other.orgId}', '${member.userId}', 'member', 1)`,
    );
    const elsewhere = await signedIn(t, { userId: member.userId, orgId: other.orgId });
    const key = (id: string, kind: "pat" | "sk") => ({
      ...{ id, org_id: t.orgId, user_id: member.userId, kind, name: id, prefix: id, hash: id, scopes: "[]" },
      ...{ created_at: 1, expires_at: null, revoked_at: null, last_used_at: null },
    });
    await insertApiKey(t.store.records, key("pat", "pat"));
    await insertApiKey(t.store.records, key("sk", "sk"));
    expect((await member.send("GET", "/v1/traces")).status).toBe(200);
    expect((await elsewhere.send("GET", "/v1/traces")).status).toBe(200);

    expect((await admin.send("DELETE", `/v1/members/${member.userId}`)).status).toBe(204);

    expect((await member.send("GET", "/v1/traces")).status).toBe(401);
    expect((await elsewhere.send("GET", "/v1/traces")).status).toBe(200);
    const asked = { headers: { "x-org-id": t.orgId } };
    expect((await elsewhere.call("/v1/traces", asked)).status).toBe(403);
    const revoked = await statement(t.store, "SELECT id FROM api_keys WHERE revoked_at IS NOT NULL");
    expect(revoked).toEqual([{ id: "pat" }]);
    expect(await acts(t)).toContain("member.remove");
  });

  test("who are owners are changed by owners alone, by no key either", async () => {
    await using t = await testApp();
    const admin = await person(t, "admin");
    const owner = await signedIn(t, { userId: t.userId });
    const path = `/v1/members/${t.userId}`;
    expect((await admin.send("PATCH", path, { role: "member" })).status).toBe(403);
    expect((await admin.send("DELETE", path)).status).toBe(403);
    expect((await admin.send("PATCH", `/v1/members/${admin.userId}`, { role: "owner" })).status).toBe(403);
    const json = { "content-type": "application/json" };
    const byKey = { method: "PATCH", headers: json, body: '{"role":"owner"}' };
    expect((await t.api(`/v1/members/${admin.userId}`, byKey)).status).toBe(403);
    expect((await owner.send("PATCH", `/v1/members/${admin.userId}`, { role: "owner" })).status).toBe(200);
  });

  test("of another org cannot be seen, changed or removed", async () => {
    await using t = await testApp();
    const admin = await person(t, "admin");
    const other = await secondOrg(t);
    const path = `/v1/members/${other.owner.userId}`;
    expect((await admin.send("PATCH", path, { role: "member" })).status).toBe(404);
    expect((await admin.send("DELETE", path)).status).toBe(404);
  });
});

describe("the last owner", () => {
  test("can neither leave nor be removed nor have another role", async () => {
    await using t = await testApp();
    const owner = await signedIn(t, { userId: t.userId });
    const path = `/v1/members/${t.userId}`;
    expect((await owner.send("PATCH", path, { role: "admin" })).status).toBe(409);
    expect((await owner.send("DELETE", path)).status).toBe(409);
    expect((await owner.send("POST", `/v1/orgs/${t.orgId}/leave`)).status).toBe(409);
    expect((await owner.send("PATCH", path, { role: "owner" })).status).toBe(200);
    expect((await owner.send("GET", "/v1/members")).status).toBe(200);
  });

  test("is one of two who give it up at once", async () => {
    await using t = await testApp();
    const second = await person(t, "owner");
    const first = await signedIn(t, { userId: t.userId });
    const answers = await Promise.all([
      first.send("POST", `/v1/orgs/${t.orgId}/leave`),
      second.send("POST", `/v1/orgs/${t.orgId}/leave`),
      first.send("PATCH", `/v1/members/${t.userId}`, { role: "member" }),
      second.send("PATCH", `/v1/members/${second.userId}`, { role: "member" }),
    ]);
    expect(answers.filter(({ status }) => status < 300).length).toBeGreaterThan(0);
    const rows = await listMembers(t.store.records, { orgId: t.orgId, limit: 10 });
    expect(rows.filter(({ role }) => role === "owner")).toHaveLength(1);
  });

  test("stays whatever transactions come at once", async () => {
    await using t = await testApp();
    const second = await person(t, "owner");
    const { records } = t.store;
    const changes = await Promise.all([
      records.transaction().execute((trx) => removeMember(trx, { orgId: t.orgId, userId: t.userId })),
      records
        .transaction()
        .execute((trx) => setRole(trx, { orgId: t.orgId, userId: second.userId, role: "billing" })),
    ]);
    expect(changes.toSorted()).toEqual(["done", "last_owner"]);
  });
});
