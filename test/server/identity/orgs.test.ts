import { describe, expect, test } from "bun:test";
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createOrg, readCredentials } from "../../../server/identity/orgs.ts";
import { SCOPES } from "../../../server/identity/scopes.ts";
import { AUDIT_GENESIS, auditHash } from "../../../store/records/audit.ts";
import { testApp } from "../../helpers/app.ts";
import { statement } from "../../helpers/statement.ts";

function folder() {
  const path = mkdtempSync(join(tmpdir(), "tracedeck-orgs-"));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

describe("the first start", () => {
  test("makes org, owner and a key with every scope, readable by its owner only", async () => {
    const t = await testApp();
    const path = t.store.layout.credentials;
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const file = JSON.parse(readFileSync(path, "utf8")) as Record<string, string>;
    expect(Object.keys(file)).toEqual(["url", "org_id", "user_id", "api_key"]);
    const me = (await (await t.api("/api/v1/me")).json()) as { org: { slug: string }; scopes: string[] };
    expect(me.org.slug).toBe("local");
    expect(me.scopes).toEqual([...SCOPES].sort());
    await t.close();
  });

  test("keeps all of the store from other accounts, in a folder that was there before too", async () => {
    const t = await testApp();
    chmodSync(t.dataDir, 0o755);
    const modes = readdirSync(t.dataDir).map((name) => [name, statSync(join(t.dataDir, name)).mode & 0o077]);
    expect(modes).toContainEqual(["tracedeck.db-wal", 0]);
    expect(modes.filter(([, mode]) => mode !== 0)).toEqual([]);
    await t.close();
  });

  test("is not repeated by the second", async () => {
    using data = folder();
    const first = await testApp({ dataDir: data.path });
    await first.close();
    const second = await testApp({ dataDir: data.path });
    expect(second.apiKey).toBe(first.apiKey);
    expect(second.orgId).toBe(first.orgId);
    await second.close();
  });

  test("happens once when two processes start at once", async () => {
    using data = folder();
    const starts = await Promise.all([1, 2, 3].map(() => startElsewhere(data.path)));
    expect(new Set(starts).size).toBe(1);
    const t = await testApp({ dataDir: data.path });
    expect(await statement(t.store, "SELECT count(*) AS n FROM orgs")).toEqual([{ n: 1 }]);
    expect((await t.api("/api/v1/me")).status).toBe(200);
    await t.close();
  });

  test.each([
    ["is lost", (path: string) => rmSync(path)],
    ["is no JSON", (path: string) => writeFileSync(path, "{")],
    ["belongs to another store", (path: string) => writeFileSync(path, OTHER)],
  ])("gives the same org a new key when credentials.json %s", async (_, damage) => {
    using data = folder();
    const first = await testApp({ dataDir: data.path });
    await first.close();
    damage(first.store.layout.credentials);
    const second = await testApp({ dataDir: data.path });
    expect(second.orgId).toBe(first.orgId);
    expect(second.apiKey).not.toBe(first.apiKey);
    expect((await second.api("/api/v1/me")).status).toBe(200);
    expect(readCredentials(second.store.layout.credentials)?.api_key).toBe(second.apiKey);
    await second.close();
  });
});

const OTHER = JSON.stringify({
  url: "http://localhost:1",
  org_id: "o",
  user_id: "u",
  api_key: "product_sk_x",
});

function startElsewhere(data: string): Promise<string> {
  const script = `
    import { loadConfig } from "${import.meta.dir}/../../../server/config.ts";
    import { createRuntime } from "${import.meta.dir}/../../../server/main.ts";
    const runtime = await createRuntime(loadConfig({ data: ${JSON.stringify(data)} }));
    console.log(runtime.credentials.api_key);
    await runtime.close();`;
  return new Response(Bun.spawn([process.execPath, "-e", script], { stderr: "inherit" }).stdout).text();
}

describe("orgs", () => {
  test("are apart from each other", async () => {
    const t = await testApp();
    const other = await createOrg(t.deps, "other");
    const headers = { authorization: `Bearer ${other.api_key}` };
    const keys = (await (await t.api("/v1/api-keys", { headers })).json()) as { items: { id: string }[] };
    expect(keys.items).toHaveLength(1);
    const foreign = await t.api(`/v1/api-keys/${keys.items[0]!.id}`, { method: "DELETE" });
    expect(foreign.status).toBe(403);
    expect(await foreign.json()).toMatchObject({ error: "wrong_org" });
    await t.close();
  });

  test("have one slug each, of plain characters", async () => {
    const t = await testApp();
    await createOrg(t.deps, "acme");
    expect(createOrg(t.deps, "acme")).rejects.toMatchObject({ kind: "conflict" });
    for (const slug of ["", "-a", "A", "a b", "a".repeat(65), "ü"])
      expect(createOrg(t.deps, slug)).rejects.toMatchObject({ kind: "invalid_request" });
    await t.close();
  });
});

describe("the audit chain", () => {
  test("has an entry for each change, linked per org", async () => {
    const t = await testApp();
    const response = await t.api("/v1/api-keys", {
      method: "POST",
      body: JSON.stringify({ name: "ci", scopes: ["traces:read"] }),
      headers: { "content-type": "application/json" },
    });
    const { id } = (await response.json()) as { id: string };
    await t.api(`/v1/api-keys/${id}`, { method: "DELETE" });
    await createOrg(t.deps, "other");
    const rows = await t.store.records.selectFrom("audit_events").selectAll().orderBy("seq").execute();
    expect(rows.map((row) => row.action)).toEqual([
      "org.create",
      "api_key.create",
      "api_key.create",
      "api_key.revoke",
      "org.create",
      "api_key.create",
    ]);
    for (const org of [t.orgId, rows.at(-1)!.org_id]) {
      let previous = AUDIT_GENESIS;
      for (const row of rows.filter(({ org_id }) => org_id === org)) {
        expect(row.prev_hash).toBe(previous);
        expect(auditHash(row)).toBe(row.hash);
        expect(auditHash({ ...row, target: "other" })).not.toBe(row.hash);
        previous = row.hash;
      }
    }
    await t.close();
  });
});
