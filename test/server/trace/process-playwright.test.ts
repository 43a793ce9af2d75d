import { afterEach, beforeEach, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Summary } from "../../../server/trace/format/summary.ts";
import { type TestApp, testApp } from "../../helpers/app.ts";
import { sha256, uploadForm } from "../../helpers/bundles.ts";
import { loosePath } from "../../helpers/loose-blobs.ts";
import { fileNamed } from "../../helpers/trace-files.ts";

const FIXTURES = join(import.meta.dir, "../../../fixtures/playwright");
const archive = (name: string) => readFileSync(join(FIXTURES, name, "trace.zip"));
const recorded = (name: string) =>
  JSON.parse(readFileSync(join(FIXTURES, name, "expected.json"), "utf8")) as {
    status: string;
    counts: Record<string, number>;
    failure?: { step: string; message: string };
  };

let on: TestApp;
beforeEach(async () => {
  on = await testApp();
});
afterEach(() => on.close());

async function ingested(file: Uint8Array): Promise<string> {
  const response = await on.api("/v1/traces/ingest", { method: "POST", body: uploadForm(file) });
  expect(response.status).toBe(200);
  await on.runJobs();
  return ((await response.json()) as { trace_id: string }).trace_id;
}
const row = (id: string) =>
  on.store.records.selectFrom("traces").selectAll().where("id", "=", id).executeTakeFirstOrThrow();
const summaryOf = (id: string) =>
  JSON.parse(readFileSync(fileNamed(on.store.layout.trace(id), "summary.json"), "utf8")) as Summary;

test.each([
  "v1-passing",
  "v3-failing",
  "v8-runner-failing",
  "v10-failing",
  "v10-runner-failing",
  "v10-runner-timeout",
])("%s becomes a trace that says what its recording says", async (name) => {
  const said = recorded(name);
  const id = await ingested(archive(name));
  expect((await row(id)).status).toBe(said.status as "passed");
  const summary = summaryOf(id);
  expect(summary.counts).toEqual(said.counts);
  if (!said.failure) expect(summary.failure).toBeNull();
  else {
    expect(summary.failure?.title).toBe(said.failure.step);
    expect(summary.failure?.message).toStartWith(said.failure.message.slice(0, 60));
    expect(summary.failure?.screenshot).not.toBeNull();
    expect(summary.steps.find(({ step_id }) => step_id === summary.failure?.step_id)?.status).toBe("failed");
  }
  expect(summary.filmstrip.length).toBeGreaterThan(0);
});

test("every blob that the events name is served out of the archive, and stored nowhere else", async () => {
  const id = await ingested(archive("v10-failing"));
  const manifest = JSON.parse(
    readFileSync(fileNamed(on.store.layout.trace(id), "manifest.json"), "utf8"),
  ) as {
    blobs: { hash: string; size: number }[];
  };
  expect(manifest.blobs.length).toBeGreaterThan(20);
  for (const { hash, size } of manifest.blobs) {
    const redirect = await on.api(`/v1/traces/${id}/blob/${hash}`);
    const target = new URL(redirect.headers.get("location")!, "http://localhost");
    const bytes = new Uint8Array(await (await on.api(`${target.pathname}${target.search}`)).arrayBuffer());
    expect([bytes.length, sha256(bytes)]).toEqual([size, hash]);
  }
  const { total_size_bytes } = await row(id);
  expect(total_size_bytes).toBeLessThan(archive("v10-failing").length * 1.5);
  expect(existsSync(loosePath(on.store, manifest.blobs[0]!.hash))).toBe(false);
});

test("two recordings of the same failure share their signature, other failures do not", async () => {
  const names = ["v8-runner-failing", "v10-runner-failing", "v10-runner-renamed", "v10-failing"];
  const signatures: (string | null)[] = [];
  for (const name of names) signatures.push((await row(await ingested(archive(name)))).failure_signature);
  expect(signatures[0]).toBe(signatures[1]!);
  expect(new Set(signatures).size).toBe(3);
});

test("an archive that was cut short is read as far as it goes, and says so", async () => {
  const whole = archive("v10-failing");
  const id = await ingested(whole.subarray(0, Math.floor(whole.length * 0.9)));
  const { status, warnings, event_count } = await row(id);
  expect(["failed", "passed"]).toContain(status);
  expect(event_count).toBeGreaterThan(0);
  expect(JSON.parse(warnings).length).toBeGreaterThan(0);
});
