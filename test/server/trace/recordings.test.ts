import { afterAll, beforeAll, expect, test } from "bun:test";
import { gunzipSync } from "node:zlib";
import { type TestApp, testApp } from "../../helpers/app.ts";
import { eventLines, events, type TarEntry } from "../../helpers/bundles.ts";
import { post, uploadTrace } from "../../helpers/traces.ts";

const LINES = Array.from({ length: 3000 }, (_, index) =>
  JSON.stringify({
    type: 3,
    timestamp: 1_767_323_045_000 + index,
    data: { source: 0, note: "é".repeat(99) },
  }),
)
  .map((line) => `${line}\n`)
  .join("");

let t: TestApp;
beforeAll(async () => {
  t = await testApp();
});
afterAll(() => t.close());

const withRecording = (recording: TarEntry) =>
  uploadTrace(t, { entries: [events(eventLines(3)), recording] });
const plain = { headers: { "accept-encoding": "identity" } };

test("a recording is answered unpacked, line by line as it came", async () => {
  const { id } = await withRecording({ name: "rrweb.ndjson", content: LINES });
  const answer = await t.api(`/v1/traces/${id}/recording`, plain);
  expect(answer.status).toBe(200);
  expect(answer.headers.get("content-type")).toBe("application/x-ndjson");
  expect(answer.headers.get("content-encoding")).toBeNull();
  expect(answer.headers.get("content-security-policy")).toContain("sandbox");
  expect(await answer.text()).toBe(LINES);
});

test("it travels packed where the client takes that", async () => {
  const { id } = await withRecording({
    name: "rrweb.ndjson.zst",
    content: Bun.zstdCompressSync(Buffer.from(LINES)),
  });
  const answer = await t.api(`/v1/traces/${id}/recording`, { headers: { "accept-encoding": "br, gzip" } });
  expect(answer.headers.get("content-encoding")).toBe("gzip");
  const packed = await answer.bytes();
  expect(packed.length).toBeLessThan(LINES.length / 5);
  expect(gunzipSync(packed).toString()).toBe(LINES);
});

test("of one that was cut short what there is comes, and the answer breaks off", async () => {
  const whole = Bun.zstdCompressSync(Buffer.from(LINES.replaceAll("é", () => String(Math.random()))));
  const { id } = await withRecording({
    name: "rrweb.ndjson.zst",
    content: whole.subarray(0, Math.round(whole.length * 0.8)),
  });
  const answer = await t.api(`/v1/traces/${id}/recording`, plain);
  expect(answer.status).toBe(200);
  const reader = answer.body!.getReader();
  let bytes = 0;
  const read = async (): Promise<void> => {
    for (let part = await reader.read(); !part.done; part = await reader.read()) bytes += part.value.length;
  };
  await read().catch(() => {});
  expect(bytes).toBeGreaterThan(100_000);
  expect(bytes).toBeLessThan(5_000_000);
});

test("a trace without one, one of others, and one that is not shared say so", async () => {
  const { id, shortId } = await uploadTrace(t);
  expect((await t.api(`/v1/traces/${id}/recording`)).status).toBe(404);
  expect((await t.api("/v1/traces/11111111-1111-4111-8111-111111111111/recording")).status).toBe(404);
  expect((await t.api(`/v1/traces/${id}/recording`, { headers: { authorization: "" } })).status).toBe(401);
  expect((await t.api(`/r/${shortId}/recording`, { headers: { authorization: "" } })).status).toBe(404);
});

test("a shared one opens by its link alone", async () => {
  const { id, shortId } = await withRecording({ name: "rrweb.ndjson", content: LINES });
  await post(t, `/v1/traces/${id}/share`, { visibility: "public-read", expires_days: 1 });
  const answer = await t.api(`/r/${shortId}/recording`, {
    headers: { authorization: "", "accept-encoding": "identity" },
  });
  expect(await answer.text()).toBe(LINES);
});

test("the player's page gives its document no origin, one script and no network", async () => {
  const answer = await t.api("/player", { headers: { authorization: "" } });
  const policy = answer.headers.get("content-security-policy")!;
  expect(policy).toContain("default-src 'none'");
  const script = /script-src (\S+);/.exec(policy)![1]!;
  expect(script).toMatch(/^http:\/\/[^/]+\/assets\/player-\w+\.js$/);
  expect(await answer.text()).toContain('src="data:text/html');
  const { pathname } = new URL(script);
  expect((await t.api(pathname)).headers.get("content-type")).toContain("javascript");
});
