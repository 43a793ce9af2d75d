import { afterAll, beforeAll, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { extract } from "tar-stream";
import { type TestApp, testApp } from "../../helpers/app.ts";
import { blob, eventLines, events, sha256, uploadForm } from "../../helpers/bundles.ts";
import { getJson, pathOf, post, uploadTrace } from "../../helpers/traces.ts";

let app: TestApp;
beforeAll(async () => {
  app = await testApp({ settings: { auto_pin_failed: false } });
});
afterAll(() => app.close());

async function exported(id: string): Promise<Uint8Array> {
  const response = await app.api(`/v1/traces/${id}/export`);
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toBe("application/zstd");
  return response.bytes();
}

/** Members of a tar.zst, by name, as another program's library reads them. */
async function members(bundle: Uint8Array): Promise<Map<string, Buffer>> {
  const found = new Map<string, Buffer>();
  const reader = extract();
  reader.end(Buffer.from(await Bun.zstdDecompress(bundle as Uint8Array<ArrayBuffer>)));
  for await (const entry of reader) {
    const chunks: Buffer[] = [];
    for await (const chunk of entry) chunks.push(Buffer.from(chunk as Uint8Array));
    found.set(entry.header.name, Buffer.concat(chunks));
  }
  return found;
}

async function ingest(file: Uint8Array, slug = "again") {
  const response = await app.api("/v1/traces/ingest", {
    method: "POST",
    body: uploadForm(file, { scenario_slug: slug }),
  });
  expect(response.status).toBe(200);
  const answer = (await response.json()) as { trace_id: string; warnings: string[] };
  await app.runJobs();
  return answer;
}

const eventsText = async (id: string) => {
  const { signed_urls } = await getJson(app, `/v1/traces/${id}`);
  const bytes = await (await app.api(pathOf(signed_urls.ndjson!))).bytes();
  return Buffer.from(await Bun.zstdDecompress(bytes as Uint8Array<ArrayBuffer>)).toString();
};
const blobsOf = async (id: string) => {
  const rows = await app.store.records
    .selectFrom("trace_blobs")
    .selectAll()
    .where("trace_id", "=", id)
    .orderBy("hash")
    .execute();
  return rows.map(({ hash, media_type }) => `${hash} ${media_type}`);
};

test("a bundle comes back from ingest with the same events, blobs and manifest", async () => {
  const big = "x".repeat(300_000);
  const lines = eventLines(500, (seq) =>
    seq === 3
      ? {
          kind: "assertion",
          ok: false,
          message: "no order",
          body: `sha256:${sha256(big)}`,
          media_type: "text/plain",
        }
      : {},
  );
  const picture = Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    Buffer.alloc(100),
  ]);
  const { id } = await uploadTrace(app, {
    entries: [
      events(lines),
      blob(big),
      { name: "screenshots/final.png", content: picture },
      { name: "report.md", content: "# mine" },
      { name: "video.webm", content: Buffer.from([0x1a, 0x45, 0xdf, 0xa3, 1, 2, 3]) },
    ],
    manifest: {
      status: "failed",
      code_sha: "abc",
      source: "pr",
      pr_number: 7,
      run_id: "run-1",
      region: "eu-west-1",
      env: { browser: "chromium" },
    },
  });
  const file = await exported(id);
  expect([...(await members(file)).keys()].sort()).toEqual(
    [
      "manifest.json",
      "events.ndjson.zst",
      "report.md",
      "screenshots/final.png",
      "summary.json",
      "video.webm",
      `blobs/${sha256(big)}`,
    ].sort(),
  );
  expect(JSON.parse((await members(file)).get("manifest.json")!.toString())).toEqual({
    version: 1,
    scenario: { slug: "checkout", title: "Guest checkout" },
    status: "failed",
    started_at: "2026-01-02T03:04:05.000Z",
    ended_at: "2026-01-02T03:04:35.000Z",
    code_sha: "abc",
    source: "pr",
    pr_number: 7,
    run_id: "run-1",
    region: "eu-west-1",
    env: { browser: "chromium" },
  });
  const again = await ingest(file, "checkout");
  expect(again.warnings).toEqual([]);
  expect(await eventsText(again.trace_id)).toBe(lines);
  expect(await blobsOf(again.trace_id)).toEqual(await blobsOf(id));
  const [first, second] = [
    await getJson(app, `/v1/traces/${id}`),
    await getJson(app, `/v1/traces/${again.trace_id}`),
  ];
  for (const field of [
    "status",
    "failure_signature",
    "failure_message",
    "code_sha",
    "source",
    "pr_number",
    "region",
    "started_at",
    "ended_at",
    "duration_ms",
    "event_count",
    "blob_count",
    "final_screenshot",
  ])
    expect([field, second[field]]).toEqual([field, first[field]]);
  expect(Object.keys(second.signed_urls).sort()).toEqual(Object.keys(first.signed_urls).sort());
  expect([...(await members(await exported(again.trace_id))).keys()].sort()).toEqual(
    [...(await members(file)).keys()].sort(),
  );
});

const archives = join(import.meta.dir, "../../../fixtures/playwright/v10-runner-failing");
const archive = readdirSync(archives).find((name) => name.endsWith(".zip"))!;

test.each(["hot", "warm", "restored"])(
  "a %s trace with a Playwright archive does not repeat the blobs inside it, and comes back whole",
  async (tier) => {
    const zip = await Bun.file(join(archives, archive)).bytes();
    const { trace_id: id } = await ingest(zip, "playwright");
    const original = await eventsText(id);
    const references = await blobsOf(id);
    expect(references.length).toBeGreaterThan(0);
    if (tier !== "hot") {
      app.clock.advance(31 * 86_400_000);
      await app.runtime.periodic.find(({ name }) => name === "tiers")!.run();
      await app.runJobs();
      expect((await getJson(app, `/v1/traces/${id}`)).tier).toBe("warm");
    }
    if (tier === "restored") {
      app.clock.advance(90 * 86_400_000);
      await app.runtime.periodic.find(({ name }) => name === "tiers")!.run();
      await app.runJobs();
      expect((await getJson(app, `/v1/traces/${id}`)).tier).toBe("cold");
      await post(app, `/v1/traces/${id}/restore`);
      await app.runJobs();
      expect((await getJson(app, `/v1/traces/${id}`)).tier).toBe("hot");
    }
    for (const reference of references) {
      const hash = reference.slice(0, 64);
      const link = await app.api(`/v1/traces/${id}/blob/${hash}`);
      const bytes = await (await app.api(pathOf(link.headers.get("location")!))).bytes();
      expect(sha256(bytes)).toBe(hash);
      const part = await app.api(pathOf(link.headers.get("location")!), { headers: { range: "bytes=1-5" } });
      if (bytes.length > 6) expect(Buffer.from(await part.bytes())).toEqual(Buffer.from(bytes.slice(1, 6)));
    }
    const file = await exported(id);
    const inside = await members(file);
    expect(Buffer.from(inside.get("playwright.zip")!)).toEqual(Buffer.from(zip));
    expect([...inside.keys()].filter((name) => name.startsWith("blobs/"))).toEqual([]);
    const again = await ingest(file, "playwright");
    expect(await eventsText(again.trace_id)).toBe(original);
    const hashes = (rows: string[]) => rows.map((row) => row.slice(0, 64));
    expect(hashes(await blobsOf(again.trace_id))).toEqual(hashes(references));
    // What the archive says of its environment is in the bundle, too.
    const summary = await getJson(app, `/v1/traces/${id}/summary`);
    expect(summary.environment).toMatchObject({ browser: "chromium" });
    expect(await getJson(app, `/v1/traces/${again.trace_id}/summary`)).toEqual(summary);
    expect(await members(await exported(again.trace_id))).toEqual(inside);
  },
);

test("what has not ended, or lies in cold storage, is 409", async () => {
  const running = await post(app, "/internal/v1/traces", {
    version: 1,
    scenario: { slug: "live", title: "L" },
    started_at: "2026-03-01T12:00:00Z",
  });
  const { trace_id } = (await running.json()) as { trace_id: string };
  const response = await app.api(`/v1/traces/${trace_id}/export`);
  expect(response.status).toBe(409);
  expect(await response.json()).toMatchObject({ error: "conflict" });
});

test("a reader that goes away stops the export", async () => {
  const { id } = await uploadTrace(app, { entries: [events(eventLines(10)), blob("y".repeat(3_000_000))] });
  const response = await app.api(`/v1/traces/${id}/export`);
  const reader = response.body!.getReader();
  await reader.read();
  await reader.cancel();
  expect(app.logged.filter((line) => line.includes("export was cut"))).toEqual([]);
});
