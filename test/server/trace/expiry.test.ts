import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { StorageAnswer } from "../../../server/trace/storage/model.ts";
import { type TestApp, testApp } from "../../helpers/app.ts";
import { eventLines, sha256 } from "../../helpers/bundles.ts";
import { fire, type Recorded } from "../../helpers/by-clock.ts";
import { statement } from "../../helpers/statement.ts";
import { getJson, post, runPeriodic, uploadTrace } from "../../helpers/traces.ts";
import { send, watched } from "../../helpers/watch.ts";

const DAY = 86_400_000;
const UNLIMITED = { reads_per_minute: 100_000, writes_per_minute: 100_000, ingests_per_minute: 100_000 };
const REGION = "us-east-1";

let t: TestApp;
let check: string;
beforeAll(async () => {
  t = await testApp({
    settings: {
      retention: { hot_days: 2, warm_days: 5, runs_days: 10, blob_grace_days: 1, max_bytes: 50_000_000 },
      rate_limits: UNLIMITED,
    },
  });
});
afterAll(() => t.close());

/** One fire; its trace. */
async function run(status: Recorded["status"], more: Partial<Recorded> = {}): Promise<string> {
  t.clock.advance(60_000);
  return (await fire(t, () => ({ status, ...more })))[0]!;
}
async function age(days: number) {
  t.clock.advance(days * DAY);
  for (const task of ["tiers", "tiers", "incidents.prune", "traces.expire", "runs.prune", "blob collector"])
    await runPeriodic(t, task);
}
/** What is left after so many days. A check that is paused makes no runs of its own meanwhile. */
async function left(ids: string[], days: number): Promise<boolean[]> {
  await send(t, "PUT", `/v1/scheduled_checks/${check}`, { enabled: false });
  await age(days);
  const there = ids.map(async (id) => (await t.api(`/v1/traces/${id}`)).status === 200);
  return Promise.all(there);
}

let made = 0;
beforeEach(async () => {
  const policy = { consecutive_failures: 2, retries: 0 };
  check = await watched(t, `flow-${made++}`, {
    ...{ cron: "* * * * *", regions: [REGION], enabled: true, alert_policy: policy },
  });
});

const passes = async (count: number) => {
  const ids: string[] = [];
  for (let n = 0; n < count; n++) ids.push(await run("passed"));
  return ids;
};

describe("traces of checks", () => {
  test("go with their runs, with all that is theirs, but for the last three passes; uploads stay", async () => {
    const text = `only here ${made}`;
    const blob = { hash: sha256(text), bytes: Buffer.from(text), mediaType: "text/plain" };
    const lines = eventLines(10, (seq) => (seq === 2 ? { body: `sha256:${blob.hash}` } : {}));
    const first = await run("passed", { lines, blobs: [blob] });
    const ids = [first, ...(await passes(5))];
    const upload = await uploadTrace(t);
    expect(existsSync(t.store.layout.trace(first))).toBe(true);
    expect(await left(ids, 9.9)).toEqual([true, true, true, true, true, true]);
    expect((await getJson(t, `/v1/traces/${first}`)).tier).toBe("cold");
    expect(await left(ids, 0.2)).toEqual([false, false, false, true, true, true]);
    expect((await getJson(t, `/v1/traces/${upload.id}`)).tier).toBe("cold");
    expect(readdirSync(join(t.dataDir, "cold")).filter((name) => name.startsWith(first))).toEqual([]);
    expect(existsSync(t.store.layout.trace(first))).toBe(false);
    await age(1.1);
    for (const table of ["artifacts", "trace_blobs", "causes", "trace_records_due"])
      expect([table, await statement(t.store, `SELECT 1 FROM ${table} WHERE trace_id = '${first}'`)]).toEqual(
        [table, []],
      );
    expect(await statement(t.store, `SELECT 1 FROM blob_locations WHERE hash = '${blob.hash}'`)).toEqual([]);
    expect(await getJson(t, "/v1/runs")).toMatchObject({ items: [] });
  }, 30_000);

  test("a failure pins itself only as long as its run is kept; what somebody pinned or shares stays", async () => {
    const kept = await passes(3);
    const [failed, pinned, shared] = [await run("failed"), await run("failed"), await run("failed")];
    await passes(3);
    expect((await getJson(t, `/v1/traces/${failed}`)).pinned).toBe(true);
    expect((await post(t, `/v1/traces/${pinned}/pin`)).status).toBe(200);
    await post(t, `/v1/traces/${shared}/share`, { visibility: "public-read", expires_days: 60 });
    expect(await left([...kept, failed, pinned, shared], 10.1)).toEqual([
      ...[false, false, false],
      ...[false, true, true],
    ]);
    expect(await left([shared], 50)).toEqual([false]);
    expect((await getJson(t, `/v1/traces/${pinned}`)).expires_at).toBeNull();
  }, 30_000);

  test("what an incident that goes on is told from stays, and the pass before it, with its run", async () => {
    const before = await passes(4);
    const failing = [await run("failed"), await run("failed")];
    const more = [await run("failed"), await run("failed")];
    const [incident] = (
      await getJson<{ items: { id: string; trace_id: string; status: string }[] }>(t, "/v1/incidents")
    ).items;
    expect(incident).toMatchObject({ status: "open", trace_id: more[1]! });
    await t.store.records.updateTable("scheduled_checks").set({ next_run_at: null }).execute();
    await age(30);
    const there = async (id: string) => (await t.api(`/v1/traces/${id}`)).status === 200;
    expect(await Promise.all([...before, ...failing].map(there))).toEqual([
      ...[false, true, true, true],
      ...[false, true],
    ]);
    expect(await Promise.all(more.map(there))).toEqual([false, true]);
    const explained = await t.api(`/v1/incidents/${incident!.id}/explain`);
    expect(explained.status).toBe(200);
    expect((await getJson<{ items: unknown[] }>(t, "/v1/runs")).items.length).toBeGreaterThan(0);
  }, 30_000);

  test("the storage page says what goes when, before it goes", async () => {
    const before = await getJson<StorageAnswer>(t, "/v1/storage");
    await passes(4);
    const { created_at } = await getJson(t, `/v1/traces/${(await passes(1))[0]}`);
    const day = new Date(Date.parse(String(created_at)) + 10 * DAY).toISOString().slice(0, 10);
    const { expiries, retention } = await getJson<StorageAnswer>(t, "/v1/storage");
    expect(retention.runs_days).toBe(10);
    const countOn = (from: StorageAnswer["expiries"], on: string) =>
      from.find((one) => one.day === on)?.count ?? 0;
    expect(countOn(expiries, day) - countOn(before.expiries, day)).toBe(5);
    await left([], 10.1);
    const after = await getJson<StorageAnswer>(t, "/v1/storage");
    // What is still needed is due every day.
    const today = new Date(t.clock.now()).toISOString().slice(0, 10);
    expect(after.expiries.map((one) => one.day)).toEqual([today]);
    const { rows } = {
      rows: await statement(t.store, "SELECT id FROM traces WHERE by_clock = 1 AND pinned = auto_pinned"),
    };
    expect(countOn(after.expiries, today)).toBe(rows.length);
  }, 30_000);
});

test("past max_bytes the oldest in the cold folder go early", async () => {
  await using small = await testApp({
    settings: { retention: { hot_days: 1, warm_days: 2, max_bytes: 2000 }, rate_limits: UNLIMITED },
  });
  const id = await watched(small, "bytes", { cron: "* * * * *", regions: [REGION], enabled: true });
  const ids: string[] = [];
  for (let n = 0; n < 8; n++) {
    small.clock.advance(60_000);
    ids.push(...(await fire(small, () => ({ status: "passed" }))));
  }
  await send(small, "PUT", `/v1/scheduled_checks/${id}`, { enabled: false });
  small.clock.advance(3 * DAY);
  for (const task of ["tiers", "tiers", "traces.expire"]) await runPeriodic(small, task);
  const { items } = await getJson<{ items: { id: string; tier: string; total_size_bytes: number }[] }>(
    small,
    "/v1/traces",
  );
  expect(items.every(({ tier }) => tier === "cold")).toBe(true);
  expect(items.reduce((sum, one) => sum + one.total_size_bytes, 0)).toBeLessThanOrEqual(
    Math.max(2000, 3 * items[0]!.total_size_bytes),
  );
  expect(items.map((one) => one.id)).toEqual(ids.slice(-items.length).reverse());
  expect(items.length).toBeLessThan(8);
}, 30_000);
