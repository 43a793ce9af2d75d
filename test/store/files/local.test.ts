import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { strayFiles } from "../../../store/check.ts";
import { traceRecordKey } from "../../../store/files/keys.ts";
import { createLocalFiles } from "../../../store/files/local.ts";
import { writeDurably } from "../../../store/files/write.ts";
import { insertJob } from "../../../store/records/jobs.ts";
import { insertTrace } from "../../../store/records/traces.ts";
import { openStore, type Store } from "../../../store/store.ts";
import { sha256 } from "../../helpers/bundles.ts";
import { until } from "../../helpers/until.ts";

const TRACE = "01890000-0000-7000-8000-000000000001";

let folder: string;
let store: Store;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tracedeck-files-"));
  store = openStore(folder);
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

let made = 0;
/** A finished file among the work in progress. */
async function finished(content: string, name = "summary.json") {
  const { path, sha256 } = await writeDurably(store.work.path(`made-${++made}`), [Buffer.from(content)]);
  return { path, traceId: TRACE, name, sha256 };
}

const put = async (content: string, name?: string) => store.files.put(await finished(content, name));
const whole = (key: string, size: number) => ({ key, offset: 0, storedSize: size, size, method: 0 as const });
const textOf = (stream: ReadableStream<Uint8Array>) => new Response(stream).text();

describe("a file that is put", () => {
  test("gets a key that its content is a part of, and leaves the place where it was made", async () => {
    const file = await finished("one");
    const key = await store.files.put(file);
    expect(key).toBe(`traces/${TRACE}/summary.${file.sha256.slice(0, 12)}.json`);
    expect(existsSync(file.path)).toBe(false);
    expect(await store.files.size(key)).toBe(3);
    expect(await store.files.keysOf(TRACE)).toEqual([key]);
  });

  test("stays beside another content of the same name", async () => {
    const [one, other] = [await put("one"), await put("other")];
    expect(one).not.toBe(other);
    expect(await textOf(store.files.stream(whole(one, 3)))).toBe("one");
    expect(await textOf(store.files.stream(whole(other, 5)))).toBe("other");
  });

  test("a second time has the same key and is one file, whole also where the first was cut", async () => {
    const first = await put("same");
    expect(await put("same")).toBe(first);
    truncateSync(join(folder, first), 1);
    expect(await put("same")).toBe(first);
    expect(readFileSync(join(folder, first), "utf8")).toBe("same");
    expect(await store.files.keysOf(TRACE)).toEqual([first]);
    expect(readdirSync(store.layout.tmp)).toEqual([]);
  });

  test("may go by the content of the file that it belongs to, or by none", async () => {
    const index = { ...(await finished("index", "events.index")), sha256: "ab".repeat(32) };
    expect(await store.files.put(index)).toBe(`traces/${TRACE}/events.abababababab.index`);
    const first = { ...(await finished("events", "events.ndjson.zst")), sha256: null };
    expect(await store.files.put(first)).toBe(`traces/${TRACE}/events.ndjson.zst`);
  });
});

describe("a file's bytes", () => {
  test("stream whole or in a range, from another thread's view of the same files too", async () => {
    const key = await put("0123456789");
    const elsewhere = createLocalFiles(store.files.address);
    for (const files of [store.files, elsewhere]) {
      expect(await textOf(files.stream(whole(key, 10)))).toBe("0123456789");
      expect(await textOf(files.stream(whole(key, 10), { start: 3, end: 6 }))).toBe("345");
      const inside = { key, offset: 2, storedSize: 4, size: 4, method: 0 as const };
      expect(await textOf(await files.open(inside, { start: 1, end: 3 }))).toBe("34");
      expect(Buffer.from(await files.read(inside)).toString()).toBe("2345");
    }
  });

  test("which are open stream to their end after the file was removed", async () => {
    const key = await put("still here");
    const stream = await store.files.open(whole(key, 10));
    await store.files.remove(key);
    expect(await textOf(stream)).toBe("still here");
    expect(await store.files.size(key)).toBeNull();
  });
});

describe("a leased file", () => {
  test("lies where its path says until the last lease of it is released, removed or not", async () => {
    const key = await put("leased");
    const [one, two] = [await store.files.local(key), await store.files.local(key)];
    expect(two.path).toBe(one.path);
    await store.files.remove(key);
    one.release();
    one.release();
    expect(readFileSync(two.path, "utf8")).toBe("leased");
    two.release();
    await gone(key);
    await expect(store.files.local(key)).rejects.toThrow("ENOENT");
  });

  test("keeps its trace's folder until then", async () => {
    const [leased, other] = [await put("leased"), await put("other", "manifest.json")];
    const { path, release } = await store.files.local(leased);
    await store.files.removeTrace(TRACE);
    expect(readFileSync(path, "utf8")).toBe("leased");
    release();
    await gone(leased);
    await gone(other);
    expect(readdirSync(store.layout.traces)).toEqual([]);
  });

  test("that is removed and put again before the release stays", async () => {
    const key = await put("wanted");
    const { release } = await store.files.local(key);
    await store.files.remove(key);
    expect(await put("wanted")).toBe(key);
    release();
    await store.files.put(await finished("a turn of the disk", "manifest.json"));
    expect(await store.files.size(key)).toBe(6);
  });
});

test("removing what is not there is fine, and no key leads out of the store", async () => {
  await store.files.remove(`traces/${TRACE}/nothing.json`);
  await store.files.removeTrace(TRACE);
  for (const key of ["../out", "/etc/passwd", "traces/../../out", "", "traces//x"])
    await expect(store.files.size(key)).rejects.toThrow("is no key");
});

test("the pack of a cold trace lies in the cold folder, named by its content", async () => {
  const draft = await store.files.coldDraft(TRACE);
  await writeDurably(draft.path, [Buffer.from("pack")]);
  const key = await draft.finish(sha256("pack"));
  expect(key).toBe(`${TRACE}.${sha256("pack").slice(0, 12)}.zip`);
  expect(store.files.whereabouts(key)).toBe(join(folder, "cold", key));
  expect(await store.files.size(key)).toBe(4);
  expect(await store.files.coldKeysOf(TRACE)).toEqual([key]);
});

test("the record of a trace is replaced as a whole", async () => {
  mkdirSync(store.layout.trace(TRACE));
  await store.files.putRecord(traceRecordKey(TRACE), Buffer.from("{}"));
  await store.files.putRecord(traceRecordKey(TRACE), Buffer.from('{"version":1}'));
  expect(readFileSync(join(store.layout.trace(TRACE), "record.json"), "utf8")).toBe('{"version":1}');
  expect(readdirSync(store.layout.trace(TRACE))).toEqual(["record.json"]);
});

describe("a crash between the file and its row", () => {
  test("leaves a file that is found as a stray, and the files that rows name are none", async () => {
    await addTrace("passed");
    const [named, left] = [await put("named"), await put("left behind")];
    await name(named);
    await store.files.putRecord(traceRecordKey(TRACE), Buffer.from("{}"));
    expect(await strays()).toEqual([left]);
  });

  test("is none yet while the trace is being made, or a job on it waits", async () => {
    await addTrace("queued");
    await put("in the making");
    expect(await strays()).toEqual([]);
    await store.records.updateTable("traces").set({ status: "passed" }).execute();
    await addJob();
    expect(await strays()).toEqual([]);
    await store.records.updateTable("jobs").set({ state: "done" }).execute();
    expect(await strays()).toHaveLength(1);
  });
});

const gone = (key: string) => until(`${key} is gone`, async () => (await store.files.size(key)) === null);

const strays = async () =>
  (await strayFiles(store)).map(({ path }) => path.slice(folder.length + 1).replaceAll("\\", "/"));

async function name(path: string): Promise<void> {
  const row = { trace_id: TRACE, kind: "summary", path, size: 5, media_type: "application/json" };
  await store.records
    .insertInto("artifacts")
    .values({ ...row, sha256: "ab".repeat(32) })
    .execute();
}

async function addTrace(status: "passed" | "queued"): Promise<void> {
  const { records } = store;
  await records.insertInto("orgs").values({ id: "o", slug: "o", name: "o", created_at: 0 }).execute();
  const scenario = { id: "s", org_id: "o", slug: "s", title: "s", created_at: 0, updated_at: 0 };
  await records.insertInto("scenarios").values(scenario).execute();
  await insertTrace(records, {
    id: TRACE,
    org_id: "o",
    short_id: "s",
    scenario_id: "s",
    scenario_slug: "s",
    scenario_title: "s",
    status,
    tier: "hot",
  });
}

const addJob = (): Promise<unknown> =>
  insertJob(store.records, {
    id: "j",
    kind: "trace.tidy",
    dedupe_key: null,
    payload: JSON.stringify({ trace_id: TRACE }),
    state: "queued",
    max_attempts: 3,
    visible_at: 0,
    lease_token: null,
    last_error: null,
    created_at: 0,
    finished_at: null,
  });
