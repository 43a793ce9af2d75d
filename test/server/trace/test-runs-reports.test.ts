import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Actor } from "../../../server/identity/actor.ts";
import { TaskError, type TaskOptions } from "../../../server/platform/tasks.ts";
import { numberApart } from "../../../server/trace/format/reports/common.ts";
import type { ReportedResult } from "../../../server/trace/format/test-run.ts";
import { createReportService } from "../../../server/trace/test-runs/ingest.ts";
import { readReport } from "../../../server/trace/test-runs/read-report.ts";
import { type TestApp, testApp } from "../../helpers/app.ts";
import { playwrightZip, zip } from "../../helpers/bundles.ts";
import { result } from "../../helpers/test-runs.ts";
import { runPeriodic } from "../../helpers/traces.ts";

// Many attempts are told, and workers begin.
setDefaultTimeout(60_000);

let t: TestApp;
let folder: string;
beforeAll(async () => {
  t = await testApp({ settings: { rate_limits: { ingests_per_minute: 1000 } } });
  folder = mkdtempSync(join(tmpdir(), "tracedeck-reports-"));
});
afterAll(async () => {
  await t.close();
  rmSync(folder, { recursive: true });
});

const line = (method: string, params: unknown) => `${JSON.stringify({ method, params })}\n`;
const begun = (id: number, testId = "t1") =>
  line("onTestBegin", { testId, result: { id: `r${id}`, retry: id, startTime: 1_772_366_400_000 + id } });

/** A blob report of one test whose attempts have these traces. */
function blobReport(traces: readonly string[], members: { name: string; content: string | Uint8Array }[]) {
  const entry = { testId: "t1", title: "pays", location: { file: "a.spec.ts", line: 3 } };
  const events = [
    line("onBlobReportMetadata", { version: 2, pathSeparator: "/" }),
    line("onProject", {
      project: { name: "chromium", suites: [{ title: "a.spec.ts", entries: [entry] }] },
    }),
    ...traces.map((path, at) =>
      [
        begun(at),
        line("onAttach", { testId: "t1", resultId: `r${at}`, attachments: [{ name: "trace", path }] }),
        line("onTestEnd", {
          test: { testId: "t1", expectedStatus: "passed" },
          result: { id: `r${at}`, status: "failed", duration: 5, errors: [{ message: "Error: no" }] },
        }),
      ].join(""),
    ),
    line("onEnd", { result: { status: "failed", startTime: 1_772_366_400_000, duration: 9 } }),
  ];
  return zip([{ name: "report.jsonl", content: events.join("") }, ...members]);
}

/** With as many attempts, each with a trace of its own. @param name tells reports apart */
const ownTraces = (count: number, name: string) => {
  const members = Array.from({ length: count }, (_, at) => ({
    name: `resources/${name}-${at}.zip`,
    content: playwrightZip(),
  }));
  return blobReport(
    members.map((member) => member.name),
    members,
  );
};

let files = 0;
function read(report: Uint8Array | string, maxUnpackedBytes = 100 << 20) {
  const path = join(folder, `report-${++files}`);
  const into = mkdtempSync(join(folder, "traces-"));
  writeFileSync(path, report);
  return { into, reading: readReport({ path, folder: into, maxUnpackedBytes, now: t.clock.now() }) };
}

const form = (report: Uint8Array) => {
  const made = new FormData();
  made.set("report", new File([report as Uint8Array<ArrayBuffer>], "report.zip"));
  return made;
};
async function upload(report: Uint8Array) {
  const response = await t.api("/v1/test-runs/ingest", { method: "POST", body: form(report) });
  const answer = (await response.json()) as { test_run_id: string; traces: number; error?: string };
  return { status: response.status, answer };
}
const tracesOf = async (runId: string) =>
  (await t.store.records.selectFrom("traces").select("id").where("run_id", "=", runId).execute()).length;

test("a trace that several attempts name is unpacked once", async () => {
  const shared = { name: "resources/one.zip", content: playwrightZip() };
  const { into, reading } = read(blobReport([shared.name, shared.name], [shared]));
  const { results } = await reading;
  expect(results.map(({ archive }) => archive)).toEqual([join(into, "0.zip"), join(into, "0.zip")]);
  expect(readdirSync(into)).toEqual(["0.zip"]);
});

test("attempts cannot name more bytes of traces than a report may unpack to", async () => {
  const large = { name: "resources/one.zip", content: Buffer.alloc(600 << 10) };
  const { into, reading } = read(blobReport(Array(50).fill(large.name), [large]), 1 << 20);
  await expect(reading).rejects.toMatchObject({ kind: "bundle_bomb" });
  expect(readdirSync(into)).toEqual(["0.zip"]);
});

test("a report of more attempts than anybody runs is refused, whatever its form", async () => {
  const many = Array.from({ length: 300_001 }, (_, at) => begun(at)).join("");
  const head = blobReport([], []);
  expect((await read(head).reading).results).toHaveLength(1);
  const meta = line("onBlobReportMetadata", { version: 2 });
  const project = line("onProject", {
    project: { name: "", suites: [{ entries: [{ testId: "t1", title: "pays" }] }] },
  });
  const attempts = "{},".repeat(300_001).slice(0, -1);
  for (const report of [
    zip([{ name: "report.jsonl", content: meta + project + many }]),
    `{"config":{},"suites":[{"specs":[{"tests":[${attempts}]}]}]}`,
    `{"config":{},"suites":[{"specs":[{"tests":[{"results":[${attempts}]}]}]}]}`,
    `<testsuite>${"<testcase/>".repeat(300_001)}</testsuite>`,
  ])
    await expect(read(report).reading).rejects.toMatchObject({
      kind: "bundle_bomb",
      message: "The report tells of more than 300000 tests and attempts.",
    });
});

test("numbers that no report has are refused or bounded", async () => {
  const suite = (results: string) =>
    `{"config":{},"suites":[{"specs":[{"line":1e300,"tests":[{"results":[${results}]}]}]}]}`;
  const { results } = await read(suite('{"retry":1e300},{"retry":1e300,"duration":1e300},{"retry":-7}'))
    .reading;
  expect(results.map(({ attempt }) => attempt)).toEqual([1, 2, 3]);
  for (const { line, duration_ms } of results)
    expect([Number.isSafeInteger(line), Number.isSafeInteger(duration_ms)]).toEqual([true, true]);
  const late = line("onTestBegin", { testId: "t1", result: { id: "r", retry: 0, startTime: 1e300 } });
  const project = line("onProject", { project: { suites: [{ entries: [{ testId: "t1" }] }] } });
  const meta = line("onBlobReportMetadata", { version: 2 });
  await expect(
    read(zip([{ name: "report.jsonl", content: meta + project + late }])).reading,
  ).rejects.toMatchObject({ kind: "bundle_unreadable" });
});

test("attempts that claim the same numbers get further ones, in time that grows with them", () => {
  const claims: number[] = [
    ...Array<number>(40_000).fill(1),
    ...Array.from({ length: 40_000 }, (_, at) => at + 1),
  ];
  const attempts = claims.map((attempt) => ({ ...result("pays"), attempt }) as ReportedResult);
  const numbers = numberApart(attempts).map(({ attempt }) => attempt);
  expect(numbers.slice(0, 3)).toEqual([1, 2, 3]);
  expect(new Set(numbers).size).toBe(80_000);
  expect(() => numberApart(Array<ReportedResult>(100_000).fill(attempts[0]!))).toThrow("above 99999");
});

test("a report of more text than is read is refused by its size", async () => {
  const path = join(folder, "large.json");
  writeFileSync(path, "{");
  truncateSync(path, 8 * 1024 ** 3);
  await expect(
    readReport({ path, folder, maxUnpackedBytes: 1 << 40, now: t.clock.now() }),
  ).rejects.toMatchObject({
    kind: "bundle_unreadable",
    message: "The report has more than 256 MiB of text.",
  });
});

test("two uploads of one report at once leave one trace for each attempt", async () => {
  const report = ownTraces(3, "twice");
  const [one, two] = await Promise.all([upload(report), upload(report)]);
  expect([one.status, two.status]).toEqual([200, 200]);
  expect(two.answer).toEqual(one.answer);
  expect(one.answer.traces).toBe(3);
  expect(await tracesOf(one.answer.test_run_id)).toBe(3);
});

const actor = (): Actor => ({
  type: "api_key",
  id: "test",
  orgId: t.orgId,
  userId: null,
  role: null,
  scopes: new Set(),
  ip: null,
});
const request = (report: Uint8Array, signal?: AbortSignal) =>
  new Request("http://localhost/v1/test-runs/ingest", {
    method: "POST",
    body: form(report),
    ...(signal && { signal }),
  });

test("a report whose upload failed in the middle leaves no trace twice when it is sent again", async () => {
  const report = ownTraces(4, "broken");
  let unpacked = 0;
  const broken = createReportService({
    ...t.deps,
    tasks: {
      ...t.deps.tasks,
      run: async <Result>(name: string, input: unknown, options?: TaskOptions) => {
        if (name === "ingest.unpack" && ++unpacked === 3) throw new TaskError("full", "unavailable");
        return t.deps.tasks.run<Result>(name, input, options);
      },
    },
  });
  await expect(broken.upload(actor(), request(report))).rejects.toMatchObject({ kind: "unavailable" });
  const { status, answer } = await upload(report);
  expect([status, answer.traces]).toEqual([200, 4]);
  expect(await tracesOf(answer.test_run_id)).toBe(4);
  expect((await upload(report)).answer).toEqual(answer);
  expect(await tracesOf(answer.test_run_id)).toBe(4);
});

test("a trace that was removed comes again with its report", async () => {
  const report = ownTraces(2, "removed");
  const { answer } = await upload(report);
  const { id } = await t.store.records
    .selectFrom("traces")
    .select("id")
    .where("run_id", "=", answer.test_run_id)
    .executeTakeFirstOrThrow();
  expect((await t.api(`/v1/traces/${id}?force=1`, { method: "DELETE" })).status).toBe(204);
  for (const _ of [1, 2]) {
    expect(await upload(report)).toEqual({ status: 200, answer });
    expect(await tracesOf(answer.test_run_id)).toBe(2);
  }
});

test("a report is not read to its end for a client that is gone", async () => {
  const gone = new AbortController();
  const service = createReportService({
    ...t.deps,
    tasks: {
      ...t.deps.tasks,
      run: <Result>(name: string, input: unknown, options?: TaskOptions) => {
        const running = t.deps.tasks.run<Result>(name, input, options);
        gone.abort();
        return running;
      },
    },
  });
  const before = await t.store.records.selectFrom("test_runs").select("id").execute();
  await expect(service.upload(actor(), request(ownTraces(1, "gone"), gone.signal))).rejects.toMatchObject({
    name: "AbortError",
  });
  expect(await t.store.records.selectFrom("test_runs").select("id").execute()).toEqual(before);
});

test("a report counts as an ingest, and a missing scope is 403 as for all of test runs", async () => {
  const made = await t.api("/v1/api-keys", {
    method: "POST",
    body: JSON.stringify({ name: "reader", scopes: ["traces:read"] }),
    headers: { "content-type": "application/json" },
  });
  const { key } = (await made.json()) as { key: string };
  const response = await t.api("/v1/test-runs/ingest", {
    method: "POST",
    body: form(ownTraces(1, "reader")),
    headers: { authorization: `Bearer ${key}` },
  });
  expect(response.status).toBe(403);
  expect(response.headers.get("ratelimit-policy")).toStartWith('"ingest";');
});

test("a report of a run of last year is kept as long as one of today", async () => {
  await using late = await testApp();
  const xml = `<testsuites><testsuite name="a" timestamp="2025-01-01T10:00:00Z" tests="1"><testcase name="t" classname="a" time="1"/></testsuite></testsuites>`;
  const body = new FormData();
  body.append("report", new Blob([xml]), "junit.xml");
  const answer = await late.api("/v1/test-runs/ingest", { method: "POST", body });
  const { test_run_id } = (await answer.json()) as { test_run_id: string };
  const statusAfter = async (days: number) => {
    late.clock.advance(days * 24 * 60 * 60_000);
    await runPeriodic(late, "test runs");
    return (await late.api(`/v1/test-runs/${test_run_id}`)).status;
  };
  expect(await statusAfter(0)).toBe(200);
  expect(await statusAfter(89)).toBe(200);
  expect(await statusAfter(2)).toBe(404);
});
