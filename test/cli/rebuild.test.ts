import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createTestClock, type TestApp, testApp } from "../helpers/app.ts";
import { blob, bundle, eventLines, events, manifest, sha256, uploadForm } from "../helpers/bundles.ts";
import { PROGRAM, runProgram, scratchFolder } from "../helpers/program.ts";
import { getJson, otherOrg, pathOf, post, runPeriodic } from "../helpers/traces.ts";
import { until } from "../helpers/until.ts";

setDefaultTimeout(600_000);

const DAY = 86_400_000;
const ARCHIVES = ["v10-failing", "v10-passing", "v8-failing", "v10-two-pages"].map((name) =>
  readFileSync(join(import.meta.dir, "../../fixtures/playwright", name, "trace.zip")),
);
const scratch = scratchFolder();
const clock = createTestClock();
const settings = {
  cold_dir: scratch.at("archive"),
  retention: { hot_days: 2, warm_days: 5 },
  rate_limits: { reads_per_minute: 1_000_000, writes_per_minute: 1_000_000, ingests_per_minute: 1_000_000 },
};
const data = scratch.at("data");
const open = (dataDir = data) => testApp({ dataDir, clock, settings });

interface Made {
  id: string;
  /** A blob that came with it. */
  text: string | null;
}
const made: Made[] = [];

/** Bundles with a blob each, of which every fifth failed, and every fourth trace a Playwright archive. */
async function upload(app: TestApp, n: number): Promise<void> {
  const text = n % 4 === 0 ? null : `page ${n}: <b>zebra${n}</b>`;
  const lines = eventLines(12, (seq) => {
    if (seq === 2 && text)
      return {
        kind: "network.response",
        request_id: "r",
        url: `https://shop.test/item/${n}`,
        status: 200,
        media_type: "text/html",
        body: `sha256:${sha256(text)}`,
      };
    if (seq === 5) return { kind: "console.error", text: `giraffe${n} fell over` };
    return { text: `line ${n} ${seq}` };
  });
  const file =
    text === null
      ? ARCHIVES[(n / 4) % ARCHIVES.length]!
      : bundle([
          manifest({
            status: n % 5 === 0 ? "failed" : "passed",
            source: n % 3 === 0 ? "pr" : "schedule",
            region: "eu-west",
            env: { browser: `b${n % 2}` },
          }),
          events(lines),
          blob(text),
          blob("the same for all"),
        ]);
  const fields = {
    scenario_slug: `scenario-${n % 7}`,
    ...(n % 3 === 0 ? { commit_sha: sha256(String(n)).slice(0, 40), pr_number: String(n + 1) } : {}),
    ...(n % 6 === 0 ? { run_id: `run-${n}`, attempt: "2" } : {}),
  };
  const answer = await app.api("/v1/traces/ingest", { method: "POST", body: uploadForm(file, fields) });
  expect(answer.status).toBe(200);
  made.push({ id: ((await answer.json()) as { trace_id: string }).trace_id, text });
  clock.advance(1_000);
}

/** What somebody sees of the store, by address. */
async function answers(app: TestApp): Promise<Record<string, unknown>> {
  const seen: Record<string, unknown> = {};
  const look = async (path: string) => {
    const answer = await app.api(path);
    const type = answer.headers.get("content-type") ?? "";
    const body = type.includes("json") ? await answer.json() : sha256(await answer.bytes());
    seen[path] = { status: answer.status, body };
  };
  for (const query of ["", "&status=failed", "&tier=cold", "&tier=warm", "&pinned=true", "&source=pr"])
    await look(`/v1/traces?limit=100${query}`);
  for (const q of [
    "giraffe13",
    "giraffe14 fell",
    "scenario-3",
    "pr:4",
    "region:eu-west kind:console.error",
    "checkout",
  ])
    await look(`/v1/traces?limit=100&q=${encodeURIComponent(q)}`);
  const { tiers, scenarios } = await getJson<Record<string, unknown>>(app, "/v1/storage");
  seen["/v1/storage"] = { tiers, scenarios };
  await look("/v1/histories");
  const { items } = (await (await app.api("/v1/traces?limit=100")).json()) as {
    items: { id: string; tier: string }[];
  };
  for (const { id, tier } of items) {
    await look(`/v1/traces/${id}`);
    await look(`/v1/traces/${id}/summary`);
    if (tier === "cold") continue;
    await look(`/v1/traces/${id}/events?limit=50`);
    const { text } = made.find((one) => one.id === id)!;
    for (const content of text ? [text, "the same for all"] : []) {
      const link = await app.api(`/v1/traces/${id}/blob/${sha256(content)}`);
      expect(await (await app.api(pathOf(link.headers.get("location")!))).text()).toBe(content);
    }
  }
  for (const { id } of items.filter(({ tier }) => tier !== "cold").filter((_, at) => at % 9 === 0)) {
    await look(`/v1/traces/${id}/find?q=zebra`);
    await look(`/v1/traces/${id}/export`);
    await look(`/v1/traces/${id}/report.md`);
  }
  const [a, b] = items.filter(({ tier }) => tier === "hot");
  await look(`/v1/traces/diff?a=${a!.id}&b=${b!.id}`);
  return seen;
}

function removeRecords(folder = data) {
  for (const end of ["", "-wal", "-shm"]) rmSync(join(folder, `tracedeck.db${end}`), { force: true });
}

interface Report {
  ok: boolean;
  rebuilt: string[];
  checks: { name: string; ok: boolean; detail: string }[];
}
async function rebuild(folder = data): Promise<{ code: number; report: Report }> {
  const { code, stdout, stderr } = await runProgram(["doctor", "--rebuild", "--json", "--data", folder], {
    // Other programs of the machine are none of the folder's.
    env: { TRACEDECK_PORT: "0" },
  });
  if (!stdout) throw new Error(stderr);
  return { code, report: JSON.parse(stdout) as Report };
}

let before: Record<string, unknown>;
let apiKey: string;
let otherTrace: string;

beforeAll(async () => {
  mkdirSync(data);
  const app = await open();
  const batch = async (from: number, to: number) => {
    for (let n = from; n < to; n++) await upload(app, n);
    await app.runJobs();
    clock.advance(3 * DAY);
    // A trace takes one step per look.
    for (let look = 0; look < 2; look++) await runPeriodic(app, "tiers");
  };
  await batch(0, 25);
  await batch(25, 55);
  for (let n = 55; n < 99; n++) await upload(app, n);
  await app.runJobs();
  // One whose events wait to be processed, and one of another org.
  const other = await otherOrg(app);
  const theirs = await other.api("/v1/traces/ingest", {
    method: "POST",
    body: uploadForm(bundle([manifest({ status: "passed" }), events(eventLines(3))])),
  });
  otherTrace = ((await theirs.json()) as { trace_id: string }).trace_id;
  await app.runJobs();
  for (const { id } of made.filter((_, at) => at % 10 === 7))
    expect((await post(app, `/v1/traces/${id}/pin`)).status).toBe(200);
  await upload(app, 99);
  expect(made).toHaveLength(100);
  apiKey = app.apiKey;
  const tiers = Object.values(
    Object.groupBy(
      (await getJson<{ items: { tier: string }[] }>(app, "/v1/traces?limit=100")).items,
      ({ tier }) => tier,
    ),
  ).map((group) => group!.length);
  expect(tiers).toHaveLength(3);
  expect(Math.min(...tiers)).toBeGreaterThan(10);
  before = await answers(app);
  await app.close();
  cpSync(data, scratch.at("older"), { recursive: true });
});

afterAll(() => scratch.remove());

describe("records that are made anew from the trace folders", () => {
  test("say of 100 traces of every kind what the lost ones said", async () => {
    removeRecords();
    const { code, report } = await rebuild();
    expect(report.checks.filter(({ ok }) => !ok)).toEqual([]);
    expect(code).toBe(0);
    const words = report.rebuilt.join("\n");
    expect(words).toMatch(/^made the records of 101 traces anew \(\d+ hot, \d+ warm, \d+ cold\)/);
    expect(words).not.toContain(" lost ");
    expect(words).toContain("registered the key of credentials.json again");
    expect(words).toMatch(/cannot come back: .*keys.*shares.*saved searches.*audit log/);
    const app = await open();
    expect(app.apiKey).toBe(apiKey);
    const after = await answers(app);
    expect(Object.keys(after)).toEqual(Object.keys(before));
    for (const [path, answer] of Object.entries(before))
      expect({ path, ...(after[path] as object) }).toEqual({ path, ...(answer as object) });
    // What waited to be processed goes on waiting, and then is.
    await app.runJobs();
    expect((await getJson(app, `/v1/traces/${made.at(-1)!.id}`)).status).toBe("passed");
    // Another org keeps what is its own, and gets in by a new key.
    expect((await app.api(`/v1/traces/${otherTrace}`)).status).toBe(403);
    const [, key] = /new key for the org other, shown once: (\S+)/.exec(words)!;
    const theirs = await app.api(`/v1/traces/${otherTrace}`, { headers: { authorization: `Bearer ${key}` } });
    expect(theirs.status).toBe(200);
    await app.close();
  });

  test("are left alone when it is asked for again", async () => {
    const { code, report } = await rebuild();
    expect({ code, rebuilt: report.rebuilt }).toEqual({ code: 0, rebuilt: [] });
  });

  test("come whole also when it was killed before", async () => {
    removeRecords();
    const child = Bun.spawn([...PROGRAM, "doctor", "--rebuild", "--data", data], {
      stdio: ["ignore", "ignore", "ignore"],
    });
    await until("it has begun", () => existsSync(join(data, "tracedeck.db.rebuilding")));
    child.kill("SIGKILL");
    await child.exited;
    expect(existsSync(join(data, "tracedeck.db"))).toBe(false);
    expect((await runProgram(["traces", "list", "--data", data])).stderr).toContain("doctor --rebuild");
    const { code, report } = await rebuild();
    expect(code).toBe(0);
    expect(report.rebuilt[0]).toContain("101 traces");
    expect(readdirSync(data).filter((name) => name.includes("rebuilding"))).toEqual([]);
  });

  test("of folders that an older version wrote say what those allow, and what is lost of each trace", async () => {
    const folder = scratch.at("older");
    removeRecords(folder);
    for (const id of readdirSync(join(folder, "traces"))) rmSync(join(folder, "traces", id, "record.json"));
    const { code, report } = await rebuild(folder);
    expect(report.checks.filter(({ ok }) => !ok)).toEqual([]);
    expect(code).toBe(0);
    for (const { id } of made)
      expect(report.rebuilt.join("\n")).toContain(`trace ${id} lost its short id, pin, source`);
    const app = await open(folder);
    await app.runJobs();
    for (const { id, text } of made) {
      const path = `/v1/traces/${id}`;
      const old = (before[path] as { body: Record<string, unknown> }).body;
      const now = await getJson(app, path);
      for (const field of ["id", "tier", "created_at", "failure_signature", "event_count", "duration_ms"])
        if (old.status !== "queued")
          expect({ id, field, value: now[field] }).toEqual({ id, field, value: old[field] });
      if (old.status !== "queued") expect(now.status).toBe(String(old.status));
      if (now.tier === "cold") continue;
      const page = (before[`${path}/events?limit=50`] as { body: unknown }).body;
      expect(await getJson<unknown>(app, `${path}/events?limit=50`)).toEqual(page);
      if (text === null || old.status === "queued") continue;
      const link = await app.api(`${path}/blob/${sha256(text)}`);
      expect(await (await app.api(pathOf(link.headers.get("location")!))).text()).toBe(text);
    }
    const found = await getJson<{ items: { id: string }[] }>(app, "/v1/traces?q=giraffe61");
    expect(found.items.map(({ id }) => id)).toEqual([made[61]!.id]);
    await app.close();
  });
});

test("a record that is behind its files gives way to what lies in the folder", async () => {
  const folder = scratch.at("behind");
  mkdirSync(folder);
  const app = await testApp({
    dataDir: folder,
    clock,
    settings: { ...settings, cold_dir: scratch.at("behind-cold") },
  });
  const text = "one of its own";
  const form = uploadForm(
    bundle([
      manifest({ status: "passed" }),
      events(eventLines(4, (seq) => (seq === 1 ? { body: `sha256:${sha256(text)}` } : {}))),
      blob(text),
    ]),
  );
  const { trace_id: id } = (await (
    await app.api("/v1/traces/ingest", { method: "POST", body: form })
  ).json()) as { trace_id: string };
  await app.runJobs();
  await runPeriodic(app, "trace records");
  const record = join(folder, "traces", id, "record.json");
  const stale = scratch.at("stale.json");
  cpSync(record, stale);
  const stored = await (await app.api(`/v1/traces/${id}/events`)).text();
  clock.advance(3 * DAY);
  await runPeriodic(app, "tiers");
  expect((await getJson(app, `/v1/traces/${id}`)).tier).toBe("warm");
  const short = (await getJson(app, `/v1/traces/${id}`)).short_id;
  await app.close();
  renameSync(stale, record);
  removeRecords(folder);
  const { code, report } = await rebuild(folder);
  expect(report.checks.filter(({ ok }) => !ok)).toEqual([]);
  expect(code).toBe(0);
  const again = await testApp({ dataDir: folder, clock, settings });
  expect(await getJson(again, `/v1/traces/${id}`)).toMatchObject({ tier: "warm", short_id: short });
  expect(await (await again.api(`/v1/traces/${id}/events`)).text()).toBe(stored);
  const link = await again.api(`/v1/traces/${id}/blob/${sha256(text)}`);
  expect(await (await again.api(pathOf(link.headers.get("location")!))).text()).toBe(text);
  await again.close();
});
