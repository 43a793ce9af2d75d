import { afterAll, beforeAll, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { type TestApp, testApp } from "../../helpers/app.ts";
import { blob, eventLines, events, sha256, type TarEntry, uploadForm } from "../../helpers/bundles.ts";
import { partsOf } from "../../helpers/exported-page.ts";
import { otherOrg, post, uploadTrace, withoutPasses } from "../../helpers/traces.ts";

let app: TestApp;
beforeAll(async () => {
  app = await testApp();
});
afterAll(() => app.close());

interface Media {
  bytes: number;
  is_in: boolean;
}
interface Meta {
  detail: Record<string, unknown>;
  recording: Media | null;
  video: Media | null;
  left_out: { count: number; bytes: number };
}

async function page(id: string, query = "") {
  const response = await app.api(`/v1/traces/${id}/export.html${query}`);
  expect(response.status).toBe(200);
  const html = await response.text();
  const parts = partsOf(html);
  return { response, html, parts, meta: JSON.parse(parts.get("meta")!.toString()) as Meta };
}

/** Text that does not get shorter. */
const noise = (bytes: number) => {
  let text = "";
  for (let at = 0; text.length < bytes; at++) text += Bun.hash(String(at)).toString(36);
  return text.slice(0, bytes);
};
const SMALL = noise(100_000);
const LARGE = noise(900_000);
const EVIDENCE = noise(1_600_000);

async function traceWithBodies(more: TarEntry[] = []): Promise<string> {
  const lines = eventLines(300, (seq) => {
    const response = (body: string) => ({
      kind: "network.response",
      request_id: `r${seq}`,
      method: "GET",
      url: "https://shop.example/a",
      status: 200,
      headers: [],
      media_type: "text/plain",
      body: `sha256:${sha256(body)}`,
    });
    if (seq === 5) return { ...response(SMALL), step_id: "first" };
    if (seq === 6) return { ...response(LARGE), step_id: "first" };
    if (seq === 7) return { ...response(EVIDENCE), step_id: "pay" };
    return seq === 8 ? { kind: "assertion", ok: false, message: "no order", step_id: "pay" } : {};
  });
  const { id } = await uploadTrace(app, {
    entries: [events(lines), blob(SMALL), blob(LARGE), blob(EVIDENCE), ...more],
    manifest: { status: "failed" },
  });
  return id;
}

test("the page holds every event, body and fact, and is as long as its header says", async () => {
  const id = await traceWithBodies();
  const { response, html, parts, meta } = await page(id);
  expect(response.headers.get("content-length")).toBe(String(Buffer.byteLength(html)));
  expect(response.headers.get("content-disposition")).toMatch(/^attachment; filename="trace-\w+\.html"$/);
  expect(response.headers.get("x-tracedeck-left-out")).toBe("parts=0; bytes=0");
  expect(meta.left_out).toEqual({ count: 0, bytes: 0 });
  const { events: all } = (await (await app.api(`/v1/traces/${id}/events?limit=1000`)).json()) as {
    events: unknown[];
  };
  const lines = [...parts]
    .filter(([name]) => name.startsWith("events-"))
    .flatMap(([, text]) => text.toString().split("\n"));
  expect(lines.map((line) => JSON.parse(line))).toEqual(all);
  for (const body of [SMALL, LARGE, EVIDENCE])
    expect(parts.get(`blob-${sha256(body)}`)!.toString()).toBe(body);
  expect(parts.get("report")!.toString()).toBe(
    withoutPasses(await (await app.api(`/v1/traces/${id}/report.md`)).text()),
  );
  // No id of the org, no way in.
  expect(JSON.stringify(meta.detail)).not.toContain(app.orgId);
  expect(meta.detail.signed_urls).toEqual({});
  expect(readdirSync(app.store.layout.tmp).filter((name) => name.startsWith("page-"))).toEqual([]);
});

/** What a refusal says that the page must be allowed to take. */
async function leastOf(id: string): Promise<number> {
  const response = await app.api(`/v1/traces/${id}/export.html?max_bytes=1000000`);
  expect(response.status).toBe(400);
  const { message } = (await response.json()) as { message: string };
  return Number(/"max_bytes" must be at least (\d+)/.exec(message)![1]);
}

test("what is too much is left out, the largest first, and what belongs to the failure never", async () => {
  const id = await traceWithBodies();
  const bound = (await leastOf(id)) + 200_000;
  const { response, html, parts, meta } = await page(id, `?max_bytes=${bound}`);
  expect(Buffer.byteLength(html)).toBeLessThanOrEqual(bound);
  expect(parts.has(`blob-${sha256(EVIDENCE)}`)).toBe(true);
  expect(parts.has(`blob-${sha256(SMALL)}`)).toBe(true);
  expect(parts.has(`blob-${sha256(LARGE)}`)).toBe(false);
  const bytes = Buffer.byteLength(LARGE);
  expect(meta.left_out).toEqual({ count: 1, bytes });
  expect(response.headers.get("x-tracedeck-left-out")).toBe(`parts=1; bytes=${bytes}`);
});

test("a bound that even that exceeds is refused, and says what it would take", async () => {
  const id = await traceWithBodies();
  const least = await leastOf(id);
  const { html, meta } = await page(id, `?max_bytes=${least}`);
  expect(Buffer.byteLength(html)).toBeLessThanOrEqual(least);
  expect(meta.left_out.count).toBe(2);
  for (const wrong of ["0", "x", "1e7", "99999999999"]) {
    const answer = await app.api(`/v1/traces/${id}/export.html?max_bytes=${wrong}`);
    expect([wrong, [400, 422].includes(answer.status)]).toEqual([wrong, true]);
  }
});

test("recording and video are in it with the player as far as they fit, and its contents are told beforehand", async () => {
  const bundle = join(import.meta.dir, "../../../fixtures/bundles/checkout-recorded/bundle.tar.zst");
  const body = uploadForm(await Bun.file(bundle).bytes(), { scenario_slug: "recorded" });
  const made = (await (await app.api("/v1/traces/ingest", { method: "POST", body })).json()) as {
    trace_id: string;
  };
  await app.runJobs();
  const id = made.trace_id;
  const whole = await page(id);
  expect(whole.meta.recording).toMatchObject({ is_in: true });
  expect(whole.meta.video).toMatchObject({ is_in: true });
  expect(whole.parts.get("recording")!.toString()).toBe(
    await (await app.api(`/v1/traces/${id}/recording`)).text(),
  );
  expect(whole.parts.get("video")!.length).toBe(whole.meta.video!.bytes);
  const player = new Bun.CryptoHasher("sha256").update(whole.parts.get("player")!).digest("base64");
  expect(whole.html).toContain(`'sha256-${player}'`);

  const contents = async (of: string, query = "") =>
    (await (await app.api(`/v1/traces/${of}/export.html/contents${query}`)).json()) as Meta & {
      size: number;
    };
  expect(await contents(id)).toMatchObject({
    size: Buffer.byteLength(whole.html),
    recording: whole.meta.recording,
    video: whole.meta.video,
    left_out: whole.meta.left_out,
  });

  const recording = JSON.stringify({ type: 2, timestamp: 1, data: { text: noise(100_000) } });
  const large = await traceWithBodies([
    { name: "rrweb.ndjson.zst", content: await Bun.zstdCompress(recording) },
    {
      name: "video.webm",
      content: Buffer.concat([Buffer.from("1a45dfa3", "hex"), Buffer.from(noise(100_000))]),
    },
  ]);
  const bound = `?max_bytes=${await leastOf(large)}`;
  const least = await page(large, bound);
  expect([least.meta.recording?.is_in, least.meta.video?.is_in]).toEqual([false, false]);
  for (const name of ["recording", "player", "video"]) expect(least.parts.has(name)).toBe(false);
  expect(least.html).not.toContain(player);
  expect(least.meta.left_out.count).toBeGreaterThanOrEqual(2);
  expect(await contents(large, bound)).toMatchObject({ left_out: least.meta.left_out });
  expect(readdirSync(app.store.layout.tmp).filter((name) => name.startsWith("page-"))).toEqual([]);
});

test("only members may, and only of traces that have ended and are at hand", async () => {
  const id = await traceWithBodies();
  const { api } = await otherOrg(app);
  expect((await api(`/v1/traces/${id}/export.html`)).status).toBe(403);
  expect((await app.api(`/v1/traces/${id}/export.html`, { headers: { authorization: "" } })).status).toBe(
    401,
  );
  const made = await post(app, "/internal/v1/traces", {
    version: 1,
    scenario: { slug: "live", title: "L" },
    started_at: "2026-03-01T12:00:00Z",
  });
  const { trace_id: running } = (await made.json()) as { trace_id: string };
  expect((await app.api(`/v1/traces/${running}/export.html`)).status).toBe(409);
});

test("a reader that goes away, or never begins, leaves nothing behind", async () => {
  const id = await traceWithBodies();
  const response = await app.api(`/v1/traces/${id}/export.html`);
  const reader = response.body!.getReader();
  await reader.read();
  await reader.cancel();
  await (await app.api(`/v1/traces/${id}/export.html`)).body!.cancel();
  expect(readdirSync(app.store.layout.tmp).filter((name) => name.startsWith("page-"))).toEqual([]);
});
