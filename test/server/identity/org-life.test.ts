import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { OrgList, OrgView } from "../../../server/identity/orgs/model.ts";
import { createOrg } from "../../../server/identity/orgs.ts";
import { createSigninLink } from "../../../server/identity/sessions/service.ts";
import { AUDIT_GENESIS } from "../../../store/records/audit.ts";
import { testApp } from "../../helpers/app.ts";
import { oneOfEach } from "../../helpers/nouns.ts";
import { person, secondOrg, signedIn } from "../../helpers/org-people.ts";
import { statement } from "../../helpers/statement.ts";
import { getJson, pathOf, runPeriodic, uploadTrace } from "../../helpers/traces.ts";

const CONTEXT = { id: "j", attempt: 1, isLastAttempt: false, deaths: 0, begin: async () => {} };

const acts = async (t: Awaited<ReturnType<typeof testApp>>, orgId: string) =>
  (
    await statement<{ action: string }>(
      t.store,
      "SELECT action FROM audit_events WHERE org_id = ? ORDER BY seq",
      orgId,
    )
  ).map(({ action }) => action);

describe("an org", () => {
  test("is made by whoever is signed in, who owns it and goes there", async () => {
    await using t = await testApp();
    const ada = await person(t, "billing");
    const made = await ada.send<OrgView>("POST", "/v1/orgs", { slug: "acme", name: " Acme Inc " });
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({
      slug: "acme",
      name: "Acme Inc",
      role: "owner",
      is_first: false,
      plan: "team",
    });
    const list = await ada.send<OrgList>("GET", "/v1/orgs");
    expect(list.body.items.map(({ slug, role, is_current }) => [slug, role, is_current])).toEqual([
      ["local", "billing", true],
      ["acme", "owner", false],
    ]);
    expect((await ada.send("POST", "/v1/session/org", { org_id: made.body.id })).status).toBe(204);
    expect((await ada.send("GET", "/api/v1/me")).body).toMatchObject({
      org: { slug: "acme", role: "owner" },
    });
    expect((await ada.send("GET", "/v1/traces")).body).toMatchObject({ items: [] });
    expect(await acts(t, made.body.id)).toEqual(["org.create", "session.switch"]);
  });

  test("has a slug of its own, and a person owns at most twenty, whatever comes at once", async () => {
    await using t = await testApp();
    const ada = await person(t, "member");
    expect((await ada.send("POST", "/v1/orgs", { slug: "local" })).status).toBe(409);
    expect((await ada.send("POST", "/v1/orgs", { slug: "No Slug" })).status).toBe(422);
    const all = await Promise.all(
      Array.from({ length: 24 }, (_, n) => ada.send("POST", "/v1/orgs", { slug: `org-${n}` })),
    );
    expect(all.map(({ status }) => status).toSorted()).toEqual([
      ...Array.from({ length: 20 }, () => 201),
      ...Array.from({ length: 4 }, () => 409),
    ]);
  });

  test("is shown to keys and members, renamed by admins", async () => {
    await using t = await testApp();
    const admin = await person(t, "admin");
    const member = await person(t, "member");
    const path = `/v1/orgs/${t.orgId}`;
    expect(await getJson<OrgView>(t, path)).toMatchObject({ slug: "local", role: null, is_first: true });
    expect((await member.send("PATCH", path, { name: "Mine" })).status).toBe(403);
    expect((await admin.send("PATCH", path, { name: "Ours" })).body).toMatchObject({ name: "Ours" });
    expect((await member.send("GET", path)).body).toMatchObject({ name: "Ours", role: "member" });
    expect((await admin.send("PATCH", path, { name: "  " })).status).toBe(422);
    expect(await acts(t, t.orgId)).toContain("org.rename");
  });

  test("is transferred to a member by its owner, who becomes an admin", async () => {
    await using t = await testApp();
    const owner = await signedIn(t, { userId: t.userId });
    const heir = await person(t, "member");
    const foreign = await secondOrg(t);
    const path = `/v1/orgs/${t.orgId}/transfer`;
    expect((await owner.send("POST", path, { user_id: foreign.owner.userId })).status).toBe(404);
    expect((await owner.send("POST", path, { user_id: t.userId })).status).toBe(409);
    expect((await owner.send("POST", path, { user_id: heir.userId })).status).toBe(204);
    expect((await heir.send("GET", "/api/v1/me")).body).toMatchObject({ org: { role: "owner" } });
    expect((await owner.send("GET", "/api/v1/me")).body).toMatchObject({ org: { role: "admin" } });
    expect((await owner.send("POST", path, { user_id: heir.userId })).status).toBe(403);
    expect(await acts(t, t.orgId)).toContain("org.transfer");
  });

  test("is transferred once when two transfers come at once", async () => {
    await using t = await testApp();
    const owner = await signedIn(t, { userId: t.userId });
    const heirs = [await person(t, "member"), await person(t, "admin")];
    await Promise.all(
      heirs.map(({ userId }) => owner.send("POST", `/v1/orgs/${t.orgId}/transfer`, { user_id: userId })),
    );
    const owners = await statement(t.store, "SELECT user_id FROM memberships WHERE role = 'owner'");
    expect(owners).toHaveLength(1);
  });
});

describe("a deleted org", () => {
  test("is asked for by its slug, and is not the first one", async () => {
    await using t = await testApp();
    const owner = await signedIn(t, { userId: t.userId });
    const other = await secondOrg(t);
    expect((await owner.send("DELETE", `/v1/orgs/${t.orgId}?slug=local`)).status).toBe(409);
    expect((await other.owner.send("DELETE", `/v1/orgs/${other.orgId}?slug=local`)).status).toBe(422);
    expect((await other.owner.send("DELETE", `/v1/orgs/${other.orgId}`)).status).toBe(422);
    expect((await other.owner.send("GET", "/v1/members")).status).toBe(200);
  });

  test("lets nobody in at once, by session, key, link, share or signed address", async () => {
    await using t = await testApp();
    const other = await secondOrg(t);
    const { trace } = await oneOfEach(t, other);
    const byKey = () => t.api(`/v1/traces/${trace.id}`, { headers: other.headers });
    const detail = (await (await byKey()).json()) as { signed_urls: Record<string, string> };
    const signed = pathOf(detail.signed_urls.ndjson!);
    const link = pathOf(
      (await createSigninLink(t.deps, { orgId: other.orgId, base: "http://localhost" })).url,
    );
    const shared = () => t.api(`/r/${trace.shortId}/trace`, { headers: { authorization: "" } });
    expect((await t.api(signed, { headers: { authorization: "" } })).status).toBe(200);
    expect((await shared()).status).toBe(200);

    expect((await other.owner.send("DELETE", `/v1/orgs/${other.orgId}?slug=other`)).status).toBe(204);

    expect((await byKey()).status).toBe(401);
    expect((await other.owner.send("GET", "/v1/traces")).status).toBe(401);
    expect((await t.api(link)).status).toBe(401);
    expect((await shared()).status).toBe(404);
    expect((await t.api(signed, { headers: { authorization: "" } })).status).toBe(404);
    expect((await t.api(`/v1/orgs/${other.orgId}`)).status).toBe(404);
    expect((await t.api("/v1/traces", { headers: { "x-org-id": other.orgId } })).status).toBe(403);
  });

  test("leaves nothing but what was done in it, no rows and no bytes, and its slug is free", async () => {
    await using t = await testApp();
    const other = await secondOrg(t);
    const { orgId, trace, ids } = await oneOfEach(t, other);
    const stays = await uploadTrace(t);
    await other.owner.send("DELETE", `/v1/orgs/${orgId}?slug=other`);
    await t.runJobs();
    for (const name of ["test run records", "trace records"]) await runPeriodic(t, name);

    const tables = await statement<{ name: string }>(
      t.store,
      "SELECT m.name FROM sqlite_master m JOIN pragma_table_info(m.name) c ON c.name = 'org_id' WHERE m.type = 'table'",
    );
    expect(tables.length).toBeGreaterThan(10);
    for (const { name } of tables)
      expect([name, await statement(t.store, `SELECT 1 FROM "${name}" WHERE org_id = ?`, orgId)]).toEqual([
        name,
        name === "audit_events" ? expect.any(Array) : [],
      ]);
    const entries = await statement<{ action: string; prev_hash: string; hash: string }>(
      t.store,
      "SELECT * FROM audit_events WHERE org_id = ? ORDER BY seq",
      orgId,
    );
    expect(entries.map(({ action }) => action)).toContain("org.delete");
    expect(entries.map(({ prev_hash }) => prev_hash)).toEqual([
      AUDIT_GENESIS,
      ...entries.slice(0, -1).map(({ hash }) => hash),
    ]);
    const paths = readdirSync(t.dataDir, { recursive: true }).map(String);
    for (const id of [trace.id, ids["test-runs"]!])
      expect(paths.filter((path) => path.includes(id))).toEqual([]);
    expect(paths.some((path) => path.includes(stays.id))).toBe(true);
    expect((await createOrg(t.deps, "other")).org_id).not.toBe(orgId);
    expect(await statement(t.store, "SELECT 1 FROM pragma_foreign_key_check")).toEqual([]);
  });

  test("goes on being erased after a stop in the middle", async () => {
    await using t = await testApp();
    const other = await secondOrg(t);
    const { orgId, trace } = await oneOfEach(t, other);
    await other.owner.send("DELETE", `/v1/orgs/${orgId}?slug=other`);
    // What is not of the org's erasure waits for ever here.
    await statement(t.store, "DELETE FROM jobs WHERE kind <> 'org.erase'");
    const erase = t.runtime.handlers.find(({ kind }) => kind === "org.erase")!;
    const stop = new AbortController();
    let rounds = 0;
    const heartbeat = async () => {
      if (++rounds === 2) stop.abort();
    };
    const stopped = erase.handle({ org_id: orgId }, { ...CONTEXT, signal: stop.signal, heartbeat });
    expect(stopped).rejects.toThrow();
    await stopped.catch(() => {});
    expect(await statement(t.store, "SELECT 1 FROM traces WHERE org_id = ?", orgId)).toEqual([]);
    expect(await statement(t.store, "SELECT 1 AS n FROM orgs WHERE id = ?", orgId)).toEqual([{ n: 1 }]);
    // The job is lost too.
    await statement(t.store, "DELETE FROM jobs WHERE kind = 'org.erase'");
    await runPeriodic(t, "deleted orgs");
    expect(await statement(t.store, "SELECT 1 FROM orgs WHERE id = ?", orgId)).toEqual([]);
    expect(existsSync(join(t.dataDir, "traces", trace.id))).toBe(false);
  });

  test("is no other, whatever a job says", async () => {
    await using t = await testApp();
    const { id } = await uploadTrace(t);
    const erase = t.runtime.handlers.find(({ kind }) => kind === "org.erase")!;
    const signal = new AbortController().signal;
    await erase.handle({ org_id: t.orgId }, { ...CONTEXT, signal, heartbeat: async () => {} });
    expect((await t.api(`/v1/traces/${id}`)).status).toBe(200);
  });
});
