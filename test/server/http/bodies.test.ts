import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Type } from "@sinclair/typebox";
import fc from "fast-check";
import { dialectOf, unusableStatus } from "../../../server/http/dialect.ts";
import { createBodyCheck } from "../../../server/http/validation.ts";
import { type TestApp, testApp } from "../../helpers/app.ts";
import { bundle, eventLines, events, manifest, uploadForm } from "../../helpers/bundles.ts";
import { signedIn } from "../../helpers/org-people.ts";
import { statement } from "../../helpers/statement.ts";
import { post, uploadTrace } from "../../helpers/traces.ts";

interface Schema {
  type?: string | string[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: unknown;
  anyOf?: Schema[];
  items?: Schema;
  [key: string]: unknown;
}

interface Operation {
  operationId: string;
  security: Record<string, unknown>[];
  "x-roles"?: string[];
  requestBody?: { content: Record<string, { schema?: Schema }> };
}

let t: TestApp;
/** Every operation that takes a JSON body, as the API's own description has them: new ones join by being there. */
let taking: { method: string; path: string; id: string; schema: Schema }[];
/** What asks for a person, by method and path. */
const forPeople = new Set<string>();
let cookie: string;
/** Every operation that takes no body although its method may have one. */
let ignoring: { method: string; path: string; id: string }[];
let traceId: string;

beforeAll(async () => {
  t = await testApp({
    settings: { rate_limits: { writes_per_minute: 100_000, ingests_per_minute: 100_000 } },
  });
  const api = (await (await t.api("/openapi.json")).json()) as {
    paths: Record<string, Record<string, Operation>>;
  };
  const all = Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
  cookie = (await signedIn(t, { userId: t.userId })).headers.cookie!;
  for (const { method, path, operation } of all)
    if (operation["x-roles"] || !operation.security.some((one) => "bearer" in one))
      forPeople.add(`${method} ${path}`);
  taking = all.flatMap(({ method, path, operation }) => {
    const schema = operation.requestBody?.content["application/json"]?.schema;
    // What a program says of itself when it registers is read as RFC 7591 says: what is not known is ignored. A code host sends what it
    // likes.
    const isOurs = !["oauth.register", "webhooks.receive"].includes(operation.operationId);
    return schema && isOurs ? [{ method, path, id: operation.operationId, schema }] : [];
  });
  ignoring = all
    .filter(({ method, operation }) => ["POST", "PUT", "PATCH"].includes(method) && !operation.requestBody)
    .map(({ method, path, operation }) => ({ method, path, id: operation.operationId }));
  traceId = (await uploadTrace(t)).id;
});
afterAll(() => t.close());

const SECRET = "SECRET-VALUE";
/** What the operation answers to input that it cannot use. */
function unusableAt(method: string, path: string): number {
  const pattern = path.replace(/\{(\w+)\}/g, ":$1");
  const route = t.app.routes.find((one) => one.method === method && one.path === pattern);
  return unusableStatus(dialectOf(route!.hooks.detail));
}

async function send(method: string, path: string, body: string | undefined, type = "application/json") {
  const response = await t.api(path.replace(/\{\w+\}/g, traceId), {
    method,
    ...(body === undefined ? {} : { body }),
    headers: {
      ...(body === undefined ? {} : { "content-type": type }),
      origin: "http://localhost",
      ...(forPeople.has(`${method} ${path}`) ? { authorization: "", cookie } : {}),
    },
  });
  const text = await response.text();
  return { status: response.status, text };
}

/** The least that a schema takes, and what is filled in only to get further. */
function sample(schema: Schema): unknown {
  if (schema.const !== undefined) return schema.const;
  if (Array.isArray(schema.enum)) return schema.enum[0];
  if (schema.anyOf) return sample(schema.anyOf[0]!);
  switch ([schema.type].flat()[0]) {
    case "object":
      return Object.fromEntries(
        (schema.required ?? []).map((name) => [name, sample(schema.properties![name]!)]),
      );
    case "array":
      return schema.minItems && schema.items ? [sample(schema.items)] : [];
    case "integer":
    case "number":
      return schema.minimum ?? 1;
    case "boolean":
      return true;
    default:
      return String(schema.pattern).includes("a-fA-F") ? "a".repeat(40) : "us-east-1";
  }
}

/** Every place within a schema where an object with named fields stands, by its path. */
function objectsIn(schema: Schema, path: string[] = []): { path: string[]; schema: Schema }[] {
  if (schema.anyOf) return schema.anyOf.flatMap((member) => objectsIn(member, path));
  if (schema.type === "array") return schema.items ? objectsIn(schema.items, [...path, "0"]) : [];
  if (!schema.properties) return [];
  const inner = Object.entries(schema.properties).flatMap(([name, member]) =>
    objectsIn(member, [...path, name]),
  );
  return [{ path, schema }, ...inner];
}

/** A body of the schema with a value put at a place. */
function bodyWith(schema: Schema, path: string[], value: unknown): unknown {
  const [name, ...rest] = path;
  if (name === undefined) return value;
  const chosen = schema.anyOf?.find((member) => member.properties ?? member.items) ?? schema;
  if (chosen.type === "array") return [bodyWith(chosen.items!, rest, value)];
  return {
    ...(sample(chosen) as Record<string, unknown>),
    [name]: bodyWith(chosen.properties![name] ?? {}, rest, value),
  };
}

describe("every operation that takes a JSON body", () => {
  test("is found", () => {
    expect(taking.map(({ id }) => id)).toEqual(
      expect.arrayContaining([
        "keys.create",
        "share.create",
        "replays.start",
        "runs.manual",
        "capture.begin",
        "scenarios.sync",
      ]),
    );
    expect(ignoring.map(({ id }) => id)).toEqual(expect.arrayContaining(["sessions.signout", "runs.cancel"]));
  });

  test("refuses a field that it does not know, wherever it stands, and names it without its value", async () => {
    const places = taking.flatMap((one) => objectsIn(one.schema).map((place) => ({ ...one, place })));
    expect(places.length).toBeGreaterThan(taking.length);
    for (const { method, path, id, schema, place } of places) {
      if (place.schema.additionalProperties === true) continue;
      const wrong = bodyWith(schema, [...place.path, "no_such_field"], SECRET);
      const { status, text } = await send(method, path, JSON.stringify(wrong));
      const where = [id, place.path.join(".")];
      expect([...where, status]).toEqual([...where, unusableAt(method, path)]);
      expect([...where, text]).toEqual([...where, expect.stringContaining("no_such_field")]);
      expect(text).not.toContain(SECRET);
    }
  });

  test("refuses a field of another type, and names it without its value", async () => {
    for (const { method, path, id, schema } of taking) {
      for (const [name, field] of Object.entries(schema.properties!)) {
        // A text where a list or an object is meant, and a list where a text is.
        const types = [field, ...(field.anyOf ?? [])].flatMap(({ type }) => type ?? []);
        const isText = types.includes("string") && !types.includes("object") && !types.includes("array");
        const value = isText ? [SECRET] : SECRET;
        const wrong = { ...(sample(schema) as object), [name]: value };
        const { status, text } = await send(method, path, JSON.stringify(wrong));
        expect([id, name, status]).toEqual([id, name, unusableAt(method, path)]);
        expect([id, text]).toEqual([id, expect.stringContaining(`\\"${name}`)]);
        expect(text).not.toContain(SECRET);
      }
    }
  });

  test("refuses what is no object at all", async () => {
    for (const { method, path, id } of taking)
      for (const body of ["[]", '"x"', "null", "1", "true", '{"__proto__":{}}']) {
        const { status } = await send(method, path, body);
        expect([id, body, status]).toEqual([id, body, unusableAt(method, path)]);
      }
  });

  test("says in its description that it takes no other field", () => {
    for (const { id, schema } of taking)
      for (const { path, schema: object } of objectsIn(schema))
        expect([id, path, object.additionalProperties]).toEqual([id, path, expect.anything()]);
  });
});

describe("every operation without a body", () => {
  test("ignores one, of whatever type", async () => {
    for (const { method, path, id } of ignoring) {
      const bare = await send(method, path, undefined);
      for (const [body, type] of [
        ['{"x":1}', "application/json"],
        ["{", "application/json"],
        ["a=b", "text/plain"],
      ] as const) {
        const { status } = await send(method, path, body, type);
        expect([id, body, status]).not.toEqual([id, body, 415]);
        if (bare.status >= 400) expect([id, body, status]).toEqual([id, body, bare.status]);
        else expect([id, body, [200, 202, 204, 409].includes(status)]).toEqual([id, body, true]);
      }
    }
  });

  test("leaves the connection in order for the next request", async () => {
    const base = t.listen();
    const headers = { authorization: `Bearer ${t.apiKey}`, "content-type": "text/plain" };
    for (let index = 0; index < 3; index++) {
      const body = "x".repeat(300_000);
      const pinned = await fetch(`${base}/v1/traces/${traceId}/pin`, { method: "POST", headers, body });
      expect(pinned.status).toBe(200);
      await pinned.body?.cancel();
      expect((await fetch(`${base}/v1/traces`, { headers })).status).toBe(200);
    }
  });
});

describe("fields that are no objects", () => {
  const message = async (response: Response) => [
    response.status,
    ((await response.json()) as { message: string }).message,
  ];

  test.each([
    [{ from_step: 1, edits: "diff" }, '"edits" must be an object'],
    [{ from_step: 1, edits: { source_diffs: {} } }, '"edits.source_diffs" must be a list of 0 to 100'],
    [{ from_step: 1, edits: { source_diffs: ["x"] } }, '"edits.source_diffs.0" must be an object'],
    [
      { from_step: 1, edits: { scenario_dif: "x" } },
      '"edits.scenario_dif" is not known; there are scenario_diff',
    ],
  ])("of a replay are refused: %j", async (body, said) => {
    const answer = await post(t, `/v1/traces/${traceId}/replay`, body);
    expect(await message(answer)).toEqual([400, expect.stringContaining(said)]);
  });

  test("of a manifest are refused, and so are those that nobody knows", async () => {
    const begin = (more: object) =>
      post(t, "/internal/v1/traces", { version: 1, scenario: { slug: "a" }, ...more }).then(message);
    expect(await begin({ env: "chrome" })).toEqual([400, expect.stringContaining('"env" must be an object')]);
    expect(await begin({ env: ["chrome"] })).toEqual([400, expect.stringContaining('"env"')]);
    expect(await begin({ scenario: "a" })).toEqual([
      400,
      expect.stringContaining('"scenario" must be an object'),
    ]);
    expect(await begin({ commit_sha: "abc" })).toEqual([
      400,
      expect.stringContaining('"commit_sha" is not known'),
    ]);
    expect(await begin({ scenario: { slug: "a", name: "A" } })).toEqual([
      400,
      expect.stringContaining('"scenario.name" is not known; there are slug, title'),
    ]);
  });
});

describe("uploads", () => {
  const upload = (form: FormData) => t.api("/v1/traces/ingest", { method: "POST", body: form });

  test("with a form field that is not known are refused, and nothing is stored", async () => {
    const before = await statement(t.store, "SELECT count(*) AS n FROM traces");
    for (const value of ["x", new File(["x"], "x.txt")]) {
      const form = uploadForm(bundle([manifest(), events(eventLines(2))]));
      form.append("comit_sha", value);
      const answer = await upload(form);
      expect(answer.status).toBe(400);
      const { error, message } = (await answer.json()) as { error: string; message: string };
      expect(error).toBe("invalid_request");
      expect(message).toContain("`comit_sha` is no field of an upload; there are bundle, scenario_slug");
    }
    expect(await statement(t.store, "SELECT count(*) AS n FROM traces")).toEqual(before);
  });

  test("with fields in their manifest.json that are not known are taken, with a warning", async () => {
    const file = bundle([
      manifest({ comit_sha: "x", scenario: { slug: "a", title: "A", owner: "me" } }),
      events(eventLines(2)),
    ]);
    const answer = await upload(uploadForm(file));
    expect(answer.status).toBe(200);
    const { warnings } = (await answer.json()) as { warnings: string[] };
    expect(warnings.join(" ")).toContain("comit_sha");
    expect(warnings.join(" ")).toContain("scenario.owner");
  });
});

test("a body check refuses every field but those of its schema, at any depth, and takes all that fits", () => {
  const Leaf = Type.Object({ known: Type.Optional(Type.Integer()) });
  const check = createBodyCheck(
    Type.Object({
      list: Type.Array(Leaf),
      either: Type.Union([Leaf, Type.Null()]),
      open: Type.Record(Type.String(), Type.Unknown()),
    }),
  );
  const leaf = fc.record({ known: fc.integer() }, { requiredKeys: [] });
  const fitting = fc.record({
    list: fc.array(leaf),
    either: fc.option(leaf),
    open: fc.dictionary(fc.string(), fc.jsonValue()),
  });
  fc.assert(
    fc.property(fitting, fc.string(), fc.jsonValue(), (body, name, value) => {
      const sent = JSON.parse(JSON.stringify(body)) as typeof body & Record<string, unknown>;
      expect(() => check(sent)).not.toThrow();
      fc.pre(!["list", "either", "open", "known"].includes(name));
      const with_ = (object: object) =>
        JSON.parse(
          `{${JSON.stringify(name)}:${JSON.stringify(value)},${JSON.stringify(object).slice(1)}`.replace(
            ",}",
            "}",
          ),
        );
      expect(() => check(with_(sent))).toThrow("is not known");
      expect(() => check({ ...sent, list: [...sent.list, with_({ known: 1 })] })).toThrow("is not known");
      expect(() => check({ ...sent, either: with_({ known: 1 }) })).toThrow("is not known");
    }),
  );
});
