import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createOrg } from "../../../server/identity/orgs.ts";
import { SCOPES } from "../../../server/identity/scopes.ts";
import type { SecretView } from "../../../server/identity/secrets/model.ts";
import { type TestApp, testApp } from "../../helpers/app.ts";

let t: TestApp;
beforeAll(async () => {
  t = await testApp({
    settings: {
      secrets: {
        PLAIN: "of settings",
        BOUND: { value: "of settings too", origins: ["https://Shop.Example:443/"] },
      },
    },
  });
});
afterAll(() => t.close());

interface Answer {
  status: number;
  body: Record<string, unknown>;
}

async function call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
  const response = await t.api(path, {
    method,
    headers: { ...headers, ...(body === undefined ? {} : { "content-type": "application/json" }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return {
    status: response.status,
    body: (text ? JSON.parse(text) : {}) as Record<string, unknown>,
  } as Answer;
}

const put = (name: string, body: unknown, headers?: Record<string, string>) =>
  call("PUT", `/v1/secrets/${name}`, body, headers);
const list = async (headers?: Record<string, string>) =>
  (await call("GET", "/v1/secrets", undefined, headers)).body.items as SecretView[];

describe("secrets over the API", () => {
  test("are kept, listed without their values, replaced whole and removed", async () => {
    const value = "kept-value-1";
    const made = await put("LOGIN", {
      value,
      origins: ["HTTPS://Shop.Example/", "http://shop.example:80", "https://shop.example"],
    });
    expect(made.status).toBe(201);
    const now = new Date(t.clock.now()).toISOString();
    const view = {
      name: "LOGIN",
      source: "api",
      origins: ["https://shop.example", "http://shop.example"],
      created_at: now,
      updated_at: now,
    };
    expect(made.body).toEqual(view);
    t.clock.advance(60_000);
    const again = await put("LOGIN", { value: "kept-value-2" });
    expect(again.status).toBe(200);
    const later = new Date(t.clock.now()).toISOString();
    expect(again.body).toEqual({ ...view, origins: null, updated_at: later });
    expect(await list()).toContainEqual(again.body as unknown as SecretView);
    expect(JSON.stringify(await list())).not.toContain("kept-value");
    expect(await call("DELETE", "/v1/secrets/LOGIN")).toEqual({ status: 204, body: {} });
    expect((await list()).map(({ name }) => name)).not.toContain("LOGIN");
    expect((await call("DELETE", "/v1/secrets/LOGIN")).status).toBe(404);
  });

  test("stand beside those of settings.json, which only settings.json changes", async () => {
    expect((await list()).filter(({ source }) => source === "settings")).toEqual([
      {
        name: "BOUND",
        source: "settings",
        origins: ["https://shop.example"],
        created_at: null,
        updated_at: null,
      },
      { name: "PLAIN", source: "settings", origins: null, created_at: null, updated_at: null },
    ]);
    for (const answer of [await put("PLAIN", { value: "x" }), await call("DELETE", "/v1/secrets/PLAIN")]) {
      expect(answer.status).toBe(409);
      expect(answer.body).toEqual({
        error: "conflict",
        message:
          "The secret PLAIN comes from settings.json, which wins over what the API keeps: change it there, or take it out there first.",
      });
    }
  });

  const REFUSED: [name: string, body: unknown, hint: string][] = [
    ["NAME-1", { value: "x" }, '"name"'],
    ["1A", { value: "x" }, '"name"'],
    ["A".repeat(65), { value: "x" }, '"name"'],
    ["A", { value: "" }, '"value"'],
    ["A", {}, '"value" is missing'],
    ["A", { value: 5 }, '"value"'],
    ["A", { value: "x".repeat(16_385) }, '"value"'],
    ["A", { value: "ü".repeat(8_193) }, "at most 16384 bytes"],
    ["A", { value: "\ud800" }, "UTF-8"],
    ["A", { value: "x", origin: "https://a.example" }, '"origin" is not known; there are value, origins'],
    ["A", { value: "x", origins: [] }, "a list of 1 to 50"],
    ["A", { value: "x", origins: "https://a.example" }, '"origins"'],
    [
      "A",
      { value: "x", origins: ["https://a.example", "https://a.example/path"] },
      '"origins.1" must be an http(s) origin',
    ],
    ["A", { value: "x", origins: ["https://a.example:99999"] }, '"origins.0"'],
    ["A", { value: "x", origins: ["https://*.example"] }, '"origins.0"'],
    ["A", { value: "x", origins: ["file:///etc"] }, '"origins.0"'],
    ["A", { value: "x", origins: ["https://me@a.example"] }, '"origins.0"'],
    ["A", ["x"], "an object"],
    ["A", null, "an object"],
  ];
  test.each(REFUSED.map(([name, body, hint]) => [hint, name, body] as const))(
    "refuse what is not right, saying %s",
    async (hint, name, body) => {
      const { status, body: error } = await put(name, body);
      expect({ status, error: error.error }).toEqual({ status: 422, error: "validation_failed" });
      expect(error.message).toContain(hint);
      expect((await list()).map((one) => one.name)).not.toContain(name);
    },
  );

  test("never stand in an error", async () => {
    const { body } = await put("A", { value: "hunter2hunter2", origins: ["nowhere-hunter2"] });
    expect(JSON.stringify(body)).not.toContain("hunter2");
    expect(t.logged.join("")).not.toContain("hunter2");
  });

  test("are no more than 500 of an org, of which each may still be replaced", async () => {
    const org = await createOrg(t.deps, "many");
    const headers = { authorization: `Bearer ${org.api_key}` };
    const row = {
      org_id: org.org_id,
      sealed: new Uint8Array(28),
      origins: null,
      created_at: 1,
      updated_at: 1,
    };
    await t.store.records
      .insertInto("secrets")
      .values(Array.from({ length: 500 }, (_, at) => ({ ...row, name: `S${at}` })))
      .execute();
    expect((await put("ONE_MORE", { value: "x" }, headers)).body.message).toContain("at most 500 secrets");
    expect((await put("S7", { value: "x" }, headers)).status).toBe(200);
  });

  test("need the scope secrets:manage, which members do not have", async () => {
    const { key } = (
      await call("POST", "/v1/api-keys", {
        name: "ci",
        scopes: SCOPES.filter((one) => one !== "secrets:manage"),
      })
    ).body;
    const headers = { authorization: `Bearer ${key}` };
    for (const [method, path] of [
      ["GET", "/v1/secrets"],
      ["PUT", "/v1/secrets/A"],
      ["DELETE", "/v1/secrets/A"],
    ] as const)
      expect(await call(method, path, method === "PUT" ? { value: "x" } : undefined, headers)).toMatchObject({
        status: 403,
        body: { error: "insufficient_scope" },
      });
  });

  test("belong to one org: another sees neither them nor those of settings.json", async () => {
    await put("SHARED_NAME", { value: "of the first org" });
    const org = await createOrg(t.deps, "elsewhere");
    const headers = { authorization: `Bearer ${org.api_key}` };
    expect(await list(headers)).toEqual([]);
    expect((await call("DELETE", "/v1/secrets/SHARED_NAME", undefined, headers)).status).toBe(404);
    // Nor do names that settings.json has taken keep it from its own.
    expect((await put("PLAIN", { value: "of another org" }, headers)).status).toBe(201);
    expect((await list(headers)).map(({ name, source }) => [name, source])).toEqual([["PLAIN", "api"]]);
    expect((await list()).find(({ name }) => name === "SHARED_NAME")).toBeDefined();
  });

  test("are in the audit by name and origins, with who did it", async () => {
    await put("AUDITED", { value: "audited-value", origins: ["https://a.example"] });
    await call("DELETE", "/v1/secrets/AUDITED");
    const rows = await t.store.records
      .selectFrom("audit_events")
      .select(["action", "actor_type", "detail", "org_id"])
      .where("target", "=", "AUDITED")
      .orderBy("seq")
      .execute();
    expect(rows).toEqual([
      {
        action: "secret.set",
        actor_type: "api_key",
        detail: '{"origins":["https://a.example"]}',
        org_id: t.orgId,
      },
      { action: "secret.delete", actor_type: "api_key", detail: "{}", org_id: t.orgId },
    ]);
  });

  test("stand in no byte of the data folder", async () => {
    const value = "in-no-byte-of-the-folder";
    await put("AT_REST", { value });
    const files = readdirSync(t.dataDir, { recursive: true, withFileTypes: true }).filter((entry) =>
      entry.isFile(),
    );
    expect(files.map(({ name }) => name)).toContain("tracedeck.db-wal");
    const holding = files.filter(({ parentPath, name }) => {
      const bytes = readFileSync(join(parentPath, name));
      return bytes.includes(value) || bytes.includes(Buffer.from(value).toString("base64"));
    });
    expect(holding).toEqual([]);
  });
});
