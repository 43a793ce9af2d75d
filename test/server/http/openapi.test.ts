import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { type TestApp, testApp } from "../../helpers/app.ts";

interface Schema {
  [key: string]: unknown;
}
interface Operation {
  operationId: string;
  tags: string[];
  summary: string;
  security: Record<string, string[]>[];
  parameters?: { name: string; in: string; required?: boolean; schema: Schema }[];
  responses: Record<string, { description: string; content?: Record<string, { schema?: Schema }> }>;
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

  test("names every operation once, as noun.verb", () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(ids.filter((id) => !/^[a-z]+\.[a-z_]+$/.test(id))).toEqual([]);
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
    const isOpen = (path: string) => /^\/(r|files|signin|health|healthz|readyz|metrics)(\/|$)/.test(path);
    for (const { path, operation } of operations)
      expect([path, operation.security.length === 0]).toEqual([path, isOpen(path)]);
  });
});
