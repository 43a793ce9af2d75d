import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DEATHS } from "../../../server/trace/deaths.ts";
import { storeSmaller } from "../../../server/trace/process/recompress.ts";
import { postProcess } from "../../../server/trace/process/service.ts";
import { redactionCount } from "../../../server/trace/process/task.ts";
import { FINISHED_LEVEL } from "../../../server/trace/state.ts";
import { type TestApp, testApp } from "../../helpers/app.ts";
import {
  blob,
  bundle,
  eventLines,
  events,
  manifest,
  sha256,
  type TarEntry,
  uploadForm,
} from "../../helpers/bundles.ts";
import { childCommand } from "../../helpers/child.ts";
import { fileNamed } from "../../helpers/trace-files.ts";

// Some start a process of the sources, and kill it.
setDefaultTimeout(120_000);

const ARCHIVE = join(import.meta.dir, "../../../fixtures/playwright/v10-failing/trace.zip");
const HOUR = 3_600_000;
const PICTURE = Buffer.from("89504e470d0a1a0a00000000", "hex");
const LINES = eventLines(40, (seq) => {
  if (seq === 5) return { kind: "screenshot", blob: `sha256:${sha256(PICTURE)}`, width: 8, height: 6 };
  if (seq === 10)
    return { kind: "agent.action", step_id: "pay", name: "Click Pay", params: {}, duration_ms: 9 };
  if (seq === 11)
    return {
      kind: "network.response",
      request_id: "r1",
      url: "http://shop/api/pay",
      status: 502,
      headers: [],
      duration_ms: 3,
    };
  if (seq === 12) return { kind: "console.error", text: "payment exploded" };
  if (seq === 20)
    return {
      kind: "assertion",
      step_id: "total",
      parent_step_id: "pay",
      ok: false,
      message: "Expected: 12\nReceived: 13",
    };
  return {};
});
const FAILED: TarEntry[] = [manifest({ run_id: "run-7" }), events(LINES), blob(PICTURE)];

const open: { app: TestApp; dataDir?: string }[] = [];
afterEach(async () => {
  for (const { app, dataDir } of open.splice(0)) {
    await app.close();
    if (dataDir) rmSync(dataDir, { recursive: true, force: true });
  }
});

async function app(settings?: Record<string, unknown>) {
  // As a real server stores them: the smaller file and its crashes are told of here.
  const made = await testApp({ finishedLevel: FINISHED_LEVEL, ...(settings ? { settings } : {}) });
  open.push({ app: made });
  return made;
}

async function ingest(on: TestApp, entries: TarEntry[] = FAILED): Promise<string> {
  const response = await on.api("/v1/traces/ingest", { method: "POST", body: uploadForm(bundle(entries)) });
  expect(response.status).toBe(200);
  return ((await response.json()) as { trace_id: string }).trace_id;
}

const row = (on: TestApp, id: string) =>
  on.store.records.selectFrom("traces").selectAll().where("id", "=", id).executeTakeFirstOrThrow();
const artifacts = (on: TestApp, id: string) =>
  on.store.records.selectFrom("artifacts").selectAll().where("trace_id", "=", id).orderBy("kind").execute();
const stored = (on: TestApp, id: string, name: string) =>
  JSON.parse(readFileSync(fileNamed(on.store.layout.trace(id), name), "utf8"));
const context = { signal: new AbortController().signal, heartbeat: async () => {} };

test("a failed bundle ends as failed, with what the list and the first screen need", async () => {
  const on = await app();
  const id = await ingest(on);
  await on.runJobs();
  expect(await row(on, id)).toMatchObject({
    status: "failed",
    pinned: 1,
    failed_step_id: "total",
    failure_message: "Expected: 12\nReceived: 13",
    failure_signature: expect.stringMatching(/^sig_[0-9a-f]{16}$/),
    final_screenshot: sha256(PICTURE),
    event_count: 40,
    error_count: 3,
    duration_ms: 30_000,
    blob_count: 1,
  });
  expect((await artifacts(on, id)).map(({ kind }) => kind)).toEqual([
    "event_index",
    "manifest",
    "ndjson",
    "summary",
  ]);
  for (const { path, size, sha256: hash } of await artifacts(on, id)) {
    const bytes = readFileSync(join(on.dataDir, path));
    expect({ size: bytes.length, hash: sha256(bytes) }).toEqual({ size, hash });
  }
  expect(stored(on, id, "summary.json")).toMatchObject({
    failure: {
      step_id: "total",
      expected: "12",
      received: "13",
      screenshot: { blob: `sha256:${sha256(PICTURE)}` },
    },
    first_bad_request: { url: "http://shop/api/pay", status: 502 },
    first_console_error: { text: "payment exploded" },
  });
  expect(stored(on, id, "manifest.json")).toEqual({
    version: 1,
    trace_id: id,
    blobs: [{ hash: sha256(PICTURE), size: PICTURE.length, media_type: null, seq: 5 }],
  });
  expect(readdirSync(on.store.layout.tmp)).toEqual([]);
});

test("whoever follows the trace, the list and the run is told", async () => {
  const on = await app();
  const id = await ingest(on);
  const stop = new AbortController();
  const heard: unknown[] = [];
  const topics = [["trace", id] as const, ["traces", on.orgId] as const, ["run", "run-7"] as const];
  const listeners = topics.map(async ([topic, key]) => {
    for await (const message of on.deps.hub.subscribe(topic, key, stop.signal)) heard.push([topic, message]);
  });
  await on.runJobs();
  stop.abort();
  await Promise.all(listeners);
  const { failure_signature } = await row(on, id);
  expect(heard).toContainEqual(["trace", { type: "status", status: "failed" }]);
  expect(heard).toContainEqual(["traces", { type: "trace.changed", id, status: "failed" }]);
  expect(heard).toContainEqual([
    "run",
    {
      type: "run.completed",
      run_id: "run-7",
      trace_id: id,
      status: "failed",
      failure_signature,
      duration_ms: 30_000,
      at: "2026-03-01T12:00:00.000Z",
    },
  ]);
});

test("a failed trace is not pinned where the settings say so, a passed one never is", async () => {
  const on = await app({ auto_pin_failed: false });
  const id = await ingest(on);
  const passed = await ingest(await app(), [manifest({ status: "passed" }), events(LINES)]);
  await on.runJobs();
  await open[1]!.app.runJobs();
  expect((await row(on, id)).pinned).toBe(0);
  expect(await row(open[1]!.app, passed)).toMatchObject({
    status: "passed",
    pinned: 0,
    failure_message: null,
  });
});

test("without a claimed status the events decide", async () => {
  const on = await app();
  const failed = await ingest(on, [manifest({ status: undefined }), events(LINES)]);
  const passed = await ingest(on, [manifest({ status: undefined }), events(eventLines(3))]);
  await on.runJobs();
  expect((await row(on, failed)).status).toBe("failed");
  expect((await row(on, passed)).status).toBe("passed");
});

test("what was said and asked for is found by search", async () => {
  const on = await app();
  const id = await ingest(on);
  await on.runJobs();
  for (const q of ["exploded", "shop/api/pay", "Received", "Guest"]) {
    const response = await on.store.records
      .selectFrom("traces")
      .select("id")
      .where("ord", "in", (select) =>
        select
          .selectFrom("traces_fts" as never)
          .select("rowid" as never)
          .where("traces_fts" as never, "match", `"${q}"` as never),
      )
      .execute();
    expect(response).toEqual([{ id }]);
  }
});

test("events that carry rrweb become the DOM recording", async () => {
  const on = await app();
  const carried = { type: 3, timestamp: 1_767_323_045_001, data: { source: 0 } };
  const id = await ingest(on, [
    manifest(),
    events(eventLines(3, (seq) => (seq === 1 ? { kind: "dom.mutation", rrweb: carried } : {}))),
  ]);
  await on.runJobs();
  const text = Bun.zstdDecompressSync(
    readFileSync(fileNamed(on.store.layout.trace(id), "rrweb.ndjson.zst")),
  ).toString();
  expect(text).toBe(`${JSON.stringify(carried)}\n`);
  expect((await artifacts(on, id)).map(({ kind }) => kind)).toContain("rrweb");
});

test("of an uploaded summary only what its maker masked is kept", async () => {
  const on = await app();
  const uploaded = { redaction_count: 12, title: "<b>theirs</b>" };
  const id = await ingest(on, [...FAILED, { name: "summary.json", content: JSON.stringify(uploaded) }]);
  expect((await on.api(`/v1/traces/${id}/summary`)).status).toBe(404);
  await on.runJobs();
  expect(await (await on.api(`/v1/traces/${id}/summary`)).json()).toMatchObject({
    redaction_count: 12,
    title: "Guest checkout",
  });
  on.clock.advance(HOUR);
  await on.runJobs();
  const names = readdirSync(on.store.layout.trace(id)).map((name) => name.replace(/\.[0-9a-f]{12}\./, ".*."));
  expect(names.sort()).toEqual([
    "events.*.index",
    "events.*.ndjson.zst",
    "manifest.*.json",
    "summary.*.json",
  ]);
  const sizes = (await artifacts(on, id)).map(({ size }) => size);
  expect((await row(on, id)).total_size_bytes).toBe(sizes.reduce((sum, one) => sum + one, PICTURE.length));
});

test("a summary that is too large is left out with a word of it, and one that is none fails no trace", async () => {
  const on = await app();
  const large = Buffer.alloc(64 << 20, "0,");
  large[0] = 0x5b;
  const id = await ingest(on, [...FAILED, { name: "summary.json", content: large }]);
  expect((await artifacts(on, id)).map(({ kind }) => kind)).not.toContain("uploaded_summary");
  const odd = ["null", "[]", "[".repeat(1 << 20), "{"];
  const others: string[] = [];
  for (const content of odd) others.push(await ingest(on, [...FAILED, { name: "summary.json", content }]));
  await on.runJobs();
  for (const each of [id, ...others]) expect((await row(on, each)).status).toBe("failed");
  expect(JSON.parse((await row(on, id)).warnings)).toEqual([
    "Left out: summary.json has 67108864 bytes; at most 16777216 are read of what its maker masked.",
  ]);
});

test("a summary that an older version stored at any size is not read", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tracedeck-summary-"));
  const path = join(folder, "summary.uploaded.json");
  writeFileSync(path, "");
  // Longer than any string: reading it would throw.
  truncateSync(path, 8 * 1024 ** 3);
  expect(await redactionCount(path)).toBe(0);
  rmSync(folder, { recursive: true });
});

test("a hash that a trace only names does not give it another trace's bytes", async () => {
  const on = await app();
  await ingest(on);
  const hash = sha256(PICTURE);
  const thief = await ingest(on, [
    manifest(),
    events(
      eventLines(2, (seq) =>
        seq === 1 ? { kind: "screenshot", blob: `sha256:${hash}`, width: 1, height: 1 } : {},
      ),
    ),
  ]);
  await on.runJobs();
  expect((await row(on, thief)).blob_count).toBe(0);
  expect((await on.api(`/v1/traces/${thief}/blob/${hash}`)).status).toBe(404);
  expect(stored(on, thief, "manifest.json").blobs).toEqual([{ hash, size: null, media_type: null, seq: 1 }]);
});

test("running the job again on a finished trace changes nothing", async () => {
  const on = await app();
  const id = await ingest(on);
  await on.runJobs();
  const before = [await row(on, id), await artifacts(on, id)];
  await postProcess(on.deps, id, context);
  expect([await row(on, id), await artifacts(on, id)]).toEqual(before);
});

test("after three failures the trace is an error with its reason and keeps its files", async () => {
  const on = await app();
  const id = await ingest(on);
  const path = join(on.store.layout.trace(id), "events.ndjson.zst");
  const bytes = readFileSync(path);
  bytes.fill(0, 20, bytes.length - 60);
  writeFileSync(path, bytes);
  for (let attempt = 0; attempt < 3; attempt++) {
    expect((await row(on, id)).status).toBe("queued");
    await on.runJobs();
    on.clock.advance(30_000);
  }
  const trace = await row(on, id);
  expect(trace.status).toBe("error");
  expect(trace.status_reason).toStartWith("Post-processing failed: ");
  expect((await artifacts(on, id)).map(({ kind }) => kind)).toContain("ndjson");
  expect(existsSync(path)).toBe(true);
});

test("a trace that is removed while it is worked on leaves no folder", async () => {
  const on = await app();
  const id = await ingest(on);
  await postProcess(on.deps, id, context, {
    onStep: async (step) => {
      if (step === "moved") await on.store.records.deleteFrom("traces").where("id", "=", id).execute();
    },
  });
  expect(existsSync(on.store.layout.trace(id))).toBe(false);
});

test("a pass that ends while the failure after it is worked on is what that failure is compared with in the end", async () => {
  const on = await app();
  const passed = LINES.split("\n")
    .filter((line) => !line.includes("assertion"))
    .join("\n");
  const pass = await ingest(on, [manifest({ status: "passed" }), events(passed), blob(PICTURE)]);
  const failure = await ingest(on);
  await postProcess(on.deps, failure, context, {
    onStep: async (step) => {
      if (step === "moved") await postProcess(on.deps, pass, context);
    },
  });
  const baseline = async () =>
    ((await (await on.api(`/v1/traces/${failure}/cause`)).json()) as { baseline_id: string }).baseline_id;
  expect(await baseline()).toBeNull();
  await on.runJobs();
  expect(await baseline()).toBe(pass);
});

/** A recording as it was uploaded, as its first job left it, and what becomes of it when nobody is killed. */
interface Stages {
  id: string;
  uploaded: string;
  processed: string;
  smooth: { facts: Awaited<ReturnType<typeof facts>>; events: string[] };
}
let stages: Stages;

describe("a process that is killed", () => {
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "tracedeck-stages-"));
    const [uploaded, processed, ended] = ["uploaded", "processed", "ended"].map((name) => join(folder, name));
    const first = await testApp({ dataDir: uploaded! });
    const form = uploadForm(readFileSync(ARCHIVE));
    const response = await first.api("/v1/traces/ingest", { method: "POST", body: form });
    const { trace_id: id } = (await response.json()) as { trace_id: string };
    await first.close();
    cpSync(uploaded!, processed!, { recursive: true });
    const second = await testApp({ dataDir: processed!, finishedLevel: FINISHED_LEVEL });
    await postProcess(second.deps, id, context);
    await second.close();
    cpSync(uploaded!, ended!, { recursive: true });
    const smooth = await testApp({ dataDir: ended!, finishedLevel: FINISHED_LEVEL });
    await smooth.runJobs();
    const made = { facts: await facts(smooth, id), events: await storedEvents(smooth, id) };
    await smooth.close();
    stages = { id, uploaded: uploaded!, processed: processed!, smooth: made };
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const crashes = [
    ...["started", "made", "moved", "committed"].map((step) => ["process", step] as const),
    ...["made", "moved", "committed"].map((step) => ["recompress", step] as const),
  ];
  test.each(crashes)("in %s when %s comes to the same end at the next start", async (work, step) => {
    const { id, uploaded, processed, smooth } = stages;
    const dataDir = mkdtempSync(join(tmpdir(), "tracedeck-kill-"));
    cpSync(work === "recompress" ? processed : uploaded, dataDir, { recursive: true });
    const child = Bun.spawn([
      ...childCommand(join(import.meta.dir, "process-child.ts")),
      dataDir,
      id,
      work,
      step,
    ]);
    expect(await child.exited).not.toBe(0);

    const again = await testApp({ dataDir, finishedLevel: FINISHED_LEVEL });
    open.push({ app: again, dataDir });
    await again.runJobs();
    expect(await facts(again, id)).toEqual(smooth.facts);
    expect(await storedEvents(again, id)).toEqual(smooth.events);
  });
});

async function facts(on: TestApp, trace: string) {
  const {
    status,
    pinned,
    failure_signature,
    failed_step_id,
    event_count,
    error_count,
    total_size_bytes,
    blob_count,
  } = await row(on, trace);
  const files = (await artifacts(on, trace)).map(({ kind, path, size, sha256: hash }) => {
    const bytes = readFileSync(join(on.dataDir, path));
    expect({ kind, size: bytes.length, hash: sha256(bytes) }).toEqual({ kind, size, hash });
    return [kind, size];
  });
  return {
    status,
    pinned,
    failure_signature,
    failed_step_id,
    event_count,
    error_count,
    total_size_bytes,
    blob_count,
    files,
  };
}

async function storedEvents(on: TestApp, id: string): Promise<string[]> {
  const { path } = (await artifacts(on, id)).find(({ kind }) => kind === "ndjson")!;
  const file = await on.store.events.open({ key: path });
  return (await file.query({ offset: 0, limit: 1_000 })).lines;
}

test("recompression keeps every line and makes the file smaller", async () => {
  const on = await app();
  const id = await ingest(on, [
    manifest(),
    events(eventLines(5_000, (seq) => ({ text: `item ${seq} ${seq * 7}` }))),
  ]);
  await postProcess(on.deps, id, context);
  const before = await storedEvents(on, id);
  const size = (await artifacts(on, id)).find(({ kind }) => kind === "ndjson")!.size;
  await on.runJobs();
  expect(await storedEvents(on, id)).toEqual(before);
  const after = (await artifacts(on, id)).find(({ kind }) => kind === "ndjson")!.size;
  expect(after).toBeLessThan(size);
  const sizes = (await artifacts(on, id)).map((artifact) => artifact.size);
  expect((await row(on, id)).total_size_bytes).toBe(sizes.reduce((sum, one) => sum + one, 0));
});

test("recompression that is aborted leaves everything as it was, and is done later", async () => {
  const on = await app();
  const noise = Array.from({ length: 2_000 }, (_, n) => sha256(String(n)).repeat(8));
  const id = await ingest(on, [manifest(), events(eventLines(2_000, (seq) => ({ text: noise[seq] })))]);
  await postProcess(on.deps, id, context);
  const before = [await artifacts(on, id), await storedEvents(on, id)];
  const stop = new AbortController();
  const work = storeSmaller(on.deps, id, { ...context, signal: stop.signal });
  stop.abort(new Error("The server is shutting down."));
  await expect(work).rejects.toThrow("shutting down");
  expect([await artifacts(on, id), await storedEvents(on, id)]).toEqual(before);
  expect(readdirSync(on.store.layout.tmp)).toEqual([]);
  await on.runJobs();
  expect(await storedEvents(on, id)).toEqual(before[1] as string[]);
});

test("a trace that has left the hot tier meanwhile is not touched by recompression", async () => {
  const on = await app();
  const id = await ingest(on);
  await postProcess(on.deps, id, context);
  const before = await artifacts(on, id);
  await storeSmaller(on.deps, id, context, {
    onStep: async (step) => {
      if (step === "made")
        await on.store.records.updateTable("traces").set({ tier: "warm" }).where("id", "=", id).execute();
    },
  });
  expect(await artifacts(on, id)).toEqual(before);
});

test("a failed trace that the process died of is tried without its cause, and given up in the end", async () => {
  const on = await app();
  const deathsOf = (id: string, deaths: number) =>
    on.store.records
      .updateTable("jobs")
      .set({ deaths })
      .where("kind", "=", "trace.process")
      .where("payload", "like", `%${id}%`)
      .execute();
  const [often, always] = [await ingest(on), await ingest(on)];
  await deathsOf(often, DEATHS.withoutCause);
  await deathsOf(always, DEATHS.most);
  await on.runJobs();
  expect(await row(on, often)).toMatchObject({ status: "failed", failed_step_id: "total" });
  const cause = await on.api(`/v1/traces/${often}/cause`);
  expect(await cause.json()).toMatchObject({ baseline_id: null, headline: expect.stringContaining("502") });
  expect(await row(on, always)).toMatchObject({
    status: "error",
    status_reason:
      "Post-processing failed: the server's process died 10 times while it worked on this trace.",
  });
  expect((await artifacts(on, always)).map(({ kind }) => kind)).toContain("ndjson");
});

test("the last attempt at a failed trace is made without the search for its cause, which may have kept the others from their end", async () => {
  const on = await app();
  const passed = LINES.split("\n").filter((line) => !line.includes("assertion"));
  const pass = [manifest({ status: "passed" }), events(passed.join("\n")), blob(PICTURE)];
  await ingest(on, pass);
  await on.runJobs();
  const baselineAfter = async (attempts: number): Promise<unknown> => {
    const id = await ingest(on);
    const job = on.store.records.updateTable("jobs").set({ attempts }).where("kind", "=", "trace.process");
    await job.where("payload", "like", `%${id}%`).execute();
    await on.runJobs();
    expect(await row(on, id)).toMatchObject({ status: "failed", failed_step_id: "total" });
    const cause = (await (await on.api(`/v1/traces/${id}/cause`)).json()) as { baseline_id: unknown };
    return cause.baseline_id;
  };
  expect(await baselineAfter(1)).toEqual(expect.any(String));
  expect(await baselineAfter(2)).toBeNull();
});
