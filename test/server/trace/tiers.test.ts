import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { moveDown } from "../../../server/trace/tiers/down.ts";
import { openZip } from "../../../store/archives/zip.ts";
import { type TestApp, testApp } from "../../helpers/app.ts";
import { blob, eventLines, events, sha256, type TarEntry } from "../../helpers/bundles.ts";
import { loosePath } from "../../helpers/loose-blobs.ts";
import { statement } from "../../helpers/statement.ts";
import { fileNamed, plainNames } from "../../helpers/trace-files.ts";
import { eventsPath, getJson, pathOf, post, runPeriodic, uploadTrace } from "../../helpers/traces.ts";

const DAY = 86_400_000;
const PICTURE = Buffer.concat([
  Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
  Buffer.alloc(500, 7),
]);

let app: TestApp;
beforeEach(async () => {
  app = await testApp({
    settings: { auto_pin_failed: false, retention: { hot_days: 2, warm_days: 5, blob_grace_days: 3 } },
  });
});
afterEach(() => app.close());

/** Events that name the texts, the blobs with their bytes, and a picture of the end. */
function holding(...texts: string[]): TarEntry[] {
  const lines = eventLines(20, (seq) =>
    seq < texts.length ? { body: `sha256:${sha256(texts[seq]!)}`, media_type: "text/plain" } : {},
  );
  return [
    events(lines),
    ...texts.map((text) => blob(text)),
    { name: "screenshots/final.png", content: PICTURE },
  ];
}

const upload = (...texts: string[]) => uploadTrace(app, { entries: holding(...texts) });
const show = (id: string) => getJson(app, `/v1/traces/${id}`);
const age = async (days: number) => {
  app.clock.advance(days * DAY + 1);
  await runPeriodic(app, "tiers");
};
const isLoose = (text: string | Uint8Array) => existsSync(loosePath(app.store, sha256(text)));
const filesOf = (id: string) => {
  const folder = app.store.layout.trace(id);
  return plainNames(folder);
};

/** The text of a blob as a client gets it, or the status of the refusal. */
async function read(id: string, text: string | Uint8Array): Promise<string | number> {
  const response = await app.api(`/v1/traces/${id}/blob/${sha256(text)}`);
  if (response.status !== 302) return response.status;
  const file = await app.api(pathOf(response.headers.get("location")!));
  return file.status === 200 ? file.text() : file.status;
}

/** Everything that a client can read of a trace that is online. */
async function contents(id: string) {
  const detail = await show(id);
  const bytes: Record<string, string> = {};
  for (const [kind, url] of Object.entries(detail.signed_urls))
    bytes[kind] = sha256(await (await app.api(pathOf(url))).bytes());
  return {
    files: bytes,
    events: await (await app.api(`/v1/traces/${id}/events?limit=7&offset=5`)).text(),
    stream: await (await app.api(`/v1/traces/${id}/stream?after=12`)).text(),
    found: await (await app.api(`/v1/traces/${id}/events?kind=console.*&q=line+17`)).text(),
    report: (await app.api(`/v1/traces/${id}/report.md`)).status,
  };
}

describe("ageing", () => {
  test("hot turns warm after its days: one pack, and everything reads as before", async () => {
    const { id } = await upload("one", "two");
    const before = await contents(id);
    await age(1.5);
    expect((await show(id)).tier).toBe("hot");
    await age(0.5);
    const detail = await show(id);
    expect(detail.tier).toBe("warm");
    expect(Date.parse(String(detail.expires_at)) - Date.parse(String(detail.created_at))).toBe(5 * DAY);
    expect(filesOf(id)).toEqual(["pack.zip", "summary.json"]);
    expect([isLoose("one"), isLoose("two"), isLoose(PICTURE)]).toEqual([false, false, false]);
    expect(await contents(id)).toEqual(before);
    expect([await read(id, "one"), await read(id, "two")]).toEqual(["one", "two"]);
    expect(await read(id, PICTURE)).not.toBe(404);
  });

  test("the pack is an ordinary zip file that holds the trace's files and blobs", async () => {
    const { id } = await upload("one");
    await age(2);
    const zip = await openZip(fileNamed(app.store.layout.trace(id), "pack.zip"));
    expect(zip.members.map(({ name }) => name).sort()).toEqual(
      [
        `blobs/${sha256("one")}`,
        `blobs/${sha256(PICTURE)}`,
        "events.index",
        "events.ndjson.zst",
        "manifest.json",
        "pack.json",
        "summary.json",
      ].sort(),
    );
    expect(Buffer.from(await zip.read(zip.get(`blobs/${sha256("one")}`)!)).toString()).toBe("one");
    await zip.close();
  });

  test("warm turns cold: only summary and final screenshot stay, the rest is 409 and names restore", async () => {
    const { id } = await upload("one");
    await age(2);
    await age(3);
    const detail = await show(id);
    expect(detail.tier).toBe("cold");
    expect(detail.expires_at).toBeNull();
    expect(Object.keys(detail.signed_urls)).toEqual(["summary"]);
    expect((await app.api(`/v1/traces/${id}/summary`)).status).toBe(200);
    expect((await app.api(pathOf(detail.signed_urls.summary!))).status).toBe(200);
    expect(await read(id, PICTURE)).toHaveLength(PICTURE.toString().length);
    for (const path of ["events", "stream", "export", `blob/${sha256("one")}`, `blob/${sha256("never")}`]) {
      const response = await app.api(`/v1/traces/${id}/${path}`);
      expect([path, response.status]).toEqual([path, 409]);
      const { error, message } = (await response.json()) as { error: string; message: string };
      expect(error).toBe("not_hot");
      expect(message).toContain("/restore");
    }
    expect(filesOf(id)).toEqual(["summary.json"]);
    expect(plainNames(join(app.dataDir, "cold"))).toEqual([`${id}.zip`]);
    const found = await getJson<{ items: unknown[] }>(app, "/v1/traces?tier=cold&q=checkout");
    expect(found.items).toHaveLength(1);
  });

  test("the report of a cold trace still says what failed", async () => {
    const lines = eventLines(5, (seq) =>
      seq === 3 ? { kind: "assertion", ok: false, message: "Order was not confirmed" } : {},
    );
    const { id } = await uploadTrace(app, { entries: [events(lines)], manifest: { status: "failed" } });
    await age(2);
    await age(3);
    expect((await show(id)).tier).toBe("cold");
    const report = await (await app.api(`/v1/traces/${id}/report.md`)).text();
    expect(report).toContain("## What failed");
    expect(report).toContain("Order was not confirmed");
  });

  test("a move and what clears away after it never meet", async () => {
    const { id } = await upload("one");
    await age(2);
    app.clock.advance(3 * DAY + 1);
    await app.runtime.periodic.find(({ name }) => name === "tiers")!.run();
    // The pack of the move to cold is tidied by a job of its own; the restore is asked for before that ran.
    await moveDown(app.deps, id, "cold");
    await post(app, `/v1/traces/${id}/restore`);
    await app.runJobs();
    expect((await show(id)).tier).toBe("hot");
    expect(filesOf(id)).toEqual(["events.index", "events.ndjson.zst", "manifest.json", "summary.json"]);
    expect(await read(id, "one")).toBe("one");
  });

  test("pinned, running and queued traces stay; an unpinned one goes at the next look", async () => {
    const { id } = await upload("one");
    await post(app, `/v1/traces/${id}/pin`);
    const running = await post(app, "/internal/v1/traces", {
      version: 1,
      scenario: { slug: "live", title: "L" },
      started_at: "2026-03-01T12:00:00Z",
    });
    const { trace_id } = (await running.json()) as { trace_id: string };
    await age(400);
    expect((await show(id)).tier).toBe("hot");
    expect((await show(trace_id)).tier).toBe("hot");
    await post(app, `/v1/traces/${id}/unpin`);
    await age(0);
    expect((await show(id)).tier).toBe("warm");
  });

  test("over max_bytes the oldest unpinned traces move, and none is removed", async () => {
    await app.close();
    app = await testApp({ settings: { retention: { max_bytes: 1 } } });
    const ids = [(await upload("one")).id, (await upload("two")).id];
    await age(0);
    expect([(await show(ids[0]!)).tier, (await show(ids[1]!)).tier]).toEqual(["warm", "warm"]);
    await age(0);
    expect([(await show(ids[0]!)).tier, (await show(ids[1]!)).tier]).toEqual(["cold", "cold"]);
    await age(0);
    expect(await getJson(app, "/v1/traces?tier=cold")).toMatchObject({
      items: [{ id: ids[1] }, { id: ids[0] }],
    });
  });
});

describe("blobs of several traces", () => {
  test("one that a hot trace needs stays a loose file, and both read it", async () => {
    const old = await upload("shared", "own");
    app.clock.advance(DAY);
    const young = await upload("shared");
    await age(1);
    expect([(await show(old.id)).tier, (await show(young.id)).tier]).toEqual(["warm", "hot"]);
    expect([isLoose("shared"), isLoose("own")]).toEqual([true, false]);
    expect([await read(old.id, "shared"), await read(young.id, "shared")]).toEqual(["shared", "shared"]);
  });

  test("one in the pack of a trace that goes cold, or is removed, stays with those that name it", async () => {
    for (const end of ["cold", "removed"] as const) {
      const first = await upload(`shared ${end}`);
      app.clock.advance(1000);
      const second = await upload(`shared ${end}`);
      await age(2);
      expect([(await show(first.id)).tier, (await show(second.id)).tier]).toEqual(["warm", "warm"]);
      for (const leaving of [first, second]) {
        const staying = leaving === first ? second : first;
        if ((await show(staying.id)).tier === "cold") continue;
        await post(app, `/v1/traces/${staying.id}/pin`);
        if (end === "cold") await age(3);
        else {
          await app.api(`/v1/traces/${leaving.id}`, { method: "DELETE" });
          await app.runJobs();
        }
        expect(await read(staying.id, `shared ${end}`)).toBe(`shared ${end}`);
        break;
      }
    }
  });

  test("the collector takes blobs that nobody has named for the days of grace, and no others", async () => {
    const gone = await upload("shared", "own");
    const kept = await upload("shared");
    await post(app, `/v1/traces/${kept.id}/pin`);
    await app.api(`/v1/traces/${gone.id}`, { method: "DELETE" });
    await app.runJobs();
    app.clock.advance(2.9 * DAY);
    await runPeriodic(app, "blob collector");
    expect([isLoose("shared"), isLoose("own")]).toEqual([true, true]);
    app.clock.advance(0.2 * DAY);
    await runPeriodic(app, "blob collector");
    expect([isLoose("shared"), isLoose("own")]).toEqual([true, false]);
    expect(await read(kept.id, "shared")).toBe("shared");
  });

  test("one that is named again meanwhile is not collected", async () => {
    const first = await upload("again");
    await app.api(`/v1/traces/${first.id}`, { method: "DELETE" });
    const second = await upload("again");
    await post(app, `/v1/traces/${second.id}/pin`);
    app.clock.advance(30 * DAY);
    await runPeriodic(app, "blob collector");
    expect(await read(second.id, "again")).toBe("again");
  });
});

describe("POST /v1/traces/{id}/restore", () => {
  const restore = (id: string) => post(app, `/v1/traces/${id}/restore`);

  test("a hot trace is 409", async () => {
    const { id } = await upload("one");
    const response = await restore(id);
    expect(response.status).toBe(409);
    expect(await response.json()).toMatchObject({ error: "conflict" });
  });

  test.each([
    ["warm", [2]],
    ["cold", [2, 3]],
  ] as const)("a %s trace comes back whole, and its age counts from then", async (tier, steps) => {
    const { id } = await upload("one", "two");
    const before = await contents(id);
    for (const days of steps) await age(days);
    expect((await show(id)).tier).toBe(tier);
    const response = await restore(id);
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ status: "restoring", eta_seconds: expect.any(Number) });
    expect((await show(id)).restoring).toBe(true);
    await restore(id);
    await app.runJobs();
    const detail = await show(id);
    expect(detail).toMatchObject({ tier: "hot", restoring: false, restore_error: null });
    expect(Date.parse(String(detail.expires_at))).toBe(app.clock.now() + 2 * DAY);
    expect(await contents(id)).toEqual(before);
    expect([await read(id, "one"), await read(id, "two")]).toEqual(["one", "two"]);
    expect(filesOf(id)).toEqual(["events.index", "events.ndjson.zst", "manifest.json", "summary.json"]);
    const cold = join(app.dataDir, "cold");
    expect(existsSync(cold) ? readdirSync(cold) : []).toEqual([]);
    await age(1);
    expect((await show(id)).tier).toBe("hot");
  });

  test.each([
    ["missing", async (path: string) => Bun.file(path).delete()],
    [
      "cut short",
      async (path: string) => void (await Bun.write(path, (await Bun.file(path).bytes()).slice(0, 300))),
    ],
    [
      "altered",
      async (path: string) => {
        const bytes = await Bun.file(path).bytes();
        bytes[200]! ^= 0xff;
        await Bun.write(path, bytes);
      },
    ],
    ["empty", async (path: string) => void (await Bun.write(path, ""))],
  ])("from a pack that is %s it stays cold and says which file", async (_, damage) => {
    const { id } = await upload("one");
    await age(2);
    await age(3);
    const path = fileNamed(join(app.dataDir, "cold"), `${id}.zip`);
    const good = await Bun.file(path).bytes();
    await damage(path);
    expect((await restore(id)).status).toBe(200);
    await app.runJobs();
    const detail = await show(id);
    expect(detail).toMatchObject({ tier: "cold", restoring: false });
    expect(detail.restore_error).toContain(basename(path));
    expect(Object.keys(detail.signed_urls)).toEqual(["summary"]);
    await Bun.write(path, good);
    await restore(id);
    await app.runJobs();
    expect(await show(id)).toMatchObject({ tier: "hot", restore_error: null });
    expect(await read(id, "one")).toBe("one");
  });

  test("to ask again between a failed restore's verdict and the end of its job is not lost", async () => {
    const { id } = await upload("one");
    await age(2);
    await age(3);
    const path = fileNamed(join(app.dataDir, "cold"), `${id}.zip`);
    const good = await Bun.file(path).bytes();
    await Bun.file(path).delete();
    await restore(id);
    await app.runJobs();
    expect((await show(id)).restoring).toBe(false);
    // The verdict is written, and the job's own end is not yet.
    const failed = app.store.records.updateTable("jobs").where("kind", "=", "trace.restore");
    await failed
      .set({ state: "running", lease_token: "t", visible_at: app.clock.now() + 60_000, finished_at: null })
      .execute();
    await Bun.write(path, good);
    expect((await restore(id)).status).toBe(200);
    await failed
      .where("lease_token", "=", "t")
      .set({ state: "done", lease_token: null, finished_at: app.clock.now() })
      .execute();
    await app.runJobs();
    expect(await show(id)).toMatchObject({ tier: "hot", restoring: false, restore_error: null });
  });

  test("a cold folder elsewhere is used, and a removed cold trace leaves nothing in it", async () => {
    const cold = join(app.dataDir, "elsewhere", "packs");
    await app.close();
    app = await testApp({ settings: { cold_dir: cold, retention: { hot_days: 2, warm_days: 5 } } });
    const { id } = await upload("one");
    await age(2);
    await age(3);
    expect(plainNames(cold)).toEqual([`${id}.zip`]);
    await app.api(`/v1/traces/${id}`, { method: "DELETE" });
    await app.runJobs();
    expect(readdirSync(cold)).toEqual([]);
    expect(filesOf(id)).toEqual([]);
  });
});

test("a trace with a damaged file is tried again after a day, not at every look", async () => {
  const { id } = await upload("text");
  const path = await eventsPath(app, id);
  const bytes = readFileSync(path);
  const flip = () => {
    bytes[bytes.length >> 1]! ^= 1;
    writeFileSync(path, bytes);
  };
  const look = async (later: number) => {
    app.clock.advance(later);
    await runPeriodic(app, "tiers");
  };
  const tries = () => app.logged.filter((line) => line.includes("damaged file stays")).length;
  flip();
  app.clock.advance(3 * DAY);
  for (let at = 0; at < 3; at++) await look(600_000);
  expect(tries()).toBe(1);
  await look(DAY);
  expect(tries()).toBe(2);
  flip();
  await look(DAY);
  expect((await show(id)).tier).toBe("warm");
});

test("traces that cannot be moved, however many and old, keep no other from moving", async () => {
  const { id } = await upload("a text");
  const columns = (await statement<{ name: string }>(app.store, "PRAGMA table_info(traces)")).map(
    ({ name }) => name,
  );
  const own = ["id", "short_id", "ord", "aged_from"];
  const rest = columns.filter((name) => !own.includes(name)).join(", ");
  await statement(
    app.store,
    `WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 1100)
     INSERT INTO traces (${own.join(", ")}, ${rest})
     SELECT 'stuck-' || n, 's' || n, created_at * 4096 + n + iif(ord % 4096 < 2000, 2000, 0), aged_from - n, ${rest} FROM traces, n WHERE id = ?`,
    id,
  );
  for (let n = 1; n <= 1100; n++) app.deps.traceState.unmovable.set(`stuck-${n}`, Number.POSITIVE_INFINITY);
  await age(2);
  expect((await show(id)).tier).toBe("warm");
});

test("a trace whose move fails in a way that nobody knows is left for a day", async () => {
  const { id } = await upload("a text");
  // Neither damaged nor missing: the system refuses to read it.
  const path = await eventsPath(app, id);
  rmSync(path);
  mkdirSync(path);
  await age(2);
  for (let look = 0; look < 5; look++) {
    app.clock.advance(10 * 60_000);
    await runPeriodic(app, "tiers");
  }
  expect((await show(id)).tier).toBe("hot");
  expect(app.deps.traceState.unmovable.has(id)).toBe(true);
});
