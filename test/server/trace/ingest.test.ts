import { afterEach, beforeEach, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ingestFile } from "../../../server/trace/ingest/service.ts";
import { findTraceBlob } from "../../../store/records/blobs.ts";
import { type TestApp, testApp } from "../../helpers/app.ts";
import {
  blob,
  bundle,
  eventLines,
  events,
  manifest,
  pax,
  playwrightZip,
  sha256,
  type TarEntry,
  uploadForm,
  zstd,
} from "../../helpers/bundles.ts";
import { loosePath } from "../../helpers/loose-blobs.ts";
import { zstdcat } from "../../helpers/zstdcat.ts";

let app: TestApp;
beforeEach(async () => {
  app = await testApp();
});
afterEach(() => app.close());

interface Answer {
  trace_id: string;
  short_id: string;
  warnings: string[];
}

async function upload(file: Uint8Array, fields?: Record<string, string>): Promise<Answer> {
  const response = await app.api("/v1/traces/ingest", { method: "POST", body: uploadForm(file, fields) });
  const body = await response.json();
  expect([response.status, body]).toEqual([200, expect.anything()]);
  return body as Answer;
}

const traceRow = (id: string) =>
  app.store.records.selectFrom("traces").selectAll().where("id", "=", id).executeTakeFirstOrThrow();
const artifacts = (id: string) =>
  app.store.records.selectFrom("artifacts").selectAll().where("trace_id", "=", id).orderBy("kind").execute();
const offline = () => ({
  type: "api_key" as const,
  id: "cli",
  orgId: app.orgId,
  userId: null,
  role: null,
  scopes: new Set<never>(),
  ip: null,
});
const PNG = Buffer.concat([Buffer.from("89504e470d0a1a0a", "hex"), Buffer.alloc(100, 7)]);

test("a bundle becomes a queued trace with its events, artifacts, blobs, job and audit entry", async () => {
  const html = "<html>hello</html>";
  const lines = eventLines(5, (seq) =>
    seq === 2 ? { kind: "dom.snapshot", html: `sha256:${sha256(html)}` } : {},
  );
  const rrweb = '{"type":4}\n';
  const answer = await upload(
    bundle([
      manifest({
        code_sha: "abc123",
        source: "pr",
        pr_number: 7,
        run_id: "run-1",
        region: "eu",
        env: { os: "linux" },
      }),
      events(lines),
      { name: "video.mp4", content: "not really" },
      { name: "rrweb.ndjson", content: rrweb },
      { name: "summary.json", content: "{}" },
      { name: "report.md", content: "# Report" },
      { name: "screenshots/", type: "5" },
      { name: "screenshots/final.png", content: PNG },
      blob(html),
    ]),
  );
  expect(answer).toEqual({
    trace_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    short_id: expect.stringMatching(/^[1-9A-HJ-NP-Za-km-z]{12}$/),
    warnings: [],
  });
  expect(await traceRow(answer.trace_id)).toMatchObject({
    org_id: app.orgId,
    short_id: answer.short_id,
    scenario_slug: "checkout",
    scenario_title: "Guest checkout",
    status: "queued",
    tier: "hot",
    claimed_status: "failed",
    code_sha: "abc123",
    source: "pr",
    pr_number: 7,
    run_id: "run-1",
    region: "eu",
    env: '{"os":"linux"}',
    created_at: app.clock.now(),
    started_at: Date.parse("2026-01-02T03:04:05.000Z"),
    ended_at: Date.parse("2026-01-02T03:04:35.000Z"),
    final_screenshot: sha256(PNG),
    event_count: 5,
    blob_count: 2,
    warnings: "[]",
  });

  const folder = app.store.layout.trace(answer.trace_id);
  const rows = await artifacts(answer.trace_id);
  expect(rows.map(({ kind, path, media_type }) => [kind, path.split("/").at(-1), media_type])).toEqual([
    ["event_index", "events.index", "application/octet-stream"],
    ["ndjson", "events.ndjson.zst", "application/zstd"],
    ["report", "report.md", "text/markdown"],
    ["rrweb", "rrweb.ndjson.zst", "application/zstd"],
    ["uploaded_summary", "summary.uploaded.json", "application/json"],
    ["video", "video.mp4", "video/mp4"],
  ]);
  expect(readdirSync(folder)).toHaveLength(rows.length);
  for (const { path, size, sha256: hash } of rows) {
    const bytes = readFileSync(join(app.dataDir, path));
    expect([path, bytes.length, sha256(bytes)]).toEqual([path, size, hash]);
  }
  expect(zstdcat(join(folder, "events.ndjson.zst"))).toBe(lines);
  expect(zstdcat(join(folder, "rrweb.ndjson.zst"))).toBe(rrweb);

  const snapshot = await findTraceBlob(app.store.records, answer.trace_id, sha256(html));
  expect(snapshot).toMatchObject({ container: "", mediaType: "text/html", size: html.length });
  expect(readFileSync(loosePath(app.store, sha256(html)), "utf8")).toBe(html);
  expect(await findTraceBlob(app.store.records, answer.trace_id, sha256(PNG))).toMatchObject({
    mediaType: "image/png",
  });

  const jobs = await app.store.records.selectFrom("jobs").selectAll().execute();
  expect(jobs).toMatchObject([
    { kind: "trace.process", state: "queued", payload: JSON.stringify({ trace_id: answer.trace_id }) },
  ]);
  const audit = await app.store.records
    .selectFrom("audit_events")
    .selectAll()
    .where("action", "=", "trace.ingest")
    .execute();
  expect(audit).toMatchObject([{ target: answer.trace_id, actor_type: "api_key" }]);
  expect(readdirSync(app.store.layout.tmp)).toEqual([]);
});

test("fields may come after the file, and both paths take the same", async () => {
  const form = new FormData();
  form.append(
    "bundle",
    new File([bundle([manifest(), events(eventLines(1))]) as Uint8Array<ArrayBuffer>], "b"),
  );
  form.append("scenario_slug", "late-slug");
  form.append("source", "manual");
  const response = await app.api("/v1/trace/traces/ingest", { method: "POST", body: form });
  expect(response.status).toBe(200);
  const { trace_id } = (await response.json()) as Answer;
  expect(await traceRow(trace_id)).toMatchObject({ scenario_slug: "late-slug", source: "manual" });
});

test("form fields win over the manifest, whose title then says nothing about the other scenario", async () => {
  const file = bundle([manifest({ source: "pr", pr_number: 1, code_sha: "old" }), events(eventLines(1))]);
  const first = await upload(file, {
    scenario_slug: "other",
    source: "schedule",
    pr_number: "12",
    commit_sha: "new",
  });
  expect(await traceRow(first.trace_id)).toMatchObject({
    scenario_slug: "other",
    scenario_title: "Guest checkout",
    source: "schedule",
    pr_number: 12,
    code_sha: "new",
  });
  const second = await upload(file, { scenario_slug: "checkout" });
  const scenarios = await app.store.records
    .selectFrom("scenarios")
    .select(["id", "slug", "title"])
    .orderBy("slug")
    .execute();
  expect(scenarios).toMatchObject([
    { slug: "checkout", title: "Guest checkout" },
    { slug: "other", title: "other" },
  ]);
  const third = await upload(
    bundle([manifest({ scenario: { slug: "checkout", title: "Renamed" } }), events("")]),
  );
  expect((await traceRow(third.trace_id)).scenario_id).toBe(scenarios[0]!.id);
  expect((await traceRow(second.trace_id)).scenario_title).toBe("Guest checkout");
});

test("what is left out or not brought is told in the warnings, and only brought blobs are referred to", async () => {
  const absent = sha256("absent");
  const { trace_id, warnings } = await upload(
    bundle([
      events(
        eventLines(1, () => ({
          body: `sha256:${absent}`,
          text: `prose about sha256:${sha256("prose")} names none`,
        })),
      ),
      { name: "notes.txt", content: "?" },
    ]),
  );
  expect(warnings).toEqual([
    expect.stringContaining("manifest.json"),
    expect.stringContaining('"notes.txt"'),
    expect.stringContaining(`1 blob that the bundle does not bring: "${absent}"`),
  ]);
  expect(JSON.parse((await traceRow(trace_id)).warnings)).toEqual(warnings);
  expect(await app.store.records.selectFrom("trace_blobs").selectAll().execute()).toHaveLength(0);
});

test("compressed events and DOM recordings are taken as they come", async () => {
  const lines = eventLines(2000);
  const half = lines.length / 2;
  const rrweb = zstd(Buffer.from('{"a":1}\n'));
  const { trace_id, warnings } = await upload(
    bundle([
      manifest(),
      // Several frames, as a seekable file has them.
      {
        name: "events.ndjson.zst",
        content: Buffer.concat([
          zstd(Buffer.from(lines.slice(0, half))),
          zstd(Buffer.from(lines.slice(half))),
        ]),
      },
      { name: "rrweb.ndjson.zst", content: rrweb },
    ]),
  );
  expect(warnings).toEqual([]);
  const folder = app.store.layout.trace(trace_id);
  expect(zstdcat(join(folder, "events.ndjson.zst"))).toBe(lines);
  expect(readFileSync(join(folder, "rrweb.ndjson.zst"))).toEqual(Buffer.from(rrweb));
  expect((await traceRow(trace_id)).event_count).toBe(2000);
});

test("an event stream cut in its last line or frame is kept up to the last full line", async () => {
  const lines = eventLines(20_000);
  const packed = Bun.zstdCompressSync(Buffer.from(lines));
  const cases: { entry: TarEntry; count: (kept: number) => boolean }[] = [
    { entry: events(lines.slice(0, -20)), count: (kept) => kept === 19_999 },
    {
      entry: { name: "events.ndjson.zst", content: packed.subarray(0, packed.length - 9000) },
      count: (kept) => kept > 1000 && kept < 20_000,
    },
  ];
  for (const { entry, count } of cases) {
    const { trace_id, warnings } = await upload(bundle([manifest(), entry]));
    expect(warnings).toEqual([expect.stringContaining("cut short")]);
    const { event_count } = await traceRow(trace_id);
    expect(count(event_count)).toBe(true);
    const stored = zstdcat(join(app.store.layout.trace(trace_id), "events.ndjson.zst"));
    expect(lines.startsWith(stored)).toBe(true);
    expect(stored.split("\n").length - 1).toBe(event_count);
  }
});

test("a bare Playwright archive is kept as it came", async () => {
  const archive = playwrightZip({ resources: [{ name: "resources/abc", content: "x" }] });
  const { trace_id, warnings } = await upload(archive);
  expect(warnings).toEqual([]);
  expect(await artifacts(trace_id)).toMatchObject([
    { kind: "playwright", media_type: "application/zip", size: archive.length, sha256: sha256(archive) },
  ]);
  expect(sha256(readFileSync(join(app.store.layout.trace(trace_id), "playwright.zip")))).toBe(
    sha256(archive),
  );
  expect(await traceRow(trace_id)).toMatchObject({ status: "queued", claimed_status: null });
});

test("every recorded archive and bundle is taken without a warning, whatever its version", async () => {
  const root = join(import.meta.dir, "../../..");
  const found = [...new Bun.Glob("fixtures/{playwright,bundles}/*/*.{zip,zst}").scanSync(root)];
  expect(found.length).toBeGreaterThan(20);
  for (const path of found) {
    const { warnings } = await ingestFile(app.deps, offline(), {
      path: join(root, path),
      scenarioSlug: "recorded",
    });
    expect([path, warnings]).toEqual([path, []]);
  }
});

test("a Playwright archive that lost its directory is kept with a warning", async () => {
  const archive = playwrightZip({
    resources: [{ name: "resources/big", content: "x".repeat(5000) }],
    method: 0,
  });
  const { warnings } = await upload(archive.subarray(0, archive.length - 2000));
  expect(warnings).toEqual([expect.stringContaining("cut short")]);
});

test("blobs that lie in the bundle's playwright.zip are found there and not copied", async () => {
  const body = "a response body ".repeat(50);
  const archive = playwrightZip({ resources: [{ name: "resources/some-sha1.txt", content: body }] });
  const { trace_id, warnings } = await upload(
    bundle([
      manifest(),
      events(eventLines(1, () => ({ body: `sha256:${sha256(body)}`, media_type: "text/plain" }))),
      { name: "playwright.zip", content: archive },
    ]),
  );
  expect(warnings).toEqual([]);
  const found = await findTraceBlob(app.store.records, trace_id, sha256(body));
  expect(found).toMatchObject({
    container: `traces/${trace_id}/playwright.zip`,
    method: 8,
    mediaType: "text/plain",
  });
  const bytes = await app.store.files.read({ ...found!, key: found!.container });
  expect(Buffer.from(bytes).toString()).toBe(body);
  expect(readdirSync(app.store.layout.blobs)).toEqual([]);
});

test("two uploads of the same bundle at once are two traces that share their blobs", async () => {
  const contents = Array.from({ length: 40 }, (_, at) => `blob ${at} ${"x".repeat(at * 100)}`);
  const file = bundle([manifest(), events(eventLines(1)), ...contents.map((content) => blob(content))]);
  const [a, b, c] = await Promise.all([upload(file), upload(file), upload(file)]);
  expect(new Set([a.trace_id, b.trace_id, c.trace_id]).size).toBe(3);
  expect(await app.store.records.selectFrom("blob_locations").selectAll().execute()).toHaveLength(40);
  expect(await app.store.records.selectFrom("trace_blobs").selectAll().execute()).toHaveLength(120);
  expect(await app.store.records.selectFrom("scenarios").selectAll().execute()).toHaveLength(1);
  for (const content of contents)
    expect(readFileSync(loosePath(app.store, sha256(content)), "utf8")).toBe(content);
  expect(readdirSync(app.store.layout.tmp)).toEqual([]);
});

test("members and headers that lie across the pieces of a bundle come out as they went in", async () => {
  const noise = (seed: number, size: number) =>
    createHash("shake256", { outputLength: size }).update(String(seed)).digest();
  const recording = `${JSON.stringify({ type: 4, data: noise(1, 2 << 20).toString("base64") })}\n`.repeat(2);
  const lines = eventLines(40, (seq) => ({ text: noise(seq, 48 << 10).toString("base64") }));
  const blobs = Array.from({ length: 60 }, (_, at) => noise(100 + at, 32 << 10));
  const { trace_id, warnings } = await upload(
    bundle([
      ...blobs.flatMap((content, at) => [
        pax({ path: `blobs/${sha256(content)}`, comment: "c".repeat(20_000 + at) }),
        { ...blob(content), name: "short" },
      ]),
      { name: "rrweb.ndjson", content: recording },
      { name: "events.ndjson.zst", content: zstd(Buffer.from(lines)) },
      manifest({ env: { note: noise(2, 384 << 10).toString("base64") } }),
    ]),
  );
  expect(warnings).toEqual([]);
  const folder = app.store.layout.trace(trace_id);
  expect(sha256(zstdcat(join(folder, "rrweb.ndjson.zst")))).toBe(sha256(recording));
  expect(sha256(zstdcat(join(folder, "events.ndjson.zst")))).toBe(sha256(lines));
  expect(JSON.parse((await traceRow(trace_id)).env).note).toBe(noise(2, 384 << 10).toString("base64"));
  for (const content of blobs) {
    const path = loosePath(app.store, sha256(content));
    expect(sha256(readFileSync(path))).toBe(sha256(content));
  }
});

test("the org's list hears of a new trace after it can be read", async () => {
  const stop = new AbortController();
  const news = app.deps.hub.subscribe("traces", app.orgId, stop.signal)[Symbol.asyncIterator]();
  const next = news.next();
  const { trace_id } = await upload(bundle([manifest(), events(eventLines(1))]));
  expect((await next).value).toEqual({ type: "trace.changed", id: trace_id, status: "queued" });
  stop.abort();
});

test("a file of this machine is ingested by the same way and never altered", async () => {
  const actor = offline();
  const files = { "a.zip": playwrightZip(), "b.tar.zst": bundle([manifest(), events(eventLines(3))]) };
  for (const [name, content] of Object.entries(files)) {
    const path = join(app.dataDir, name);
    writeFileSync(path, content);
    const before = statSync(path);
    const answer = await ingestFile(app.deps, actor, { path, scenarioSlug: "offline", prNumber: 3 });
    expect(await traceRow(answer.trace_id)).toMatchObject({ scenario_slug: "offline", pr_number: 3 });
    expect(sha256(readFileSync(path))).toBe(sha256(content));
    expect(statSync(path).mtimeMs).toBe(before.mtimeMs);
    expect(statSync(path).nlink).toBe(1);
  }
  await expect(ingestFile(app.deps, actor, { path: "/nowhere.zip", scenarioSlug: "s" })).rejects.toThrow(
    "/nowhere.zip",
  );
});
