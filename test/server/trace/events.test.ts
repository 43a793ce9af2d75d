import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { truncateSync } from "node:fs";
import { relative } from "node:path";
import { type TestApp, testApp } from "../../helpers/app.ts";
import { eventLines, events } from "../../helpers/bundles.ts";
import { eventsPath, getJson, uploadTrace } from "../../helpers/traces.ts";

let app: TestApp;
let id: string;
let lines: string[];

const KINDS = ["console.log", "console.error", "network.request", "agent.action"];

beforeAll(async () => {
  app = await testApp();
  const text = eventLines(2000, (seq) => ({
    kind: KINDS[seq % KINDS.length],
    step_id: `step-${Math.floor(seq / 100)}`,
    note: seq % 7 === 0 ? 'say "hi" ✓' : "nothing",
  }));
  lines = text.trimEnd().split("\n");
  ({ id } = await uploadTrace(app, { entries: [events(text)] }));
});
afterAll(() => app.close());

interface EventPage {
  events: { seq: number; kind: string; step_id: string }[];
  total: number;
  next_offset: number | null;
}

const page = (query = "", trace = id) => getJson<EventPage>(app, `/v1/traces/${trace}/events${query}`);
const parsed = () => lines.map((line) => JSON.parse(line) as EventPage["events"][number] & { note: string });

describe("GET /v1/traces/{id}/events", () => {
  test("without parameters the first 200 come as they were stored", async () => {
    const response = await app.api(`/v1/traces/${id}/events`);
    expect(await response.text()).toBe(
      `{"events":[${lines.slice(0, 200).join(",")}],"total":2000,"next_offset":200}`,
    );
    expect(response.headers.get("content-type")).toStartWith("application/json");
  });

  test.each([
    ["?limit=3&offset=1500", (): number[] => [1500, 1501, 1502], 2000],
    ["?offset=1999", () => [1999], 2000],
    ["?offset=2000", () => [], 2000],
    ["?kind=console.error&limit=2&offset=10", () => [41, 45], 500],
    ["?kind=console.*&limit=3", () => [0, 1, 4], 1000],
    ["?kind=console.error,agent.*&limit=3", () => [1, 3, 5], 1000],
    ["?kind=*&limit=1", () => [0], 2000],
    ["?kind=nothing", () => [], 0],
    ["?step=step-3&limit=2", () => [300, 301], 100],
    ["?step=step", () => [], 0],
    ["?step=step-3&kind=console.log&from_seq=350&limit=2", () => [352, 356], 12],
    ["?from_seq=1998", () => [1998, 1999], 2],
    ["?from_seq=5000", () => [], 0],
  ])("%s gives exactly what filtering the lines gives", async (query, seqs, total) => {
    const found = await page(query);
    expect(found.events.map(({ seq }) => seq)).toEqual(seqs());
    expect(found.total).toBe(total);
  });

  test("q looks for exact text in the stored line", async () => {
    const hits = parsed().filter(({ note }) => note.includes("✓"));
    const found = await page(`?q=${encodeURIComponent('say \\"hi\\" ✓')}&limit=1000`);
    expect(found.total).toBe(hits.length);
    expect(found.events.map(({ seq }) => seq)).toEqual(hits.map(({ seq }) => seq));
    expect((await page("?q=SAY")).total).toBe(0);
    expect((await page("?q=")).total).toBe(2000);
  });

  test("match=loose looks for text in the values, in either case while it has no capital", async () => {
    const hits = parsed().filter(({ note }) => note.includes("✓"));
    const loose = (q: string) => page(`?match=loose&limit=1&q=${encodeURIComponent(q)}`);
    const totals = await Promise.all(['say "hi" ✓', 'SAY "hi" ✓', "note", "step_id"].map(loose));
    expect(totals.map(({ total }) => total)).toEqual([hits.length, 0, 0, 0]);
    const bad = await app.api(`/v1/traces/${id}/events?match=some`);
    expect(bad.status).toBe(400);
  });

  test.each([
    ["kind", "kind="],
    ["kind", "kind=a,,b"],
    ["kind", "kind=con*sole"],
    ["kind", "kind=**"],
    ["limit", "limit=0"],
    ["limit", "limit=1001"],
    ["limit", "limit=abc"],
    ["offset", "offset=-1"],
    ["offset", "offset=1.5"],
    ["from_seq", "from_seq=x"],
    ["step", "step=a&step=b"],
  ])("a bad %s is 400 and named: %s", async (name, query) => {
    const response = await app.api(`/v1/traces/${id}/events?${query}`);
    expect(response.status).toBe(400);
    const body = (await response.json()) as { error: string; message: string };
    expect(body.error).toBe("invalid_request");
    expect(body.message).toContain(`"${name}"`);
  });

  test("a trace whose archive is still being read has no events yet", async () => {
    const running = await app.api("/internal/v1/traces", {
      method: "POST",
      body: JSON.stringify({
        version: 1,
        scenario: { slug: "live", title: "Live" },
        started_at: "2026-03-01T12:00:00Z",
      }),
      headers: { "content-type": "application/json" },
    });
    const { trace_id } = (await running.json()) as { trace_id: string };
    expect(await page("", trace_id)).toEqual({ events: [], total: 0, next_offset: null });
  });

  test("a damaged event file is said to be damaged, and by its name", async () => {
    const { id: broken } = await uploadTrace(app, { entries: [events(eventLines(50))] });
    const path = await eventsPath(app, broken);
    const bytes = await Bun.file(path).bytes();
    bytes.fill(0, 8, 60);
    await Bun.write(path, bytes);
    app.store.events.invalidate(relative(app.dataDir, path));
    const response = await app.api(`/v1/traces/${broken}/events`);
    expect(response.status).toBe(503);
    const { error, message } = (await response.json()) as { error: string; message: string };
    expect(error).toBe("unavailable");
    expect(message).not.toContain(app.dataDir);
  });

  test("a cut event file is not passed off as a trace without events", async () => {
    const { id: cut } = await uploadTrace(app, { entries: [events(eventLines(50))] });
    const path = await eventsPath(app, cut);
    for (const size of [100, 0]) {
      truncateSync(path, size);
      app.store.events.invalidate(relative(app.dataDir, path));
      for (const name of ["events", "stream"]) {
        const response = await app.api(`/v1/traces/${cut}/${name}`);
        expect(response.status).toBe(503);
        expect(((await response.json()) as { message: string }).message).toContain("0 of 50 events");
      }
    }
  });
});
