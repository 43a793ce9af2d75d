import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type TestApp, testApp } from "../../helpers/app.ts";
import { eventLines, events, sha256 } from "../../helpers/bundles.ts";
import { plainNames } from "../../helpers/trace-files.ts";
import { getJson, otherOrg, post, type TraceJson, uploadTrace } from "../../helpers/traces.ts";
import { operationsOf, type Parameter, sampleOf } from "../../hostile/operations.ts";

let app: TestApp;
beforeAll(async () => {
  app = await testApp({
    settings: {
      auto_pin_failed: false,
      rate_limits: { reads_per_minute: 100_000, writes_per_minute: 100_000, ingests_per_minute: 100_000 },
    },
  });
});
afterAll(() => app.close());

interface Page {
  items: TraceJson[];
  next_cursor: string | null;
}

const list = (query = "") => getJson<Page>(app, `/v1/traces${query}`);

/** A failing bundle: the assertion's message is the failure. */
const failing = (message: string) => [
  events(eventLines(5, (seq) => (seq === 3 ? { kind: "assertion", ok: false, message } : {}))),
];

describe("GET /v1/traces", () => {
  test("an item has every field, times in ISO 8601 and null where nothing is known", async () => {
    const { id, shortId } = await uploadTrace(app, { slug: "fields" });
    const { items, next_cursor } = await list("?scenario=fields");
    expect(next_cursor).toBeNull();
    expect(items).toHaveLength(1);
    expect<unknown>(items[0]).toEqual({
      id,
      short_id: shortId,
      scenario_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      scenario_slug: "fields",
      scenario_title: "Guest checkout",
      test: null,
      status: "passed",
      tier: "hot",
      pinned: false,
      source: null,
      duration_ms: 30_000,
      code_sha: null,
      failure_signature: null,
      failure_message: null,
      headline: null,
      final_screenshot: null,
      event_count: 10,
      error_count: 0,
      total_size_bytes: expect.any(Number),
      share_visibility: null,
      created_at: "2026-03-01T12:00:00.000Z",
    });
  });

  test("pages of every size lead through all traces once, newest first", async () => {
    const ids: string[] = [];
    for (let made = 0; made < 7; made++) {
      app.clock.advance(made % 2 === 0 ? 0 : 1000);
      ids.unshift((await uploadTrace(app, { slug: "pages" })).id);
    }
    for (const limit of [1, 2, 3, 7, 8]) {
      const seen: string[] = [];
      let cursor: string | null = null;
      do {
        const page: Page = await list(`?scenario=pages&limit=${limit}${cursor ? `&cursor=${cursor}` : ""}`);
        expect(page.items.length).toBeLessThanOrEqual(limit);
        seen.push(...page.items.map(({ id }) => id));
        cursor = page.next_cursor;
      } while (cursor);
      expect(seen).toEqual(ids);
    }
  });

  test("from is included and to is not", async () => {
    const { id } = await uploadTrace(app, { slug: "times" });
    const { created_at } = await getJson(app, `/v1/traces/${id}`);
    const at = Date.parse(String(created_at));
    const iso = (ms: number) => encodeURIComponent(new Date(ms).toISOString());
    const count = async (query: string) => (await list(`?scenario=times${query}`)).items.length;
    expect(await count(`&from=${iso(at)}`)).toBe(1);
    expect(await count(`&from=${iso(at + 1)}`)).toBe(0);
    expect(await count(`&to=${iso(at)}`)).toBe(0);
    expect(await count(`&to=${iso(at + 1)}`)).toBe(1);
    expect(await count(`&from=${iso(at)}&to=${iso(at)}`)).toBe(0);
  });

  test("filters and search find a failed trace by what it says", async () => {
    const { id } = await uploadTrace(app, {
      slug: "failing",
      entries: failing("Order 4711 was not confirmed"),
      manifest: { status: "failed" },
      fields: { source: "pr", commit_sha: "abc123" },
    });
    const { failure_signature } = await getJson(app, `/v1/traces/${id}`);
    for (const query of [
      "?q=confirmed&status=failed",
      "?q=%22was+not+confirmed%22",
      "?q=confirm*&source=pr&tier=hot&pinned=false",
      `?signature=${failure_signature}`,
      "?scenario=failing&q=",
      "?scenario=failing&unknown=parameter",
    ])
      expect((await list(query)).items.map((item) => item.id)).toEqual([id]);
    for (const query of [
      "?q=confirmed&status=passed",
      "?q=confirm",
      "?scenario=failing&source=manual",
      "?q=%2B%2B",
      "?scenario=nowhere",
    ])
      expect((await list(query)).items).toEqual([]);
  });

  test.each([
    ["scenario_id", "scenario_id=7"],
    ["status", "status=broken"],
    ["status", "status="],
    ["source", "source=PR"],
    ["tier", "tier=tepid"],
    ["pinned", "pinned=yes"],
    ["from", "from=yesterday"],
    ["to", "to=2026-13-01"],
    ["from", "from=2026-02-02&to=2026-02-01"],
    ["limit", "limit=0"],
    ["limit", "limit=201"],
    ["limit", "limit=1.5"],
    ["limit", "limit="],
    ["cursor", "cursor=nonsense"],
    ["cursor", "cursor="],
    ["q", "q=a%00b"],
    ["q", `q=${"a".repeat(1001)}`],
    ["status", "status=failed&status=passed"],
  ])("a bad %s is 400 and named: %s", async (name, query) => {
    const response = await app.api(`/v1/traces?${query}`);
    expect(response.status).toBe(400);
    const body = (await response.json()) as { error: string; message: string };
    expect(body.error).toBe("invalid_request");
    expect(body.message).toContain(`"${name}"`);
  });

  test("what is asked of the list never fails the server", async () => {
    for (const q of [
      '"',
      "*",
      "a* OR b",
      "NEAR(a b)",
      "title:x",
      "{a}",
      "\u0000".replace("\0", "x"),
      "(",
      "^a",
      "a AND",
      "👩‍👩‍👧",
      "'; DROP TABLE traces",
    ])
      expect((await app.api(`/v1/traces?q=${encodeURIComponent(q)}`)).status).toBe(200);
  });
});

test("filters that exclude each other find nothing", async () => {
  expect((await list("?status=failed&not_status=failed")).items).toEqual([]);
});

describe("GET /v1/traces/facets", () => {
  test("counts what the list would show", async () => {
    const facets = await getJson<{
      status: Record<string, number>;
      scenarios: { slug: string; count: number }[];
      signatures: unknown[];
    }>(app, "/v1/traces/facets");
    const all = (await list("?limit=200")).items;
    expect(facets.status.failed).toBe(all.filter((item) => item.status === "failed").length);
    expect(facets.status.passed).toBe(all.filter((item) => item.status === "passed").length);
    const { items } = await list("?scenario=pages&limit=200");
    expect(facets.scenarios.find(({ slug }) => slug === "pages")?.count).toBe(items.length);
    expect(facets.signatures[0]).toEqual({
      signature: expect.stringMatching(/^sig_[0-9a-f]{16}$/),
      message: "Order 4711 was not confirmed",
      count: 1,
      last_at: expect.stringMatching(/^2026-/),
    });
  });
});

test("facets count within the filter, and a filter that is wrong is refused as in the list", async () => {
  const within = await getJson<{
    status: Record<string, number>;
    scenarios: { slug: string }[];
    partial: string[];
  }>(app, "/v1/traces/facets?scenario=pages&status=failed");
  const { items } = await list("?scenario=pages&limit=200");
  expect(within.status).toEqual({ passed: items.length });
  expect(within.scenarios.map(({ slug }) => slug)).not.toContain("pages");
  expect(within.partial).toEqual([]);
  expect((await getJson<{ status: object }>(app, "/v1/traces/facets?scenario=nobody-has-it")).status).toEqual(
    {},
  );
  expect((await app.api("/v1/traces/facets?status=nonsense")).status).toBe(400);
});

describe("GET /v1/traces/{id}", () => {
  test("the detail has links to the files that exist, and only to them", async () => {
    const { id } = await uploadTrace(app);
    const detail = await getJson(app, `/v1/traces/${id}`);
    expect(Object.keys(detail.signed_urls).sort()).toEqual(["ndjson", "summary"]);
    expect(detail).toMatchObject({
      s3_prefix: `traces/${id}/`,
      parent_trace_id: null,
      replay_from_step: null,
      blob_count: 0,
      warnings: [],
      restore_error: null,
      share_visibility: null,
      share_expires_at: null,
      started_at: "2026-01-02T03:04:05.000Z",
      ended_at: "2026-01-02T03:04:35.000Z",
    });
    expect(detail).not.toHaveProperty("playwright_viewer_url");
    expect(Date.parse(String(detail.expires_at)) - Date.parse(String(detail.created_at))).toBe(
      30 * 86_400_000,
    );
  });

  test("an id in capitals is the same trace; what is no UUID, or no trace, is 404", async () => {
    const { id } = await uploadTrace(app);
    expect((await app.api(`/v1/traces/${id.toUpperCase()}`)).status).toBe(200);
    for (const unknown of ["nope", "..%2f..%2fetc", "%00", "019ca945-0a00-7045-af54-0fe9595256ef"]) {
      const response = await app.api(`/v1/traces/${unknown}`);
      expect(response.status).toBe(404);
      expect(await response.json()).toMatchObject({ error: "not_found" });
    }
  });

  test("the summary is the stored file", async () => {
    const { id } = await uploadTrace(app);
    const response = await app.api(`/v1/traces/${id}/summary`);
    expect(response.headers.get("content-type")).toStartWith("application/json");
    const bytes = await response.bytes();
    expect(response.headers.get("etag")).toBe(`"${sha256(bytes)}"`);
    expect(JSON.parse(Buffer.from(bytes).toString())).toMatchObject({ version: 1, event_count: 10 });
  });
});

describe("pinning and removing", () => {
  test("a pin may be set and taken twice, and is written down once", async () => {
    const { id } = await uploadTrace(app);
    for (const [path, pinned] of [
      ["pin", true],
      ["pin", true],
      ["unpin", false],
      ["unpin", false],
    ] as const) {
      const response = await post(app, `/v1/traces/${id}/${path}`);
      expect(response.status).toBe(200);
      expect(await response.json()).toEqual({ pinned });
      const { pinned: now, expires_at } = await getJson(app, `/v1/traces/${id}`);
      expect(now).toBe(pinned);
      expect(expires_at === null).toBe(pinned);
    }
    const audit = await app.store.records
      .selectFrom("audit_events")
      .select("action")
      .where("target", "=", id)
      .execute();
    expect(audit.map(({ action }) => action)).toEqual(["trace.ingest", "trace.pin", "trace.unpin"]);
  });

  test("a pinned trace is removed only by force; a removed one leaves nothing behind", async () => {
    const { id } = await uploadTrace(app, { slug: "removed" });
    await post(app, `/v1/traces/${id}/pin`);
    const remove = (query = "") => app.api(`/v1/traces/${id}${query}`, { method: "DELETE" });
    const refused = await remove();
    expect(refused.status).toBe(409);
    expect(await refused.json()).toMatchObject({ error: "conflict" });
    const removed = await remove("?force=1");
    expect(removed.status).toBe(204);
    expect(await removed.text()).toBe("");
    await app.runJobs();
    expect((await app.api(`/v1/traces/${id}`)).status).toBe(404);
    expect((await remove()).status).toBe(404);
    expect((await list("?scenario=removed")).items).toEqual([]);
    expect(plainNames(app.store.layout.trace(id))).toEqual([]);
  });
});

test("a trace of another org is 403 on every operation, and its list does not show it", async () => {
  const { id } = await uploadTrace(app, { slug: "isolated", entries: [events(eventLines(3))] });
  const other = await otherOrg(app);
  const all = operationsOf(await (await app.api("/openapi.json")).json());
  const ofOne = all.filter(({ path, parameters }) => {
    const names = parameters.map(({ name }) => name);
    return /^\/v1\/traces\/(?:\{id\}|diff)/.test(path) && ["id", "a"].some((name) => names.includes(name));
  });
  expect(ofOne.map(({ operationId }) => operationId)).toEqual(
    expect.arrayContaining(["traces.show", "events.stream", "share.create", "diffs.show"]),
  );
  const known = { id, a: id, b: id };
  const value = ({ name, schema }: Parameter) => encodeURIComponent(String(sampleOf(schema, known, name)));
  for (const { method, path, parameters, body } of ofOne) {
    const filled = path.replace(/\{(\w+)\}/g, (_, name) =>
      value(parameters.find((one) => one.name === name)!),
    );
    const query = parameters.filter((one) => one.in === "query" && one.required);
    const response = await other.api(
      `${filled}?${query.map((one) => `${one.name}=${value(one)}`).join("&")}`,
      {
        method,
        ...(body && {
          body: JSON.stringify(sampleOf(body.schema, known)),
          headers: { "content-type": "application/json" },
        }),
      },
    );
    expect([method, path, response.status]).toEqual([method, path, 403]);
    expect(await response.json()).toMatchObject({ error: "wrong_org" });
  }
  expect(await (await other.api("/v1/traces?limit=200")).json()).toEqual({ items: [], next_cursor: null });
  expect(await (await other.api("/v1/traces?q=isolated")).json()).toEqual({ items: [], next_cursor: null });
  expect(await (await other.api("/v1/traces/facets")).json()).toMatchObject({ status: {}, scenarios: [] });
  const mine = await getJson(app, `/v1/traces/${id}`);
  const byMyScenario = await other.api(`/v1/traces?scenario_id=${mine.scenario_id}&status=passed`);
  expect(await byMyScenario.json()).toEqual({ items: [], next_cursor: null });
  expect((await app.api(`/v1/traces/${id}`)).status).toBe(200);
});

test("a key sees what its scopes let it see", async () => {
  const { id } = await uploadTrace(app);
  const made = await post(app, "/v1/api-keys", { name: "reader", scopes: ["traces:read"] });
  const { key } = (await made.json()) as { key: string };
  const as = { headers: { authorization: `Bearer ${key}` } };
  expect((await app.api(`/v1/traces/${id}`, as)).status).toBe(200);
  for (const [path, scope] of [
    ["pin", "traces:write"],
    ["restore", "traces:write"],
    ["share", "traces:share"],
  ] as const) {
    const response = await app.api(`/v1/traces/${id}/${path}`, { ...as, method: "POST" });
    expect(response.status).toBe(403);
    expect(((await response.json()) as { message: string }).message).toContain(scope);
  }
  expect((await app.api(`/v1/traces/${id}`, { headers: { authorization: "" } })).status).toBe(401);
});

test("the live list tells of a change", async () => {
  const { id } = await uploadTrace(app);
  const abort = new AbortController();
  const response = await app.api("/v1/traces/live", { signal: abort.signal });
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  expect((await reader.read()).value).toBe(": heartbeat\n\n");
  await post(app, `/v1/traces/${id}/pin`);
  const { value } = await reader.read();
  expect(value).toBe(`data: ${JSON.stringify({ type: "trace.changed", id, status: "passed" })}\n\n`);
  abort.abort();
});
