import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { dialectOf, unusableStatus } from "../../../server/http/dialect.ts";
import { createSummaryBuilder } from "../../../server/trace/format/summary-builder.ts";
import { DOCS_SEARCH } from "../../../viewer/page-table.ts";
import { type TestApp, testApp } from "../../helpers/app.ts";

const emptySummary = () =>
  createSummaryBuilder({
    title: "",
    scenarioSlug: "s",
    claimedStatus: null,
    startedAt: null,
    endedAt: null,
    environment: {},
    warnings: [],
    redactionCount: 0,
    finalScreenshot: null,
  }).finish();

interface Schema {
  [key: string]: unknown;
}
interface Operation {
  operationId: string;
  tags: string[];
  summary: string;
  security: Record<string, string[]>[];
  parameters?: { name: string; in: string; required?: boolean; schema: Schema }[];
  requestBody?: { content: Record<string, { schema?: Schema }> };
  responses: Record<
    string,
    { description: string; content?: Record<string, { schema?: Schema }>; headers?: Record<string, unknown> }
  >;
}
interface Description {
  openapi: string;
  info: { title: string; version: string };
  tags: { name: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema>; securitySchemes: Record<string, unknown> };
}

let t: TestApp;
let api: Description;
let operations: { method: string; path: string; operation: Operation }[];
beforeAll(async () => {
  t = await testApp();
  api = (await (await t.api("/openapi.json", { headers: { authorization: "" } })).json()) as Description;
  operations = Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
  );
});
afterAll(() => t.close());

const root = join(import.meta.dir, "..", "..", "..", "server");
const WINGS = ["agents", "gate", "watch", "run", "trace", "identity", "http"];

/** What an operation answers to input that it cannot use, as its route says. */
const unusableOf = (operation: { operationId: string }) => String(unusableStatus(dialectFor(operation)));

function dialectFor({ operationId }: { operationId: string }) {
  const route = t.app.routes.find(({ hooks }) => hooks?.detail?.operationId === operationId);
  return dialectOf(route?.hooks.detail);
}

function refsIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(refsIn);
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) =>
    key === "$ref" && typeof member === "string" ? [member] : refsIn(member),
  );
}

describe("the API's description", () => {
  test("is OpenAPI 3.1 and open to everybody, below /v1 as well", async () => {
    expect(api.openapi).toMatch(/^3\.1\.\d$/);
    expect(api.info.version).toBe(t.deps.config.version);
    expect(await (await t.api("/v1/openapi.json")).json()).toEqual(JSON.parse(JSON.stringify(api)));
  });

  test.each(["/openapi.json", DOCS_SEARCH])(
    "is packed once, and not sent again to whoever has it: %s",
    async (path) => {
      const ask = (headers: Record<string, string>) =>
        t.api(path, { headers: { authorization: "", ...headers } });
      const plain = await ask({});
      expect(plain.headers.get("content-type")).toBe("application/json");
      const text = await plain.text();
      const unpack = { gzip: Bun.gunzipSync, zstd: Bun.zstdDecompressSync };
      const tags = [plain.headers.get("etag")!];
      for (const [name, open] of Object.entries(unpack)) {
        const answer = await ask({ "accept-encoding": name });
        expect([answer.headers.get("content-encoding"), answer.headers.get("vary")]).toEqual([
          name,
          expect.stringContaining("accept-encoding"),
        ]);
        expect(Buffer.from(open(new Uint8Array(await answer.arrayBuffer()))).toString()).toBe(text);
        tags.push(answer.headers.get("etag")!);
        const known = await ask({ "accept-encoding": name, "if-none-match": tags.at(-1)! });
        expect([known.status, await known.text()]).toEqual([304, ""]);
      }
      expect(new Set(tags).size).toBe(3);
    },
  );

  test("names every operation once, as noun.verb", () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(ids.filter((id) => !/^[a-z-]+\.[a-z_]+$/.test(id))).toEqual([]);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test("tags every operation with its wing and its noun, which are a folder of routes", () => {
    const astray = operations.filter(({ operation }) => {
      const [wing = "", noun = "", ...more] = operation.tags ?? [];
      const folders = WINGS.map((name) => join(root, name, noun));
      const hasFolder = folders.some((folder) => existsSync(join(folder, "routes.ts")));
      return more.length > 0 || wing === "" || !hasFolder || !operation.operationId.startsWith(`${noun}.`);
    });
    expect(astray.map(({ operation }) => [operation.operationId, operation.tags])).toEqual([]);
  });

  test("lists the tags it uses", () => {
    const used = new Set(operations.flatMap(({ operation }) => operation.tags));
    expect(new Set(api.tags.map(({ name }) => name))).toEqual(used);
  });

  test("says what each operation is for, who may call it, and how it fails", () => {
    for (const { method, path, operation } of operations) {
      const where = `${method} ${path}`;
      expect([where, typeof operation.summary]).toEqual([where, "string"]);
      expect([where, Array.isArray(operation.security)]).toEqual([where, true]);
      expect([where, operation.responses[500]?.description]).not.toEqual([where, undefined]);
      for (const [code, response] of Object.entries(operation.responses)) {
        expect([where, code, typeof response.description]).toEqual([where, code, "string"]);
        if (Number(code) >= 400) expect(response.content).toBeDefined();
      }
      if (operation.security.length > 0)
        expect(Object.keys(operation.responses)).toEqual(expect.arrayContaining(["401", "403", "429"]));
    }
  });

  test("has a success for every operation", () => {
    const without = operations.filter(
      ({ operation }) => !Object.keys(operation.responses).some((code) => /^[23]/.test(code)),
    );
    expect(without.map(({ operation }) => operation.operationId)).toEqual([]);
  });

  test("declares every path parameter", () => {
    for (const { path, operation } of operations) {
      const named = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]!);
      const declared = (operation.parameters ?? []).filter((one) => one.in === "path");
      expect([path, declared.map(({ name }) => name).sort()]).toEqual([path, named.sort()]);
      expect(declared.every(({ required }) => required === true)).toBe(true);
    }
  });

  test("refers to nothing that it does not hold", () => {
    for (const ref of new Set(refsIn(api))) {
      expect(ref).toStartWith("#/components/schemas/");
      expect(Object.keys(api.components.schemas)).toContain(ref.split("/").at(-1)!);
    }
    const schemes = new Set(
      operations.flatMap(({ operation }) => operation.security.flatMap((one) => Object.keys(one))),
    );
    for (const scheme of schemes) expect(api.components.securitySchemes).toHaveProperty(scheme);
  });

  test("shows numbers of query strings as numbers", () => {
    const limit = api.paths["/v1/api-keys"]!.get!.parameters!.find(({ name }) => name === "limit")!;
    expect(limit.schema).toMatchObject({ type: "integer", minimum: 1, maximum: 200 });
    const numbers = operations
      .flatMap(({ operation }) => operation.parameters ?? [])
      .filter(({ schema }) => JSON.stringify(schema).includes('"format":"integer"'));
    expect(numbers.map(({ name }) => name)).toEqual([]);
  });

  test("describes the JSON body of every operation that takes one, and that it may be too large or of another type", () => {
    const bodies = operations.filter(({ operation }) => operation.requestBody);
    const raw =
      /^(ingest\.upload(_hosted)?|test-runs\.ingest|capture\.(chunk|blobs?|artifact)|oauth\.(answer|grant_tokens|revoke)|webhooks\.receive)$/;
    const json = bodies.filter(({ operation }) => !raw.test(operation.operationId));
    expect(json.map(({ operation }) => operation.operationId)).toContain("share.create");
    for (const { operation } of json) {
      const { operationId, requestBody, responses } = operation;
      const isScim = dialectFor(operation) === "scim";
      const types = ["application/json", ...(isScim ? ["application/scim+json"] : [])];
      expect([operationId, Object.keys(requestBody!.content)]).toEqual([operationId, types]);
      const schema = requestBody!.content["application/json"]!.schema!;
      expect([operationId, schema.type, typeof schema.properties]).toEqual([operationId, "object", "object"]);
      expect([operationId, Object.keys(responses)]).toEqual([
        operationId,
        expect.arrayContaining([unusableOf(operation), "413", "415"]),
      ]);
    }
    const body = (path: string) =>
      api.paths[path]!.post!.requestBody!.content["application/json"]!.schema as {
        required: string[];
        properties: Record<string, Schema>;
      };
    const share = body("/v1/traces/{id}/share");
    expect(share.required).toEqual(["visibility"]);
    expect(share.properties.visibility).toMatchObject({ type: "string", enum: ["org-only", "public-read"] });
    expect(share.properties.expires_days).toMatchObject({ type: "integer", minimum: 1, maximum: 365 });
    const sources = ["pr", "schedule", "manual", "shadow_diff"];
    expect(body("/internal/v1/traces").properties.source).toMatchObject({ enum: sources });
    expect(body("/internal/v1/ingest-webhook").properties.source).toMatchObject({ enum: sources });
    expect(body("/internal/v1/traces/{id}/end").properties.status).toMatchObject({
      enum: ["passed", "failed", "error", "aborted"],
    });
  });

  test("counts null among the values of what may be null", () => {
    const wrong: Schema[] = [];
    const walk = (value: unknown) => {
      if (typeof value !== "object" || value === null) return;
      const schema = value as Schema;
      if (Array.isArray(schema.type) && schema.type.includes("null") && Array.isArray(schema.enum))
        if (!schema.enum.includes(null)) wrong.push(schema);
      for (const member of Object.values(value)) walk(member);
    };
    walk(api);
    expect(wrong).toEqual([]);
    expect(JSON.stringify(api)).toContain('"shadow_diff",null]');
  });

  test.each([
    ["get", "/readyz", 503, "application/json"],
    ["get", "/v1/traces", 421, "application/json"],
    ["get", "/v1/traces/{id}/events", 503, "application/json"],
    ["get", "/v1/traces/{id}/stream", 503, "application/json"],
    ["post", "/v1/traces/{id}/share", 415, "application/json"],
    ["get", "/v1/traces/{id}/summary", 304, null],
    ["get", "/v1/traces/{id}/summary", 503, "application/json"],
    ["get", "/v1/traces/{id}/report.md", 503, "application/json"],
    ["get", "/files/{id}/{kind}/{name}", 200, "*/*"],
    ["get", "/files/{id}/{kind}/{name}", 206, "*/*"],
    ["get", "/files/{id}/{kind}/{name}", 409, "application/json"],
    ["get", "/files/{id}/{kind}/{name}", 503, "application/json"],
    ["get", "/r/{shortId}/stream", 204, null],
    ["get", "/r/{shortId}/events", 400, "text/html"],
    ["get", "/r/{shortId}/events", 401, "application/json"],
    ["get", "/r/{shortId}/events", 401, "text/html"],
    ["get", "/r/{shortId}/events", 409, "application/json"],
    ["get", "/r/{shortId}/blob/{sha256}", 409, "application/json"],
    ["get", "/r/{shortId}", 404, "text/html"],
    ["get", "/r/{shortId}", 429, "text/html"],
    ["get", "/r/{shortId}/events", 429, "application/json"],
    ["get", "/signin", 429, "text/html"],
  ])("names among the answers of %s %s a %d of %s", (method, path, status, mediaType) => {
    const answer = api.paths[path]![method]!.responses[status];
    expect(answer?.description).toBeString();
    if (mediaType === null) expect(answer!.content).toBeUndefined();
    else expect(Object.keys(answer!.content!)).toContain(mediaType);
  });

  test("names the headers that tell a client where to go, when to come again and how to sign in", () => {
    const headers = (path: string, method: string, status: number) =>
      Object.keys(api.paths[path]![method]!.responses[status]!.headers ?? {});
    expect(headers("/v1/traces/{id}/blob/{sha256}", "get", 302)).toEqual(["Location"]);
    for (const { path, method, operation } of operations) {
      if (operation.security.length === 0) continue;
      expect([path, headers(path, method, 429)]).toEqual([path, ["Retry-After"]]);
      expect([path, headers(path, method, 401)]).toEqual([path, ["WWW-Authenticate"]]);
    }
    const webhook = api.paths["/internal/v1/ingest-webhook"]!.post!.security.flatMap((one) =>
      Object.keys(one),
    );
    expect(webhook.map((name) => api.components.securitySchemes[name])).toContainEqual({
      type: "apiKey",
      in: "header",
      name: "internal_service_token",
    });
  });

  test("describes a summary as one really is", () => {
    const schema = api.paths["/v1/traces/{id}/summary"]!.get!.responses[200]!.content!["application/json"]!
      .schema as { required: string[]; properties: Record<string, Schema> };
    const fields = Object.keys(emptySummary());
    expect(Object.keys(schema.properties)).toEqual(expect.arrayContaining(fields));
    expect(fields).toEqual(expect.arrayContaining(schema.required));
  });

  test("marks as open only what is open", async () => {
    for (const { method, path, operation } of operations) {
      if (operation.security.length === 0) continue;
      const concrete = path.replace(/\{\w+\}/g, "019ca945-0a00-72e9-9883-ff2e8308684e");
      const response = await t.api(concrete, {
        method: method.toUpperCase(),
        headers: { authorization: "" },
      });
      expect([operation.operationId, response.status]).toEqual([operation.operationId, 401]);
    }
  });

  test("tells the truth about what it is asked for without a credential", async () => {
    const isOpen = (path: string) =>
      /^\/(v1\/session\/(methods|password|magic-link)|v1\/agent-signup$|v1\/invitations\/(open|accept)|v1\/status|v1\/webhooks\/github$|v1\/gate|r|files|run-files|signin|health|healthz|readyz|metrics|api\/oauth|\.well-known)(\/|$)/.test(
        path,
      );
    for (const { path, operation } of operations)
      expect([path, operation.security.length === 0]).toEqual([path, isOpen(path)]);
  });
});
