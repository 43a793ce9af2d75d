import { afterAll, beforeAll, expect, test } from "bun:test";
import { blobTar } from "../../../server/run/capture/blob-tar.ts";
import { type TestApp, testApp } from "../../helpers/app.ts";
import { sha256, zstd } from "../../helpers/bundles.ts";

const CAP = 64 * 1024;
const UNPACKED = 20 * CAP;

let on: TestApp;
beforeAll(async () => {
  on = await testApp({ settings: { upload_cap_bytes: CAP } });
});
afterAll(() => on.close());

const call = async (path: string, method: string, body: BodyInit, type: string) => {
  const response = await on.api(path, { method, body, headers: { "content-type": type } });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
};
const json = (path: string, body: unknown) => call(path, "POST", JSON.stringify(body), "application/json");

async function begin(): Promise<string> {
  const { body } = await json("/internal/v1/traces", { version: 1, scenario: { slug: "room" } });
  return String(body.trace_id);
}

/** One event as a chunk; its message is of random bytes unless given, which do not pack well. */
const chunk = (id: string, n: number, message: string) => {
  const line = JSON.stringify({ seq: n, ts: n, kind: "console.log", message });
  const packed = zstd(Buffer.from(`${line}\n`)) as Uint8Array<ArrayBuffer>;
  return call(`/internal/v1/traces/${id}/chunks?n=${n}`, "POST", packed, "application/zstd");
};
const noise = (bytes: number) => crypto.getRandomValues(new Uint8Array(bytes)).toHex();
const row = (id: string) =>
  on.store.records.selectFrom("traces").selectAll().where("id", "=", id).executeTakeFirstOrThrow();
const full = { status: 413, body: { error: "bundle_too_large" } };

test("chunks are taken up to the upload cap; one that is refused leaves what was taken, and the capture can be ended", async () => {
  const id = await begin();
  let n = 0;
  let last = await chunk(id, n, noise(10_000));
  while (last.status === 200 && n < 20) {
    n += 1;
    last = await chunk(id, n, noise(10_000));
  }
  expect(last).toMatchObject(full);
  expect(last.body.message).toContain(`${CAP} bytes`);
  expect(n).toBe(6);
  const events = (await (await on.api(`/v1/traces/${id}/events`)).json()) as { total: number };
  expect(events.total).toBe(6);
  // The number stays free, and what is small enough still has room.
  expect(await chunk(id, n, "short")).toMatchObject({ status: 200 });
  expect(await json(`/internal/v1/traces/${id}/end`, { status: "passed" })).toMatchObject({ status: 200 });
  await on.runJobs();
  expect(await row(id)).toMatchObject({ status: "passed", event_count: 7 });
});

test("what packs well is bounded by what it unpacks to, in lines and in strings that become payloads", async () => {
  // 200 kB stay in the line, 300 kB become a payload.
  for (const length of [200_000, 300_000]) {
    const id = await begin();
    let n = 0;
    while (n < 20 && (await chunk(id, n, String(n).padStart(length, "x"))).status === 200) n += 1;
    expect(n).toBe(Math.floor(UNPACKED / length));
    expect(await chunk(id, n, "y".repeat(length))).toMatchObject(full);
    expect((await row(id)).event_count).toBe(n);
  }
});

test("payloads of a capture are bounded together, and one that is sent again costs nothing", async () => {
  const id = await begin();
  const put = (bytes: Uint8Array<ArrayBuffer>) =>
    call(`/internal/v1/traces/${id}/blobs/${sha256(bytes)}`, "PUT", bytes, "application/octet-stream");
  const blobs = Array.from({ length: 22 }, (_, at) => Buffer.alloc(60_000, `${at} `));
  const room = Math.floor(UNPACKED / 60_000);
  for (const bytes of blobs.slice(0, room)) {
    expect((await put(bytes)).status).toBe(200);
    expect((await put(bytes)).status).toBe(200);
  }
  expect(await put(blobs[room]!)).toMatchObject(full);
  expect((await row(id)).total_size_bytes).toBe(room * 60_000);
  const kept = on.store.records.selectFrom("trace_blobs").select("hash").where("trace_id", "=", id);
  expect(await kept.execute()).toHaveLength(room);
});

test("a member that comes twice in one archive of payloads is taken and counted once", async () => {
  const id = await begin();
  const bytes = Buffer.from("the same");
  const member = { hash: sha256(bytes), bytes };
  const tar = await blobTar([member, member]);
  const answer = await call(`/internal/v1/traces/${id}/blobs`, "POST", tar, "application/x-tar");
  expect(answer).toEqual({ status: 200, body: { blobs: [{ hash: member.hash, size: bytes.length }] } });
  expect((await row(id)).total_size_bytes).toBe(bytes.length);
});
