import { afterEach, beforeEach, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { createIngestService } from "../../../server/trace/ingest/service.ts";
import { type TestApp, testApp } from "../../helpers/app.ts";
import { bundle, eventLines, events, manifest, uploadForm } from "../../helpers/bundles.ts";

const DAY = 24 * 60 * 60 * 1000;
let app: TestApp;
beforeEach(async () => {
  app = await testApp();
});
afterEach(() => app.close());

const FILE = bundle([manifest(), events(eventLines(2))]);

async function send(
  key: string,
  options: { file?: Uint8Array; slug?: string; path?: string; bearer?: string } = {},
) {
  const { file = FILE, slug = "checkout", path = "/v1/traces/ingest", bearer = app.apiKey } = options;
  const response = await app.api(path, {
    method: "POST",
    body: uploadForm(file, { scenario_slug: slug }),
    headers: { "idempotency-key": key, authorization: `Bearer ${bearer}` },
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

async function traceCount(): Promise<number> {
  const rows = await app.store.records.selectFrom("traces").select("id").execute();
  return rows.length;
}

test("the same request under the same key gets the first answer on either path, and makes one trace", async () => {
  const first = await send("key-1");
  expect(first.status).toBe(200);
  expect(await send("key-1")).toEqual(first);
  expect(await send("key-1", { path: "/v1/trace/traces/ingest" })).toEqual(first);
  expect((await send("key-2")).body.trace_id).not.toBe(first.body.trace_id);
  expect(await traceCount()).toBe(2);
});

test("another file or other fields under a used key are a conflict", async () => {
  await send("key");
  const other = bundle([manifest(), events(eventLines(3))]);
  expect(await send("key", { file: other })).toMatchObject({ status: 409, body: { error: "conflict" } });
  expect(await send("key", { slug: "other" })).toMatchObject({ status: 409, body: { error: "conflict" } });
  expect(await traceCount()).toBe(1);
});

test("a second request waits while the first is in work", async () => {
  const answers = await Promise.all([send("key"), send("key"), send("key")]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(new Set(answers.map(({ body }) => body.trace_id)).size).toBe(1);
  const different = await Promise.all([send("other"), send("other", { slug: "another" })]);
  expect(different.map(({ status }) => status).sort()).toEqual([200, 409]);
  expect(await traceCount()).toBe(2);
});

test("a request that another server answers meanwhile gets that answer, and nothing of it is kept", async () => {
  const other = await testApp({ dataDir: app.dataDir, serverId: "other" });
  const actor = {
    type: "api_key" as const,
    id: "test",
    orgId: app.orgId,
    userId: null,
    role: null,
    scopes: new Set<never>(),
    ip: null,
  };
  const request = (slug = "checkout") =>
    new Request("http://localhost/v1/traces/ingest", {
      method: "POST",
      body: uploadForm(FILE, { scenario_slug: slug }),
      headers: { "idempotency-key": "shared" },
    });
  const theirs: string[] = [];
  const slow = createIngestService(app.deps, {
    async onStep(step) {
      if (step === "folder_moved" && theirs.length === 0)
        theirs.push((await createIngestService(other.deps).upload(actor, request())).trace_id);
    },
  });
  const answer = await slow.upload(actor, request());
  expect(theirs).toEqual([answer.trace_id]);
  expect(await traceCount()).toBe(1);
  expect(readdirSync(join(app.dataDir, "traces"))).toEqual([answer.trace_id]);
  await expect(slow.upload(actor, request("other"))).rejects.toMatchObject({ kind: "conflict" });
  await other.close();
});

test("only a success is remembered", async () => {
  expect((await send("key", { file: Buffer.from("no bundle") })).status).toBe(400);
  expect((await send("key")).status).toBe(200);
});

test("a key is forgotten after 24 hours, and is the org's own", async () => {
  const first = await send("key");
  app.clock.advance(DAY - 1);
  expect((await send("key")).body.trace_id).toBe(first.body.trace_id);
  app.clock.advance(1);
  const second = await send("key", { slug: "other" });
  expect(second.status).toBe(200);
  expect(second.body.trace_id).not.toBe(first.body.trace_id);
  expect((await send("key", { slug: "other" })).body).toEqual(second.body);

  const { createOrg } = await import("../../../server/identity/orgs.ts");
  const { api_key } = await createOrg(app.deps, "second");
  const foreign = await send("key", { bearer: api_key, slug: "other" });
  expect(foreign.status).toBe(200);
  expect(foreign.body.trace_id).not.toBe(second.body.trace_id);
});

test("a key that is empty, long or not visible ASCII is refused", async () => {
  for (const key of ["", "x".repeat(256), "two words", "schlüssel"])
    expect(await send(key)).toMatchObject({ status: 400, body: { error: "invalid_request" } });
  expect(await traceCount()).toBe(0);
});
