import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { type TestApp, testApp } from "../../helpers/app.ts";
import { bundle, eventLines, events, manifest, sha256, uploadForm, zstd } from "../../helpers/bundles.ts";
import { deepLine, longLine, traceWithLines } from "../../helpers/old-events.ts";
import { getJson, pathOf, post, uploadTrace } from "../../helpers/traces.ts";

setDefaultTimeout(120_000);

const MIB = 1024 * 1024;

let app: TestApp;
beforeAll(async () => {
  app = await testApp();
});
afterAll(() => app.close());

interface Page {
  events: { seq: number; kind: string; [field: string]: unknown }[];
  total: number;
  next_offset: number | null;
}
const pageOf = (id: string, query: string) => getJson<Page>(app, `/v1/traces/${id}/events?${query}`);

async function refusal(lines: string): Promise<[status: number, error: string, message: string]> {
  const body = uploadForm(bundle([manifest(), events(lines)]));
  const response = await app.api("/v1/traces/ingest", { method: "POST", body });
  const { error, message } = (await response.json()) as { error: string; message: string };
  return [response.status, error, message];
}

async function blobOf(id: string, reference: unknown): Promise<Response> {
  expect(reference).toMatch(/^sha256:[0-9a-f]{64}$/);
  const { headers } = await app.api(`/v1/traces/${id}/blob/${String(reference).slice(7)}`);
  return app.api(pathOf(headers.get("location")!));
}

describe("a page of events", () => {
  test("has at most 8 MiB of lines, or one line; next_offset leads through all of them", async () => {
    const sizes = [3, 3, 1, 3, 15, 1, 12, 5, 4].map((mib) => mib * MIB);
    const { id } = await traceWithLines(
      app,
      sizes.map((size, seq) => longLine(seq, size)),
    );
    const pages: number[][] = [];
    let next: number | null = 0;
    while (next !== null) {
      const response = await app.api(`/v1/traces/${id}/events?limit=1000&offset=${next}`);
      const text = await response.text();
      const { events: found, total, next_offset } = JSON.parse(text) as Page;
      expect(found.length === 1 || text.length < 8 * MIB + 1000).toBe(true);
      expect(total).toBe(sizes.length);
      pages.push(found.map(({ seq }) => seq));
      next = next_offset;
    }
    expect(pages).toEqual([[0, 1, 2], [3], [4], [5], [6], [7], [8]]);
  });

  test("names the offset that follows also where limit ended it, counted after the filters", async () => {
    const lines = eventLines(30, (seq) => ({ kind: seq % 3 === 0 ? "console.error" : "console.log" }));
    const { id } = await uploadTrace(app, { entries: [events(lines)] });
    const told = async (query: string) => {
      const { events: found, total, next_offset } = await pageOf(id, query);
      return [found.length, total, next_offset];
    };
    expect(await told("limit=7")).toEqual([7, 30, 7]);
    expect(await told("limit=7&offset=23")).toEqual([7, 30, null]);
    expect(await told("kind=console.error&limit=4&offset=4")).toEqual([4, 10, 8]);
    expect(await told("kind=console.error&limit=4&offset=8")).toEqual([2, 10, null]);
    expect(await told("from_seq=28")).toEqual([2, 2, null]);
    expect(await told("q=line+2&limit=5&offset=5")).toEqual([5, 11, 10]);
    expect(await told("offset=30")).toEqual([0, 30, null]);
  });
});

describe("a string of more than 256 KiB within an event", () => {
  const LONG = 'ü"\\\n'.repeat(60_000);
  const SHORT = "x".repeat(256 * 1024);

  test("becomes a blob and its reference wherever it stands; all else stays as it was written", async () => {
    const given = [
      `{"seq":0, "ts":1,"kind":"network.response","body":${JSON.stringify(LONG)},"media_type":"text/css","n":1.50}`,
      `{"seq":1,"ts":1,"kind":"console.log","text":"${SHORT}","deep":{"list":[1,"${SHORT}y"]}}`,
    ];
    const { id } = await uploadTrace(app, { entries: [events(`${given.join("\n")}\n`)] });
    const text = await (await app.api(`/v1/traces/${id}/events`)).text();
    expect(text).toBe(
      `{"events":[{"seq":0, "ts":1,"kind":"network.response","body":"sha256:${sha256(LONG)}","media_type":"text/css","n":1.50},` +
        `{"seq":1,"ts":1,"kind":"console.log","text":"${SHORT}","deep":{"list":[1,"sha256:${sha256(`${SHORT}y`)}"]}}],"total":2,"next_offset":null}`,
    );
    const css = await blobOf(id, `sha256:${sha256(LONG)}`);
    expect(css.headers.get("content-type")).toStartWith("text/css");
    expect((await css.text()) === LONG).toBe(true);
    const plain = await blobOf(id, `sha256:${sha256(`${SHORT}y`)}`);
    expect(plain.headers.get("content-type")).toStartWith("text/plain");
    expect(await getJson(app, `/v1/traces/${id}`)).toMatchObject({ status: "passed", blob_count: 2 });
  });

  test("of a captured chunk becomes one too", async () => {
    const begun = await post(app, "/internal/v1/traces", { version: 1, scenario: { slug: "live" } });
    const { trace_id: id } = (await begun.json()) as { trace_id: string };
    const send = (n: number, line: object) =>
      app.api(`/internal/v1/traces/${id}/chunks?n=${n}`, {
        method: "POST",
        body: zstd(Buffer.from(`${JSON.stringify(line)}\n`)) as Uint8Array<ArrayBuffer>,
      });
    expect((await send(0, { seq: 0, ts: 0, kind: "console.log", text: LONG })).status).toBe(200);
    const { events: running } = await pageOf(id, "");
    expect(running[0]?.text).toBe(`sha256:${sha256(LONG)}`);
    expect((await (await blobOf(id, running[0]?.text)).text()) === LONG).toBe(true);
    const wrong = await send(1, { seq: 1, ts: 0, kind: "k".repeat(1025) });
    expect([wrong.status, await wrong.json()]).toEqual([
      400,
      {
        error: "bundle_unreadable",
        message: expect.stringContaining("Line 1 of the events is refused: `kind`"),
      },
    ]);
    await post(app, `/internal/v1/traces/${id}/end`, { status: "passed" });
    await app.runJobs();
    expect(await getJson(app, `/v1/traces/${id}`)).toMatchObject({ status: "passed", blob_count: 1 });
  });

  test("within a DOM recording stands in the recording again", async () => {
    const rrweb = { type: 3, timestamp: 1, data: { css: LONG, kept: `sha256:${sha256("elsewhere")}` } };
    const line = JSON.stringify({ seq: 0, ts: 1, kind: "dom.mutation", rrweb });
    const { id } = await uploadTrace(app, { entries: [events(`${line}\n`)] });
    const { signed_urls } = await getJson(app, `/v1/traces/${id}`);
    const recording = await (await app.api(pathOf(signed_urls.rrweb!))).bytes();
    expect(JSON.parse(Buffer.from(Bun.zstdDecompressSync(recording)).toString())).toEqual(rrweb);
  });
});

describe("an event line is refused by its number", () => {
  const good = eventLines(1);
  test.each([
    [
      "longer than 4 MiB in short strings",
      { texts: Array.from({ length: 20 }, () => "x".repeat(250_000)) },
      "longer than 4194304 bytes",
    ],
    ["of a kind over 1 KiB", { kind: "k".repeat(1025) }, "`kind` is longer than 1024 bytes"],
    ["of a kind of 300 KiB", { kind: "k".repeat(300 * 1024) }, "`kind` is longer than 1024 bytes"],
    ["of a step over 1 KiB, in UTF-8", { step_id: "ü".repeat(513) }, "`step_id` is longer than 1024 bytes"],
    ["of a step of 300 KiB", { step_id: "s".repeat(300 * 1024) }, "`step_id` is longer than 1024 bytes"],
  ])("%s", async (_what, more, words) => {
    const line = JSON.stringify({ seq: 1, ts: 0, kind: "console.log", ...more });
    expect(await refusal(`${good}${line}\n`)).toEqual([
      400,
      "bundle_unreadable",
      expect.stringContaining(`Line 2 of the events is refused: `),
    ]);
    expect((await refusal(`${good}${line}\n`))[2]).toContain(words);
  });

  test.each([2_000, 500_000])("that nests %d levels deep and more", async (levels) => {
    const { line } = deepLine(1, levels);
    const [status, error, message] = await refusal(`${good}${line}\n`);
    expect([status, error]).toEqual([400, "bundle_unreadable"]);
    expect(message).toContain("Line 2 of the events is refused: it nests deeper than 2000 levels");
  });

  test("but not one that nests as deep as a recorded page may", async () => {
    const { id } = await uploadTrace(app, { entries: [events(`${deepLine(0, 1_500).line}\n`)] });
    expect((await pageOf(id, "")).total).toBe(1);
  });
});

describe("event lines of before, nested 500,000 deep", () => {
  test("keep no reader from the rest of the trace", async () => {
    const deep = [
      deepLine(0, 500_000, "agent.action", "params"),
      deepLine(1, 500_000, "network.request", "headers"),
      deepLine(2, 500_000, "network.response", "body"),
      deepLine(3, 500_000, "assertion", "expected"),
      deepLine(4, 500_000, "console.error", "location"),
      deepLine(5, 500_000, "clone.state", "after"),
      deepLine(6, 500_000, "dom.mutation", "adds"),
      deepLine(7, 500_000, "dom.snapshot", "html"),
    ];
    const { id, shortId } = await traceWithLines(app, deep);
    const other = await traceWithLines(app, deep);
    await post(app, `/v1/traces/${id}/share`, { visibility: "public-read" });
    for (const path of [
      `/v1/traces/${id}/events`,
      `/v1/traces/${id}/report.md`,
      `/v1/traces/${id}/prompt.md`,
      `/v1/traces/${id}/har`,
      `/v1/traces/${id}/find?q=deep`,
      `/v1/traces/${id}/export.html`,
      `/v1/traces/${id}/share/check`,
      `/v1/traces/${id}/stream`,
      `/r/${shortId}`,
      `/r/${shortId}/report.md`,
      ...["overview", "network", "console", "dom"].map(
        (dimension) => `/v1/traces/diff?a=${id}&b=${other.id}&dimension=${dimension}`,
      ),
    ]) {
      const response = await app.api(path);
      await response.arrayBuffer();
      expect([path, response.status]).toEqual([path, 200]);
    }
  });
});
