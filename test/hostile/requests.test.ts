import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { SCIM_ERROR, SCIM_TYPE } from "../../server/http/dialect.ts";
import { type TestApp, testApp } from "../helpers/app.ts";
import { bundle, eventLines, events, manifest, uploadForm } from "../helpers/bundles.ts";
import { pathOf, post, uploadTrace } from "../helpers/traces.ts";
import { fieldsOf, type Operation, operationsOf, type Parameter, sampleOf, withField } from "./operations.ts";
import { BODIES, encoded, RAW, TEXTS, VALUES } from "./values.ts";

setDefaultTimeout(120_000);

const TOKEN = "internal-of-the-test";
/** Many times what the slowest answer takes on a busy machine. */
const MOST_MS = 10_000;
const MANY = 1_000_000;

let app: TestApp;
let operations: Operation[];
/** By the names of parameters and fields: what this server has. */
let known: Record<string, unknown>;

beforeAll(async () => {
  app = await testApp({
    settings: {
      internal_service_token: TOKEN,
      rate_limits: { reads_per_minute: MANY, writes_per_minute: MANY, ingests_per_minute: MANY },
    },
  });
  operations = operationsOf(await (await app.api("/openapi.json")).json());
  const { id, shortId } = await uploadTrace(app, { entries: [events(eventLines(20))] });
  await post(app, `/v1/traces/${id}/share`, { visibility: "public-read", expires_days: 1 });
  await post(app, "/v1/scenarios/sync", {
    files: [{ path: "a.scenario.md", text: '---\nslug: a\ntitle: A\n---\n1. go to "http://localhost:1/"\n' }],
  });
  const chat = (await (await post(app, `/v1/traces/${id}/chats`, {})).json()) as { id: string };
  known = {
    chat_id: chat.id,
    id,
    shortId,
    a: id,
    b: id,
    trace_id: id,
    scenarioId: "a",
    scenario: "checkout",
    scenario_slug: "checkout",
  };
});
afterAll(() => app.close());

interface Sent {
  /** Said when the answer is not as it should be. */
  what: string;
  path: string;
  headers?: Record<string, string>;
  body?: NonNullable<RequestInit["body"]>;
}

const NOBODY = "00000000-0000-7000-8000-000000000000";

const pathFor = ({ method, path, parameters }: Operation, raw: Record<string, string> = {}): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const { schema = {} } = parameters.find((one) => one.name === name) ?? {};
    // What is there is to be there for the next request too.
    if (method === "DELETE" && (name === "id" || name === "chat_id")) return raw[name] ?? NOBODY;
    return raw[name] ?? encodeURIComponent(String(sampleOf(schema, known, name)));
  });

const queryFor = ({ parameters }: Operation, without = ""): string[] =>
  parameters
    .filter((one) => one.in === "query" && one.required && one.name !== without)
    .map(({ name, schema }) => `${name}=${encodeURIComponent(String(sampleOf(schema, known, name)))}`);

/** Anybody's request; what it is answered must be an answer to it, and nothing else. */
async function send(operation: Operation, { what, path, headers = {}, body }: Sent): Promise<string[]> {
  // Requests are counted by time, and none of them is to be refused for its number.
  app.clock.advance(250);
  const isInternal = operation.security.some((one) => "internal" in one);
  const request: RequestInit = {
    method: operation.method,
    redirect: "manual",
    headers: { ...(isInternal ? { authorization: "", "x-internal-token": TOKEN } : {}), ...headers },
    ...(body === undefined ? {} : { body }),
  };
  const began = performance.now();
  const response = await app.api(path, request);
  const problems = await problemsOf(response);
  const took = performance.now() - began;
  if (took > MOST_MS) problems.push(`took ${Math.round(took)} ms`);
  return problems.map((problem) => `${operation.operationId}, ${what}: ${problem}`);
}

async function problemsOf(response: Response): Promise<string[]> {
  const { status, headers } = response;
  const type = headers.get("content-type") ?? "";
  if (type.startsWith("text/event-stream")) {
    await response.body?.cancel();
    return [];
  }
  const problems: string[] = [];
  const text = await response.text();
  if (status >= 500 || status === 429) problems.push(`${status} ${text.slice(0, 200)}`);
  const location = headers.get("location");
  if (location !== null && !/^(?:http:\/\/localhost)?\/(?![/\\])/.test(location))
    problems.push(`leads to ${location.slice(0, 100)}`);
  if (headers.has("set-cookie") && headers.get("set-cookie")!.includes("owned"))
    problems.push("sets a cookie");
  if (type.startsWith("text/html") && /<hostile-mark|<script>globalThis|onerror=globalThis/.test(text))
    problems.push("has markup in its page");
  if (status >= 400 && type.startsWith("application/json")) problems.push(...shapeOf(text));
  else if (status >= 400 && type.startsWith(SCIM_TYPE)) problems.push(...scimShapeOf(text, status));
  else if (status >= 400 && !type.startsWith("text/html"))
    problems.push(`${status} is of the type "${type}"`);
  return problems;
}

/** An error is a code and a sentence, as short as one, that shows no control characters to a terminal. */
function shapeOf(text: string): string[] {
  const body = JSON.parse(text) as Record<string, unknown>;
  // OAuth calls it otherwise (RFC 6749, section 5.2).
  const { error, error_description, message = error_description, ...more } = body;
  if (typeof error !== "string" || !/^[a-z_]+$/.test(error)) return [`error is ${JSON.stringify(error)}`];
  if (typeof message !== "string" || message === "") return ["has no message"];
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  if (/[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/.test(message))
    return [`echoes control characters: ${JSON.stringify(message.slice(0, 200))}`];
  if (message.length > 20_000) return [`says ${message.length} characters`];
  return Object.keys(more)
    .filter((name) => !["problems", "details"].includes(name))
    .map((name) => `has a field ${name} beside its message`);
}

/** The same in SCIM's form (RFC 7644, section 3.12). */
function scimShapeOf(text: string, status: number): string[] {
  const { schemas, status: said, scimType, detail, ...more } = JSON.parse(text) as Record<string, unknown>;
  if (String(schemas) !== SCIM_ERROR || said !== String(status)) return ["is no error of SCIM"];
  const isTyped = scimType === undefined || /^[a-zA-Z]+$/.test(String(scimType));
  return shapeOf(JSON.stringify({ error: isTyped ? "scim" : scimType, message: detail, ...more }));
}

function* badParameters(operation: Operation, parameter: Parameter): Generator<Sent> {
  const { name } = parameter;
  const base = queryFor(operation, name);
  const query = (text: string) => `${pathFor(operation)}?${[...base, text].join("&")}`;
  for (const [label, text] of Object.entries(TEXTS)) {
    const what = `${parameter.in} ${name}: ${label}`;
    const value = encoded(text);
    if (parameter.in === "header") {
      if (!/^[\x20-\x7e]*$/.test(text)) continue;
      yield { what, path: pathFor(operation), headers: { [name]: text } };
    } else if (value !== null && parameter.in === "path" && value !== "")
      yield { what, path: [pathFor(operation, { [name]: value }), base.join("&")].join("?") };
    else if (value !== null && parameter.in === "query") yield { what, path: query(`${name}=${value}`) };
  }
  for (const [label, raw] of Object.entries(RAW)) {
    const what = `${parameter.in} ${name}: raw ${label}`;
    if (parameter.in === "path")
      yield { what, path: [pathFor(operation, { [name]: raw }), base.join("&")].join("?") };
    if (parameter.in === "query") yield { what, path: query(`${name}=${raw}`) };
  }
  if (parameter.in !== "query") return;
  for (const raw of [
    `${name}=1&${name}=2`,
    `${name}[]=1`,
    `${name}[__proto__]=1`,
    `${name}=[1,2]`,
    `${name}={"a":1}`,
    name,
  ])
    yield { what: `query ${raw}`, path: query(raw) };
}

function* badBodies(operation: Operation): Generator<Sent> {
  const { type, schema } = operation.body!;
  const path = [pathFor(operation), queryFor(operation).join("&")].join("?");
  for (const [label, body] of Object.entries(BODIES))
    yield {
      what: `body: ${label}`,
      path,
      body,
      headers: { "content-type": type.replace("multipart/form-data", "multipart/form-data; boundary=x") },
    };
  if (type === "application/json") {
    const base = sampleOf(schema, known);
    const headers = { "content-type": type };
    for (const field of [...fieldsOf(schema), ["nobody knows it"]])
      for (const [label, value] of Object.entries(VALUES)) {
        const body = JSON.stringify(withField(base, field, value));
        yield { what: `field ${field.join(".")}: ${label}`, path, headers, body };
      }
  }
  if (type === "application/x-www-form-urlencoded") {
    const base = sampleOf(schema, known) as Record<string, string>;
    const headers = { "content-type": type };
    for (const name of [...Object.keys(schema.properties ?? {}), "nobody knows it"])
      for (const [label, text] of Object.entries(TEXTS)) {
        if (!text.isWellFormed()) continue;
        const body = new URLSearchParams({ ...base, [name]: text }).toString();
        yield { what: `form field ${name}: ${label}`, path, headers, body };
      }
  }
  if (type !== "multipart/form-data") return;
  const file = bundle([manifest(), events(eventLines(1))]);
  for (const name of [...Object.keys(schema.properties ?? {}), "nobody knows it"])
    for (const [label, text] of Object.entries(TEXTS)) {
      if (!text.isWellFormed()) continue;
      const body = uploadForm(file, {
        scenario_slug: "checkout",
        ...(name === "bundle" ? {} : { [name]: text }),
      });
      if (name === "bundle") body.set("bundle", new File([text], "bundle.zip"));
      yield { what: `form field ${name}: ${label}`, path, body };
    }
}

/** Sends all of it and tells whatever went wrong, a few at a time. */
async function expectHarmless(requests: Iterable<[Operation, Sent]>): Promise<void> {
  const problems: string[] = [];
  let count = 0;
  for (const [operation, sent] of requests) {
    count += 1;
    problems.push(...(await send(operation, sent)));
    if (problems.length > 40) break;
  }
  expect(problems).toEqual([]);
  expect(count).toBeGreaterThan(500);
  expect(({} as { owned?: unknown }).owned).toBeUndefined();
  expect(Reflect.get(globalThis, "owned")).toBeUndefined();
}

test("no parameter of any operation takes the server, or whoever reads the answer, by surprise", async () => {
  await expectHarmless(
    (function* () {
      for (const operation of operations)
        for (const parameter of operation.parameters)
          for (const sent of badParameters(operation, parameter)) yield [operation, sent];
    })(),
  );
});

test("no body of any operation does, nor any field of it", async () => {
  await expectHarmless(
    (function* () {
      for (const operation of operations)
        if (operation.body) for (const sent of badBodies(operation)) yield [operation, sent];
    })(),
  );
});

test("a link to a file that was altered at any place opens nothing", async () => {
  const trace = (await (await app.api(`/v1/traces/${known.id}`)).json()) as {
    signed_urls: Record<string, string>;
  };
  const path = pathOf(trace.signed_urls.ndjson!);
  const files = operations.find(({ operationId }) => operationId === "files.read")!;
  const problems: string[] = [];
  for (const [label, text] of Object.entries(TEXTS)) {
    const value = encoded(text);
    if (value === null || value === "") continue;
    for (const bad of [
      path.replace(/[^/]+\?/, `${value}?`),
      `${path}&x=${value}`,
      path.replace(/expires=\d+/, `expires=${value}`),
    ]) {
      const response = await app.api(bad, { headers: { authorization: "" } });
      if (response.status < 400 || response.status >= 500)
        problems.push(`${files.path}, ${label}: ${response.status}`);
    }
  }
  expect(problems).toEqual([]);
});
