import { afterAll, beforeAll, expect, test } from "bun:test";
import { type TestApp, testApp } from "../../helpers/app.ts";
import { bundle, eventLines, events, manifest, uploadForm } from "../../helpers/bundles.ts";

let on: TestApp;
beforeAll(async () => {
  on = await testApp();
});
afterAll(() => on.close());

async function ingest(status: string, lines: string, title = "Guest checkout"): Promise<string> {
  const file = bundle([manifest({ status, scenario: { slug: "checkout", title } }), events(lines)]);
  const response = await on.api("/v1/traces/ingest", { method: "POST", body: uploadForm(file) });
  return ((await response.json()) as { trace_id: string }).trace_id;
}
const report = (id: string) => on.api(`/v1/traces/${id}/report.md`);

test("the report is a markdown file named after the short id", async () => {
  const id = await ingest("failed", eventLines(3));
  await on.runJobs();
  const response = await report(id);
  const { short_id } = await on.store.records
    .selectFrom("traces")
    .select("short_id")
    .where("id", "=", id)
    .executeTakeFirstOrThrow();
  expect(response.headers.get("content-type")).toStartWith("text/markdown");
  expect(response.headers.get("content-disposition")).toBe(`attachment; filename="trace-${short_id}.md"`);
  expect((await response.text()).match(/^# .*$/gm)).toEqual(["# Guest checkout"]);
});

test("of a long trace it shows what was around the failure, and only that", async () => {
  const lines = eventLines(5_000, (seq) => {
    if (seq === 4_000) return { kind: "assertion", step_id: "s", ok: false, message: "the total is wrong" };
    if (seq === 3_990)
      return {
        kind: "network.response",
        request_id: "r",
        method: "PUT",
        url: "http://shop/api/total",
        status: 500,
        headers: [],
        duration_ms: 1,
      };
    if (seq === 10) return { kind: "console.error", text: "an early error" };
    return {};
  });
  const id = await ingest("failed", lines);
  await on.runJobs();
  const text = await (await report(id)).text();
  expect(text).toContain("**failed here** the total is wrong");
  expect(text).toContain("before, PUT shop/api/total was answered with 500.");
  expect(text).toContain("`line 3999`");
  expect(text).toContain("`line 4010`");
  expect(text).not.toContain("`line 100`");
  expect(text).toContain("**500** PUT `http://shop/api/total` — nearest before the failure");
  expect(text).toContain("an early error");
  expect(text).toContain(`<http://localhost/traces/${id}?step=s>`);
});

test("a trace that waits for its post-processing has a report already", async () => {
  const id = await ingest("failed", eventLines(3));
  const text = await (await report(id)).text();
  expect(text).toContain("Status: **queued**");
  await on.runJobs();
});

test("hostile titles and messages come out as text", async () => {
  const id = await ingest(
    "failed",
    eventLines(2, (seq) =>
      seq === 1
        ? { kind: "assertion", ok: false, message: "# <img src=x onerror=alert(1)>\n```\n[x](javascript:1)" }
        : {},
    ),
    "<script>alert(1)</script>\u202e# two",
  );
  await on.runJobs();
  const html = Bun.markdown.html(await (await report(id)).text());
  expect(html.match(/<h1/g)).toHaveLength(1);
  expect(html).not.toMatch(/<script|<img|href="javascript/i);
});

test("it needs the scope to read traces, and a trace of this org", async () => {
  const id = await ingest("passed", eventLines(1));
  expect((await on.api(`/v1/traces/${id}/report.md`, { headers: { authorization: "" } })).status).toBe(401);
  expect((await report("0199aaaa-0000-7000-8000-000000000000")).status).toBe(404);
  expect((await report("nonsense")).status).toBe(404);
});
