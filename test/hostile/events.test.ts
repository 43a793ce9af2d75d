import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import { type EventFields, KNOWN_KINDS } from "../../server/trace/format/event.ts";
import { closeBrowser } from "../helpers/browser.ts";
import { bundle, events, manifest, type TarEntry, uploadForm } from "../helpers/bundles.ts";
import { post, uploadTrace } from "../helpers/traces.ts";
import { type ViewerApp, viewerApp } from "../helpers/viewer.ts";
import { type Operation, operationsOf } from "./operations.ts";
import { encoded, TEXTS, VALUES } from "./values.ts";

setDefaultTimeout(180_000);

/** Many times what the slowest answer takes on a busy machine. */
const MOST_MS = 20_000;
const START = 1_767_323_045_000;

/** Every field that an event of a kind has. Whoever adds a kind or a field is asked by the compiler to name it here. */
const FIELDS: { [Kind in keyof EventFields]: { [Field in keyof Required<EventFields[Kind]>]: true } } = {
  "agent.action": {
    name: true,
    title: true,
    params: true,
    duration_ms: true,
    error: true,
    log: true,
    stack: true,
    parent_step_id: true,
    page: true,
    attachments: true,
    returned: true,
    picked: true,
    point: true,
  },
  "agent.thought": { text: true },
  assertion: {
    ok: true,
    message: true,
    name: true,
    expected: true,
    received: true,
    test_id_attribute: true,
    duration_ms: true,
    error: true,
    log: true,
    stack: true,
    parent_step_id: true,
    page: true,
    attachments: true,
  },
  console: { text: true, location: true, stack: true },
  "network.request": {
    request_id: true,
    method: true,
    url: true,
    headers: true,
    body: true,
    resource_type: true,
    page: true,
  },
  "network.response": {
    request_id: true,
    method: true,
    url: true,
    status: true,
    status_text: true,
    headers: true,
    body: true,
    body_size: true,
    media_type: true,
    duration_ms: true,
    timing: true,
    resource_type: true,
    error: true,
    page: true,
  },
  "network.websocket_frame": {
    request_id: true,
    direction: true,
    opcode: true,
    size: true,
    text: true,
    base64: true,
    blob: true,
    is_cut: true,
    page: true,
  },
  "storage.state": { cookies: true, origins: true },
  "dom.snapshot": { url: true, html: true, snapshot: true, page: true, frame: true },
  screenshot: { blob: true, width: true, height: true, page: true },
  "script.coverage": { entries: true },
};
/** Fields of the kinds that are described in words alone, and of all of them. */
const LOOSE = [
  "step_id",
  "media_type",
  "key",
  "before",
  "after",
  "service",
  "by_ms",
  "to",
  "url",
  "ms",
  "status",
  "rrweb",
];

const fieldsOfKind = (kind: string): string[] => {
  const named = Object.entries(FIELDS).find(([name]) => kind === name || kind.startsWith(`${name}.`));
  return named ? [...Object.keys(named[1]), "step_id"] : LOOSE;
};

/** What an event of the kind may look like whose one field is not as it should be. */
const NEIGHBOURS: Record<string, unknown> = {
  step_id: "step",
  name: "click",
  request_id: "r1",
  url: "http://shop.test/",
  method: "GET",
  status: 500,
  headers: [{ name: "a", value: "b" }],
  duration_ms: 5,
  ok: false,
  message: "Expected: 1\nReceived: 2",
  error: { message: "Timed out", stack: "at a.ts:1:1" },
};

/** Around the hostile value, in the forms that lists and objects of events have. */
const wrapped = (value: unknown): unknown[] => [
  value,
  { name: value, value, message: value, stack: value, file: value, url: value, x: value, blob: value },
  [
    {
      name: value,
      value,
      file: value,
      line: value,
      url: value,
      ranges: [value],
      local_storage: [{ name: value, value }],
    },
  ],
];

/** Each of the fields of a kind with each of the values. */
function eventsOf(
  kind: string,
  fields: string[],
  values: Record<string, unknown>,
  forms: (value: unknown) => unknown[] = wrapped,
): Record<string, unknown>[] {
  const base = Object.fromEntries(Object.entries(NEIGHBOURS).filter(([name]) => fields.includes(name)));
  return fields.flatMap((field) =>
    Object.values(values).flatMap((value) => forms(value).map((form) => ({ kind, ...base, [field]: form }))),
  );
}

const linesOf = (all: Record<string, unknown>[]): string =>
  all.map((event, seq) => `${JSON.stringify({ ...event, seq, ts: START + seq })}\n`).join("");

/** The large ones are in a trace of their own: in every field they would be gigabytes. */
const LARGE = [
  "huge",
  "huge and of four bytes each",
  "list of many",
  "nested lists",
  "nested objects",
  "many keys",
];
const SMALL = Object.fromEntries(Object.entries(VALUES).filter(([name]) => !LARGE.includes(name)));
const large = Object.fromEntries(Object.entries(VALUES).filter(([name]) => LARGE.includes(name)));

let viewer: ViewerApp;
let reads: Operation[];

beforeAll(async () => {
  const many = 1_000_000;
  viewer = await viewerApp({
    settings: {
      rate_limits: { reads_per_minute: many, writes_per_minute: many, ingests_per_minute: many },
    },
  });
  const all = operationsOf(await (await viewer.app.api("/openapi.json")).json());
  reads = all.filter(
    ({ method, path }) => method === "GET" && /^\/v1\/traces\/\{id\}|^\/r\/|^\/v1\/traces\/diff/.test(path),
  );
});
afterAll(async () => {
  await closeBrowser();
  await viewer.close();
});

async function keep(entries: TarEntry[], slug: string): Promise<{ id: string; shortId: string }> {
  const trace = await uploadTrace(viewer.app, { entries, slug, manifest: { status: "failed" } });
  const shared = await post(viewer.app, `/v1/traces/${trace.id}/share`, {
    visibility: "public-read",
    expires_days: 1,
  });
  if (shared.status !== 200) throw new Error(await shared.text());
  return trace;
}

/** Asks everything that can be read of a trace. */
async function problemsOfReads({ id, shortId }: { id: string; shortId: string }): Promise<string[]> {
  const problems: string[] = [];
  const row = (await (await viewer.app.api(`/v1/traces/${id}`)).json()) as { status: string };
  if (row.status !== "failed") problems.push(`the trace is ${row.status}`);
  const known: Record<string, string> = { id, shortId, sha256: "0".repeat(64), name: "after@call@1" };
  for (const { operationId, path, parameters } of reads) {
    const query = new URLSearchParams();
    for (const { name, in: where, required } of parameters)
      if (where === "query" && required) query.set(name, { a: id, b: id, q: "hostile" }[name] ?? "1");
    const asked = `${path.replace(/\{(\w+)\}/g, (_, name: string) => known[name] ?? "x")}?${query}`;
    const isPage = path === "/r/{shortId}";
    for (const accept of isPage ? ["text/html", "text/markdown"] : ["application/json"]) {
      viewer.app.clock.advance(250);
      const began = performance.now();
      const response = await viewer.app.api(asked, { headers: { accept } });
      const isStream = response.headers.get("content-type")?.startsWith("text/event-stream");
      if (isStream) await response.body?.cancel();
      else await response.bytes();
      const took = Math.round(performance.now() - began);
      // What is not there (a picture, a recording) is not there; what is there is answered.
      if (response.status >= 500 || [400, 422, 429].includes(response.status) || took > MOST_MS)
        problems.push(`${operationId} (${accept}): ${response.status} after ${took} ms`);
    }
  }
  return problems;
}

async function problemsOfPages(page: Page, trace: { id: string; shortId: string }): Promise<string[]> {
  const problems: string[] = [];
  for (const path of [`/traces/${trace.id}`, `/r/${trace.shortId}`, `/r/${trace.shortId}/embed`]) {
    viewer.app.clock.advance(10_000);
    await page.goto(viewer.base + path);
    await page.locator("#app :is(main, [role=main], .trace)").first().waitFor();
    await page.waitForLoadState("networkidle");
    const owned = await page.evaluate(() => {
      const own = document.querySelectorAll(
        "hostile-mark, img[onerror], iframe[srcdoc], a[href^='javascript:' i]",
      );
      return { ran: Reflect.get(globalThis, "owned") !== undefined, elements: own.length };
    });
    if (owned.ran || owned.elements > 0) problems.push(`${path}: ${JSON.stringify(owned)}`);
  }
  return problems;
}

/** Kinds whose fields are written down, each in a trace of its own; the others share one. */
const DESCRIBED = Object.keys(FIELDS).map((kind) => (kind === "console" ? "console.error" : kind));
const OTHERS = [
  ...KNOWN_KINDS.filter((kind) => !DESCRIBED.includes(kind)),
  "nobody.knows",
  "__proto__",
  TEXTS["markup that breaks out"]!.slice(0, 200),
];

test.each(DESCRIBED)(
  "events of the kind %s with anything in their fields are kept, and all that is read of them is answered",
  async (kind) => {
    const trace = await keep([events(linesOf(eventsOf(kind, fieldsOfKind(kind), SMALL)))], "hostile");
    expect(await problemsOfReads(trace)).toEqual([]);
  },
);

test("events of all other kinds, and of kinds that nobody knows, too", async () => {
  const all = OTHERS.flatMap((kind) => eventsOf(kind, LOOSE, SMALL, (value) => [value]));
  expect(await problemsOfReads(await keep([events(linesOf(all))], "hostile"))).toEqual([]);
});

test("large and deep values in the fields of every kind are answered for too, or refused when they come", async () => {
  const lineWith = (value: unknown, at: number) =>
    KNOWN_KINDS.flatMap((kind) =>
      fieldsOfKind(kind)
        .filter((_, index) => index % LARGE.length === at)
        .map((field) => ({ kind, [field]: value })),
    );
  for (const [at, [name, value]] of Object.entries(large).entries()) {
    const entries = [events(linesOf(lineWith(value, at)))];
    const body = uploadForm(bundle([manifest(), ...entries]));
    const { status } = await viewer.app.api("/v1/traces/ingest", { method: "POST", body });
    expect([200, 400]).toContain(status);
    if (status === 200)
      expect({ name, problems: await problemsOfReads(await keep(entries, `large-${at}`)) }).toEqual({
        name,
        problems: [],
      });
  }
});

test("no page that shows such events runs anything of them, or takes it for markup", async () => {
  const marks = Object.fromEntries(
    Object.entries(TEXTS).filter(([name]) => /markup|address|link|ANSI|direction/.test(name)),
  );
  const lines = KNOWN_KINDS.flatMap((kind) =>
    fieldsOfKind(kind).flatMap((field) =>
      Object.values(marks).map((value) => ({ kind, ...NEIGHBOURS, [field]: value })),
    ),
  );
  const trace = await keep([events(linesOf(lines))], "marked");
  const { page, context, complaints } = await viewer.open("/traces");
  expect(await problemsOfPages(page, trace)).toEqual([]);
  expect(complaints.filter((complaint) => !/404 \(Not Found\)/.test(complaint))).toEqual([]);
  await context.close();
});

test.each(Object.entries(TEXTS))("a search for %s in such a trace is answered", async (_, text) => {
  const trace = await searched();
  const q = encoded(text);
  if (q === null) return;
  for (const path of [
    `/v1/traces/${trace.id}/events?q=${q}`,
    `/v1/traces/${trace.id}/find?q=${q}`,
    `/v1/traces?q=${q}`,
  ]) {
    viewer.app.clock.advance(250);
    const response = await viewer.app.api(path);
    await response.bytes();
    expect([path.slice(0, 80), response.status < 500]).toEqual([path.slice(0, 80), true]);
  }
});

let kept: Promise<{ id: string; shortId: string }> | null = null;
function searched(): Promise<{ id: string; shortId: string }> {
  kept ??= keep([events(linesOf(eventsOf("console.log", ["text"], SMALL)))], "searched");
  return kept;
}
