import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { blobTar } from "../../../server/run/capture/blob-tar.ts";
import { growingKey } from "../../../store/files/keys.ts";
import { type TestApp, testApp } from "../../helpers/app.ts";
import { eventLines, sha256, zstd } from "../../helpers/bundles.ts";
import { childCommand } from "../../helpers/child.ts";
import { growth, LINEAR } from "../../helpers/cost.ts";
import { fileNamed } from "../../helpers/trace-files.ts";

const MANIFEST = { version: 1, scenario: { slug: "checkout", title: "Guest checkout" }, run_id: "run-1" };
const PICTURE = Buffer.from("89504e470d0a1a0a00000000", "hex");

let dataDir: string;
let on: TestApp;
beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), "tracedeck-capture-"));
  on = await testApp({ dataDir });
});
afterEach(async () => {
  await on.close();
  rmSync(dataDir, { recursive: true, force: true });
});

const json = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  on.api(path, {
    method: "POST",
    body: JSON.stringify(body),
    headers: { "content-type": "application/json", ...headers },
  });

async function begin(manifest: unknown = MANIFEST): Promise<string> {
  const response = await json("/internal/v1/traces", manifest);
  expect(response.status).toBe(201);
  return ((await response.json()) as { trace_id: string }).trace_id;
}

/** Lines with `seq` from `from`, as one chunk. */
const lines = (from: number, count: number, more: (seq: number) => Record<string, unknown> = () => ({})) =>
  eventLines(from + count, more)
    .split("\n")
    .slice(from, from + count)
    .join("\n");
const packed = (text: string | Uint8Array) => zstd(Buffer.from(text)) as Uint8Array<ArrayBuffer>;
const send = (id: string, n: number, text: string) =>
  on.api(`/internal/v1/traces/${id}/chunks?n=${n}`, {
    method: "POST",
    body: packed(`${text}\n`),
    headers: { "content-type": "application/zstd" },
  });
const put = (path: string, body: Uint8Array<ArrayBuffer>, type = "application/octet-stream") =>
  on.api(path, { method: "PUT", body, headers: { "content-type": type } });
const row = (id: string) =>
  on.store.records.selectFrom("traces").selectAll().where("id", "=", id).executeTakeFirstOrThrow();
const problem = async (response: Response) => [
  response.status,
  ((await response.json()) as { error: string }).error,
];

async function storedLines(id: string): Promise<string[]> {
  const file = await on.store.events.open({ key: growingKey(id) });
  return (await file.query({ offset: 0, limit: 1_000 })).lines;
}

test("a capture grows, ends, and becomes a trace like any other", async () => {
  const begun = await json("/internal/v1/traces", MANIFEST);
  const {
    trace_id: id,
    short_id,
    urls,
  } = (await begun.json()) as { trace_id: string; short_id: string; urls: Record<string, string> };
  expect(begun.status).toBe(201);
  expect(short_id).toMatch(/^\w{12}$/);
  expect(urls).toEqual({
    chunks: `http://localhost/internal/v1/traces/${id}/chunks`,
    blobs: `http://localhost/internal/v1/traces/${id}/blobs`,
    artifacts: `http://localhost/internal/v1/traces/${id}/artifacts`,
    end: `http://localhost/internal/v1/traces/${id}/end`,
  });
  expect((await row(id)).status).toBe("running");

  const hash = sha256(PICTURE);
  expect((await put(`/internal/v1/traces/${id}/blobs/${hash}`, PICTURE)).status).toBe(200);
  const taken = await send(
    id,
    0,
    lines(0, 10, (seq) => (seq === 3 ? { kind: "console.error" } : {})),
  );
  expect([taken.status, await taken.json()]).toEqual([200, { trace_id: id, next_chunk: 1, last_seq: 9 }]);
  const shot = { kind: "screenshot", blob: `sha256:${hash}`, width: 1, height: 1 };
  await send(
    id,
    1,
    lines(10, 5, (seq) => (seq === 12 ? shot : {})),
  );
  expect(await row(id)).toMatchObject({ status: "running", event_count: 15, error_count: 1, last_seq: 14 });

  const ended = await json(`/internal/v1/traces/${id}/end`, { status: "failed" });
  expect([ended.status, await ended.json()]).toEqual([200, { trace_id: id, status: "queued" }]);
  await on.runJobs();
  expect(await row(id)).toMatchObject({
    status: "failed",
    event_count: 15,
    blob_count: 1,
    final_screenshot: hash,
    pinned: 1,
  });
  expect((await storedLines(id)).length).toBe(15);
  expect(readdirSync(on.store.layout.tmp)).toEqual([]);
});

test("a recorded page is given out as one while its trace still runs", async () => {
  const id = await begin();
  const page = "<!doctype html><html><body>Cart (1)</body></html>";
  await put(`/internal/v1/traces/${id}/blobs/${sha256(page)}`, Buffer.from(page));
  const { headers } = await on.api(`/v1/traces/${id}/blob/${sha256(page)}?as=page`);
  const { pathname, search } = new URL(headers.get("location")!);
  const served = await on.api(pathname + search);
  expect(served.headers.get("content-type")).toBe("text/html; charset=utf-8");
  expect(served.headers.get("content-disposition")).not.toStartWith("attachment");
  expect(served.headers.get("content-security-policy")).toStartWith("sandbox;");
});

test("followers hear of every chunk and of each status", async () => {
  const id = await begin();
  const stop = new AbortController();
  const heard: unknown[] = [];
  const listening = (async () => {
    for await (const message of on.deps.hub.subscribe("trace", id, stop.signal)) heard.push(message);
  })();
  await send(id, 0, lines(0, 3));
  await json(`/internal/v1/traces/${id}/end`, { status: "passed" });
  await on.runJobs();
  stop.abort();
  await listening;
  expect(heard).toEqual([
    { type: "events", fromSeq: 0, toSeq: 2 },
    { type: "status", status: "queued" },
    { type: "status", status: "passed" },
  ]);
});

test("a chunk that is sent again is answered as before and taken once", async () => {
  const id = await begin();
  await send(id, 0, lines(0, 3));
  await send(id, 1, lines(3, 2));
  const again = await send(id, 0, lines(0, 3));
  expect([again.status, await again.json()]).toEqual([200, { trace_id: id, next_chunk: 2, last_seq: 4 }]);
  expect(await storedLines(id)).toHaveLength(5);
});

test.each([
  ["nothing", new Uint8Array(0)],
  ["a line end", Buffer.from("\n")],
  ["the first two bytes of a zstd frame", packed("{}").subarray(0, 2)],
  ["a zstd frame that is cut short", packed(`${lines(0, 300)}\n`).subarray(0, 90)],
  ["what is no zstd", Buffer.from("garbage")],
  [
    "a zstd frame with garbage behind it",
    Buffer.concat([packed(`${lines(0, 2)}\n`), Buffer.from("garbage")]),
  ],
] as const)("a chunk of %s is refused, and its number stays free", async (_what, body) => {
  const id = await begin();
  const refused = await on.api(`/internal/v1/traces/${id}/chunks?n=0`, {
    method: "POST",
    body: body as Uint8Array<ArrayBuffer>,
    headers: { "content-type": "application/zstd" },
  });
  expect(await problem(refused)).toEqual([400, "bundle_unreadable"]);
  expect((await send(id, 0, lines(0, 3))).status).toBe(200);
  expect(await storedLines(id)).toHaveLength(3);
});

test("other bytes under a number that was taken are a conflict, also after a restart, and nothing of them is taken", async () => {
  const id = await begin();
  await send(id, 0, lines(0, 3));
  await on.close();
  on = await testApp({ dataDir });
  const other = await send(id, 0, lines(0, 4));
  expect(await problem(other)).toEqual([409, "conflict"]);
  expect((await send(id, 0, lines(0, 3))).status).toBe(200);
  expect(await storedLines(id)).toHaveLength(3);
  await json(`/internal/v1/traces/${id}/end`, { status: "passed" });
  expect(await on.store.records.selectFrom("trace_chunks").selectAll().execute()).toEqual([]);
});

test("chunks that come at once are taken in their order or told to come later", async () => {
  const id = await begin();
  const answers = await Promise.all([
    send(id, 0, lines(0, 2)),
    send(id, 0, lines(0, 2)),
    send(id, 1, lines(2, 2)),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(await storedLines(id)).toHaveLength(4);
});

test("a gap, a chunk after the end and a second end are conflicts", async () => {
  const id = await begin();
  expect(await problem(await send(id, 1, lines(0, 2)))).toEqual([409, "conflict"]);
  await send(id, 0, lines(0, 2));
  expect((await json(`/internal/v1/traces/${id}/end`, { status: "passed" })).status).toBe(200);
  expect(await problem(await send(id, 1, lines(2, 2)))).toEqual([409, "conflict"]);
  expect(
    await problem(await put(`/internal/v1/traces/${id}/blobs/${sha256("x")}`, Buffer.from("x"))),
  ).toEqual([409, "conflict"]);
  expect((await json(`/internal/v1/traces/${id}/end`, { status: "passed" })).status).toBe(200);
  expect(await problem(await json(`/internal/v1/traces/${id}/end`, { status: "failed" }))).toEqual([
    409,
    "conflict",
  ]);
});

test("nothing of a chunk is taken when a line of it is wrong", async () => {
  const id = await begin();
  await send(id, 0, lines(0, 5));
  const wrong = [
    lines(4, 3),
    `${lines(5, 2)}\n${lines(5, 1)}`,
    `${lines(5, 2)}\nnot json`,
    `${lines(5, 2)}\n{"seq":9}`,
    `${lines(5, 2)}\n[1]`,
  ];
  for (const text of wrong)
    expect(await problem(await send(id, 1, text))).toEqual([400, "bundle_unreadable"]);
  const cut = packed(`${lines(5, 200)}\n`).subarray(0, 60);
  const short = await on.api(`/internal/v1/traces/${id}/chunks?n=1`, { method: "POST", body: cut });
  expect(await problem(short)).toEqual([400, "bundle_unreadable"]);
  expect(await row(id)).toMatchObject({ next_chunk: 1, last_seq: 4, event_count: 5 });
  expect(await storedLines(id)).toHaveLength(5);
  expect((await send(id, 1, lines(5, 2))).status).toBe(200);
});

test.each(["", "?n=", "?n=-1", "?n=1.5", "?n=x"])(
  "a chunk with the number %j is 400 and named",
  async (query) => {
    const id = await begin();
    const response = await on.api(`/internal/v1/traces/${id}/chunks${query}`, {
      method: "POST",
      body: packed(lines(0, 1)),
    });
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({
      error: "invalid_request",
      message: expect.stringContaining('query parameter "n"'),
    });
  },
);

test("a chunk that unpacks to too much is refused before it does", async () => {
  const id = await begin();
  const bomb = packed(Buffer.alloc(64 << 20, 0x20));
  const response = await on.api(`/internal/v1/traces/${id}/chunks?n=0`, { method: "POST", body: bomb });
  expect(await problem(response)).toEqual([400, "bundle_bomb"]);
});

test("a chunk with more kinds than a trace may have is refused, and the capture goes on", async () => {
  const id = await begin();
  const many = await send(
    id,
    0,
    lines(0, 10_001, (seq) => ({ kind: `kind.${seq}` })),
  );
  expect(await problem(many)).toEqual([400, "bundle_bomb"]);
  expect((await send(id, 0, lines(0, 3))).status).toBe(200);
  expect(await storedLines(id)).toHaveLength(3);
});

test("bytes that are not what their address says are refused", async () => {
  const id = await begin();
  expect(
    await problem(await put(`/internal/v1/traces/${id}/blobs/${sha256("a")}`, Buffer.from("b"))),
  ).toEqual([400, "blob_mismatch"]);
  for (const name of [sha256("a").toUpperCase(), "abc", `sha256:${sha256("a")}`])
    expect((await put(`/internal/v1/traces/${id}/blobs/${name}`, Buffer.from("a"))).status).toBe(400);
  expect(readdirSync(on.store.layout.tmp)).toEqual([]);
});

describe("several blobs at once", () => {
  const post = (id: string, body: Uint8Array, headers: Record<string, string> = {}) =>
    on.api(`/internal/v1/traces/${id}/blobs`, {
      method: "POST",
      body: body as Uint8Array<ArrayBuffer>,
      headers: { "content-type": "application/x-tar", ...headers },
    });
  const named = (...texts: (string | Buffer)[]) =>
    blobTar(texts.map((text) => ({ hash: sha256(text), bytes: Buffer.from(text) })));
  const count = async () =>
    (await on.store.records.selectFrom("trace_blobs").select("hash").execute()).length;

  test("come as a tar archive and are kept like single ones", async () => {
    const id = await begin();
    const big = Buffer.alloc(3 << 20, "abc");
    const body = await named(PICTURE, "", big);
    for (let time = 0; time < 2; time++) {
      const response = await post(id, body);
      expect([response.status, await response.json()]).toEqual([
        200,
        {
          blobs: [
            { hash: sha256(PICTURE), size: PICTURE.length },
            { hash: sha256(""), size: 0 },
            { hash: sha256(big), size: big.length },
          ],
        },
      ]);
    }
    const served = await on.api(`/v1/traces/${id}/blob/${sha256(big)}`);
    const file = await on.api(
      new URL(served.headers.get("location")!).pathname + new URL(served.headers.get("location")!).search,
    );
    expect(sha256(Buffer.from(await file.arrayBuffer()))).toBe(sha256(big));
    expect(await count()).toBe(3);
    expect((await post(id, await named())).status).toBe(200);
  });

  test("are refused whole when one of them is wrong, and nothing is left of them", async () => {
    const id = await begin();
    const wrong = (hash: string) => [
      { hash: sha256("a"), bytes: Buffer.from("a") },
      { hash, bytes: Buffer.from("b") },
    ];
    const answer = await post(id, await blobTar(wrong(sha256("c"))));
    expect(await answer.json()).toMatchObject({
      error: "blob_mismatch",
      message: expect.stringContaining(sha256("c")),
    });
    expect(await problem(await post(id, await blobTar(wrong("../../etc/passwd"))))).toEqual([
      400,
      "invalid_request",
    ]);
    const whole = await named("a", "b");
    expect(await problem(await post(id, whole.subarray(0, 700)))).toEqual([400, "bundle_unreadable"]);
    expect(await problem(await post(id, Buffer.alloc(2048, "x")))).toEqual([400, "bundle_unreadable"]);
    const many = await blobTar(
      Array.from({ length: 1001 }, () => ({ hash: sha256(""), bytes: Buffer.alloc(0) })),
    );
    expect(await problem(await post(id, many))).toEqual([400, "bundle_unreadable"]);
    expect(await count()).toBe(0);
    expect(readdirSync(on.store.layout.tmp)).toEqual([]);
    await json(`/internal/v1/traces/${id}/end`, { status: "passed" });
    expect(await problem(await post(id, whole))).toEqual([409, "conflict"]);
  });
});

test("files are kept by kind, the last one of a kind wins, a screenshot is the final picture", async () => {
  const id = await begin();
  const artifact = (kind: string, body: Uint8Array<ArrayBuffer>) =>
    put(`/internal/v1/traces/${id}/artifacts/${kind}`, body);
  const webm = Buffer.from("1a45dfa3000000", "hex");
  const mp4 = Buffer.from("000000186674797069736f6d", "hex");
  expect((await artifact("video", webm)).status).toBe(200);
  expect((await artifact("video", mp4)).status).toBe(200);
  expect((await artifact("report", Buffer.from("# ours"))).status).toBe(200);
  expect((await artifact("summary", Buffer.from('{"redaction_count":7}'))).status).toBe(200);
  expect((await artifact("rrweb", packed("{}\n"))).status).toBe(200);
  expect((await artifact("screenshot", PICTURE)).status).toBe(200);
  for (const [kind, body] of [
    ["video", PICTURE],
    ["rrweb", PICTURE],
    ["playwright", webm],
    ["screenshot", webm],
    ["ndjson", webm],
    ["manifest", webm],
  ] as const)
    expect(await problem(await artifact(kind, body))).toEqual([400, "invalid_request"]);
  expect(await problem(await artifact("summary", Buffer.alloc((16 << 20) + 1)))).toEqual([
    413,
    "bundle_too_large",
  ]);
  await json(`/internal/v1/traces/${id}/end`, { status: "passed" });
  await on.runJobs();
  const folder = on.store.layout.trace(id);
  const names = readdirSync(folder).map((name) => name.replace(/\.[0-9a-f]{12}\./, ".*."));
  expect([...new Set(names)].sort()).toEqual([
    "events.*.index",
    "events.*.ndjson.zst",
    "events.index",
    "events.ndjson.zst",
    "manifest.*.json",
    "report.*.md",
    "rrweb.*.ndjson.zst",
    "summary.*.json",
    "video.*.mp4",
  ]);
  expect(JSON.parse(readFileSync(fileNamed(folder, "summary.json"), "utf8"))).toMatchObject({
    redaction_count: 7,
    final_screenshot: `sha256:${sha256(PICTURE)}`,
  });
});

test("a manifest that is not right is refused by name", async () => {
  for (const manifest of [
    {},
    { version: 1 },
    { version: 1, scenario: { slug: "No Slug" } },
    { ...MANIFEST, source: "email" },
    { ...MANIFEST, started_at: "yesterday" },
  ]) {
    const response = await json("/internal/v1/traces", manifest);
    expect(await problem(response)).toEqual([400, "invalid_request"]);
  }
  expect(await on.store.records.selectFrom("traces").selectAll().execute()).toEqual([]);
});

test("it takes a key with traces:write or the internal token, and nothing else", async () => {
  expect((await json("/internal/v1/traces", MANIFEST, { authorization: "" })).status).toBe(401);
  expect(
    (await json("/internal/v1/traces", MANIFEST, { authorization: "", "x-internal-token": "guess" })).status,
  ).toBe(401);
  const trusted = await testApp({ settings: { internal_service_token: "a-token-of-the-installation" } });
  const response = await trusted.api("/internal/v1/traces", {
    method: "POST",
    body: JSON.stringify(MANIFEST),
    headers: {
      "content-type": "application/json",
      authorization: "",
      "x-internal-token": "a-token-of-the-installation",
    },
  });
  expect(response.status).toBe(201);
  await trusted.close();
});

const sweep = () => on.runtime.periodic.find(({ name }) => name === "capture.sweep")!.run();

test("a hash that chunks only name does not give the trace another one's bytes", async () => {
  const hash = sha256(PICTURE);
  const other = await begin();
  await put(`/internal/v1/traces/${other}/blobs/${hash}`, PICTURE);
  const id = await begin();
  await send(
    id,
    0,
    lines(0, 1, () => ({ kind: "screenshot", blob: `sha256:${hash}` })),
  );
  expect((await on.api(`/v1/traces/${id}/blob/${hash}`)).status).toBe(404);
  await json(`/internal/v1/traces/${id}/end`, { status: "passed" });
  await on.runJobs();
  expect((await on.api(`/v1/traces/${id}/blob/${hash}`)).status).toBe(404);
  expect((await on.api(`/v1/traces/${other}/blob/${hash}`)).status).toBe(302);
});

test("two minutes without a chunk abort the trace, and what came is kept", async () => {
  const id = await begin();
  on.clock.advance(60_000);
  await send(id, 0, lines(0, 3));
  on.clock.advance(119_999);
  await sweep();
  expect((await row(id)).status).toBe("running");
  on.clock.advance(1);
  await sweep();
  await on.runJobs();
  expect(await row(id)).toMatchObject({
    status: "aborted",
    event_count: 3,
    status_reason: "No chunk came for 120 s.",
  });
  expect(await problem(await send(id, 1, lines(3, 1)))).toEqual([409, "conflict"]);
});

test("a run ends as it did although the archive beside its events cannot be opened", async () => {
  const id = await begin();
  await send(id, 0, lines(0, 3));
  const damaged = Buffer.concat([Buffer.from("PK\x03\x04"), Buffer.alloc(5000, 7)]);
  expect((await put(`/internal/v1/traces/${id}/artifacts/playwright`, damaged)).status).toBe(200);
  await json(`/internal/v1/traces/${id}/end`, { status: "failed" });
  await on.runJobs();
  const { status, event_count, warnings } = await row(id);
  expect([status, event_count]).toEqual(["failed", 3]);
  expect(warnings).toContain("The pages in the Playwright archive cannot be shown");
});

test("a trace that never got a chunk is aborted as well", async () => {
  const id = await begin();
  on.clock.advance(120_000);
  await sweep();
  await on.runJobs();
  expect(await row(id)).toMatchObject({ status: "aborted", event_count: 0 });
});

test("a clock that goes back delays the abort by no more than its two minutes", async () => {
  const id = await begin();
  on.clock.set(on.clock.now() - 86_400_000);
  await sweep();
  on.clock.advance(120_000);
  await sweep();
  expect((await row(id)).status).toBe("queued");
});

test("after kill -9 acknowledged chunks are there and the capture goes on", async () => {
  const id = await begin();
  await send(id, 0, lines(0, 4));
  await on.close();
  const child = Bun.spawn([...childCommand(join(import.meta.dir, "capture-child.ts")), dataDir, id], {
    stdout: "pipe",
  });
  expect(await child.exited).not.toBe(0);
  expect(await new Response(child.stdout).text()).toContain("acknowledged 200");

  on = await testApp({ dataDir });
  on.clock.advance(600_000);
  expect((await storedLines(id)).length).toBeGreaterThanOrEqual(6);
  expect(await row(id)).toMatchObject({ status: "running", next_chunk: 2, last_seq: 5 });
  // Chunk 2 was on disk but not acknowledged when the server died: the sender repeats it.
  const again = await send(id, 2, lines(6, 2));
  expect([again.status, await again.json()]).toEqual([200, { trace_id: id, next_chunk: 3, last_seq: 7 }]);
  await json(`/internal/v1/traces/${id}/end`, { status: "passed" });
  await on.runJobs();
  expect(await row(id)).toMatchObject({ status: "passed", event_count: 8 });
  expect(await storedLines(id)).toEqual(lines(0, 8).split("\n"));
});

test("a long text in the place of an object is refused in time that grows with it", async () => {
  const refused = async (length: number) => {
    const response = await json("/internal/v1/traces", { ...MANIFEST, env: "x".repeat(length) });
    expect(await problem(response)).toEqual([400, "invalid_request"]);
  };
  expect(await growth(refused, 400_000)).toBeLessThan(LINEAR);
});
