import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { forecast, shortBelow } from "../../../server/trace/storage/forecast.ts";
import type { DiskAnswer, StorageAnswer } from "../../../server/trace/storage/model.ts";
import { type TestApp, testApp } from "../../helpers/app.ts";
import { blob, eventLines, events, sha256 } from "../../helpers/bundles.ts";
import { getJson, otherOrg, post, runPeriodic, uploadTrace } from "../../helpers/traces.ts";

const DAY = 86_400_000;
const disk = { free: 900e9, size: 1000e9, device: 1 };

let app: TestApp;
const ids: string[] = [];

const show = () => getJson<StorageAnswer>(app, "/v1/storage");

beforeAll(async () => {
  app = await testApp({
    disk: (folder) => (folder.endsWith("cold") ? { ...disk, device: 2, free: 5e9 } : disk),
    settings: {
      auto_pin_failed: false,
      retention: { hot_days: 2, warm_days: 10, blob_grace_days: 3, max_bytes: 1_000_000 },
      rate_limits: { reads_per_minute: 100_000 },
    },
  });
  const shared = "the same body in every trace ".repeat(500);
  for (let made = 0; made < 4; made++) {
    const lines = eventLines(5, (seq) => (seq === 2 ? { body: `sha256:${sha256(shared)}` } : {}));
    const slug = made === 3 ? "login" : "checkout";
    ids.push((await uploadTrace(app, { slug, entries: [events(lines), blob(shared)] })).id);
    app.clock.advance(DAY);
  }
  await post(app, `/v1/traces/${ids[0]}/pin`);
});
afterAll(() => app.close());

describe("GET /v1/storage", () => {
  test("tells bytes by tier, kind and scenario, which agree with each other and with the traces", async () => {
    const storage = await show();
    const traces = (await getJson<{ items: { total_size_bytes: number }[] }>(app, "/v1/traces")).items;
    const total = traces.reduce((sum, { total_size_bytes }) => sum + total_size_bytes, 0);
    const sum = (parts: { bytes: number }[]) => parts.reduce((all, { bytes }) => all + bytes, 0);
    expect(sum(storage.tiers)).toBe(total);
    expect(sum(storage.scenarios)).toBe(total);
    expect(sum(storage.days)).toBe(total);
    expect(sum(storage.kinds)).toBe(storage.used_bytes);
    expect(storage.scenarios.map(({ slug, count }) => [slug, count])).toEqual([
      ["checkout", 3],
      ["login", 1],
    ]);
    expect(storage.tiers[0]).toMatchObject({ tier: "hot", count: 4, pinned_count: 1 });
    expect(storage.kinds.find(({ kind }) => kind === "blobs")).toMatchObject({ count: 1, bytes: 14_500 });
    expect(storage.shared_bytes).toBe(3 * 14_500);
    expect(storage.online).toEqual({ bytes: total, limit_bytes: 1_000_000 });
    expect(storage.cold_disk).toEqual({ free_bytes: 5e9, size_bytes: 1000e9 });
    expect(storage.largest).toHaveLength(4);
  });

  test("tells what moves when, and what the mean of whole days makes of the disk", async () => {
    const storage = await show();
    expect(storage.moves.map(({ day, to, count }) => [day, to, count])).toEqual([
      ["2026-03-05", "warm", 2],
      ["2026-03-06", "warm", 1],
    ]);
    const { bytes, pinned_bytes } = storage.tiers[0]!;
    expect(storage.moves.reduce((sum, move) => sum + move.bytes, 0)).toBe(bytes - pinned_bytes);
    expect(storage.disk).toMatchObject({ state: "ok", free_bytes: 900e9, basis_days: 4 });
    expect(storage.disk.full_in_days).toBe(Math.floor(900e9 / storage.disk.bytes_per_day!));
  });

  test("follows a move, a removal and blobs that wait to be removed", async () => {
    app.clock.advance(2 * DAY);
    await runPeriodic(app, "tiers");
    const moved = await show();
    expect(moved.tiers.map(({ count }) => count)).toEqual([1, 3, 0]);
    expect(moved.kinds.some(({ kind }) => kind === "packs")).toBe(true);
    expect(moved.moves.map(({ to }) => to)).toEqual(["cold", "cold", "cold"]);
    for (const id of ids) await app.api(`/v1/traces/${id}?force=1`, { method: "DELETE" });
    await app.runJobs();
    const empty = await show();
    expect(empty.tiers.map(({ count, bytes }) => [count, bytes])).toEqual([
      [0, 0],
      [0, 0],
      [0, 0],
    ]);
    expect(empty.scenarios).toEqual([]);
    expect(empty.largest).toEqual([]);
    expect(empty.removals).toEqual([{ day: "2026-03-10", bytes: 14_500, count: 1 }]);
    expect(empty.kinds.map(({ kind }) => kind).sort()).toEqual(["blobs", "records"]);
    app.clock.advance(4 * DAY);
    await runPeriodic(app, "blob collector");
    expect((await show()).kinds.map(({ kind }) => kind)).toEqual(["records"]);
  });

  test("is of the caller's org, and needs a credential", async () => {
    await uploadTrace(app);
    const { api } = await otherOrg(app);
    const theirs = (await (await api("/v1/storage")).json()) as StorageAnswer;
    expect(theirs.scenarios).toEqual([]);
    expect(theirs.largest).toEqual([]);
    expect((await app.api("/v1/storage", { headers: { authorization: "" } })).status).toBe(401);
    const { disk: same } = await show();
    expect(await getJson<DiskAnswer>(app, "/v1/storage/disk")).toEqual(same);
  });
});

describe("the forecast", () => {
  const now = 100 * DAY + 5;
  const at = (free: number, size: number, perDay = 0, oldest: number | null = 0) =>
    forecast({ free, size }, now, () => perDay, oldest);

  test("a disk is short by its size, critical below what an upload needs", () => {
    expect(shortBelow(10e9)).toBe(2e9);
    expect(shortBelow(100e9)).toBe(5e9);
    expect(shortBelow(1e13)).toBe(50e9);
    expect(at(6e9, 100e9).state).toBe("ok");
    expect(at(4e9, 100e9).state).toBe("short");
    expect(at(500e6, 100e9).state).toBe("critical");
  });

  test("one that is full within a week is short, however much is free", () => {
    expect(at(500e9, 1000e9, 100e9)).toEqual({
      state: "short",
      bytesPerDay: 100e9,
      basisDays: 7,
      fullInDays: 5,
    });
    expect(at(500e9, 1000e9, 10e9)).toMatchObject({ state: "ok", fullInDays: 50 });
  });

  test("before there was a whole day nobody can tell", () => {
    expect(at(500e9, 1000e9, 1, null)).toMatchObject({ bytesPerDay: null, fullInDays: null, basisDays: 0 });
    expect(at(500e9, 1000e9, 1, 100 * DAY)).toMatchObject({ bytesPerDay: null, basisDays: 0 });
    expect(at(500e9, 1000e9, 0)).toMatchObject({ bytesPerDay: 0, fullInDays: null });
  });
});
