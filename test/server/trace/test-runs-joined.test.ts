import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ingestReports } from "../../../server/cli/ingest-reports.ts";
import { sortOut } from "../../../server/cli/ingest-sort.ts";
import { type TestApp, testApp } from "../../helpers/app.ts";
import { blobReport, START } from "../../helpers/blob-reports.ts";
import { playwrightZip } from "../../helpers/bundles.ts";
import { begin, end, failure, send, show, testsOf } from "../../helpers/test-runs.ts";

let t: TestApp;
beforeAll(async () => {
  t = await testApp({ settings: { rate_limits: { ingests_per_minute: 1000, writes_per_minute: 1000 } } });
});
afterAll(() => t.close());

let lastRun = 700;
/** The configuration of a job of a GitHub run that no other test has. */
const githubRun = () => ({
  metadata: { ci: { buildHref: `https://github.com/o/r/actions/runs/${++lastRun}` } },
});
async function upload(report: Uint8Array, fields: Record<string, unknown> = {}) {
  const form = new FormData();
  form.set("report", new File([report as Uint8Array<ArrayBuffer>], "report.zip"));
  for (const [name, value] of Object.entries(fields)) form.set(name, JSON.stringify(value));
  const response = await t.api("/v1/test-runs/ingest", { method: "POST", body: form });
  if (response.status !== 200) throw new Error(await response.text());
  return show(t, ((await response.json()) as { test_run_id: string }).test_run_id);
}
const passed = (title: string) => ({ title });
const failed = (title: string) => ({ title, status: "failed" });

test("the shard of a report stands in its metadata, in its configuration or in both", async () => {
  const [one, two] = [
    { current: 1, total: 2 },
    { current: 2, total: 2 },
  ];
  for (const [first, second] of [
    [{ metadata: { shard: one } }, { metadata: { shard: two } }],
    [{ config: { shard: one } }, { config: { shard: two } }],
    [
      { metadata: { shard: one }, config: { shard: one } },
      { metadata: { shard: two }, config: { shard: two } },
    ],
  ] as { metadata?: object; config?: object }[][]) {
    const config = githubRun();
    const report = (said: typeof first, attempts: object[]) =>
      blobReport({ attempts, metadata: { ...said!.metadata }, config: { ...config, ...said!.config } });
    expect((await upload(report(first, [passed("adds")]))).status).toBe("running");
    expect(await upload(report(second, [failed("pays")]))).toMatchObject({
      status: "failed",
      totals: { passed: 1, failed: 1 },
      shards: [
        { index: 1, total: 2, status: "passed" },
        { index: 2, total: 2, status: "failed" },
      ],
    });
  }
});

test("a shard that cannot be is none", async () => {
  for (const shard of [{ current: 3, total: 2 }, { current: 0, total: 2 }, { current: "1", total: 2 }, "1/2"])
    expect(
      await upload(blobReport({ attempts: [passed("adds")], metadata: { shard }, config: githubRun() })),
    ).toMatchObject({ status: "passed", shards: [] });
});

test("of jobs without shards none hides the failure of another, whichever comes first", async () => {
  const report = (config: object, project: string, attempts: object[], status?: string) =>
    blobReport({ attempts, project, config: { ...config }, ...(status && { status }) });
  for (const [bad, status] of [
    [[failed("pays")], "failed"],
    // A file that cannot be loaded fails the run, and none of its tests.
    [[passed("pays")], "failed"],
  ] as const) {
    const config = githubRun();
    await upload(report(config, "chromium", [passed("pays")]));
    expect(await upload(report(config, "firefox", [...bad], status))).toMatchObject({ status: "failed" });
    expect(await upload(report(config, "webkit", [passed("pays")]))).toMatchObject({ status: "failed" });
    expect(await upload(report(config, "firefox", [...bad], status))).toMatchObject({ status: "failed" });
  }
});

test("two jobs with the same shard of one run fail it when either fails", async () => {
  const config = { ...githubRun(), shard: { current: 1, total: 1 } };
  await upload(blobReport({ attempts: [passed("pays")], config }));
  expect(
    await upload(blobReport({ attempts: [passed("pays")], project: "firefox", status: "failed", config })),
  ).toMatchObject({ status: "failed", shards: [{ status: "failed" }] });
});

test("an end that comes after a passed one counts when something failed, and results alone do not", async () => {
  const { id } = await begin(t);
  expect((await end(t, id)).status).toBe("passed");
  await send(t, id, [failure("late")]);
  expect((await show(t, id)).status).toBe("passed");
  expect((await end(t, id, { status: "interrupted" })).status).toBe("passed");
  expect(await end(t, id, { ended_at: "2026-03-01T12:05:00Z" })).toMatchObject({
    status: "failed",
    duration_ms: 300_000,
  });
  expect((await end(t, id)).status).toBe("failed");
});

describe("a second report of tests that the run has", () => {
  const HOUR = 60 * 60_000;
  const retried = [
    { status: "failed", startedAt: START, trace: playwrightZip() },
    { retry: 1, status: "failed", startedAt: START + 9, trace: playwrightZip() },
  ];
  const attemptsOf = async (run: { id: string }) => (await testsOf(t, run.id)).pays!.attempts;

  test("takes their place with traces of its own, and changes nothing when it comes again", async () => {
    const config = githubRun();
    const first = blobReport({ attempts: retried, config });
    const before = await attemptsOf(await upload(first));
    expect(before.map(({ status }) => status)).toEqual(["failed", "failed"]);
    const second = blobReport({ attempts: [{ startedAt: START + HOUR, trace: playwrightZip() }], config });
    const run = await upload(second);
    expect(run.totals).toMatchObject({ passed: 1, failed: 0, flaky: 0 });
    const after = await attemptsOf(run);
    expect(after).toMatchObject([{ attempt: 1, status: "passed", trace_id: expect.any(String) }]);
    expect(before.map(({ trace_id }) => trace_id)).not.toContain(after[0]!.trace_id);
    expect(await attemptsOf(await upload(second))).toEqual(after);
    expect(await attemptsOf(await upload(first))).toEqual(before);
    const { trace_id } = before[0]!;
    expect((await t.api(`/v1/traces/${trace_id}`)).status).toBe(200);
  });

  test("without traces has none of the first, and what it says of the tests counts", async () => {
    const config = githubRun();
    await upload(blobReport({ attempts: retried, config }));
    const run = await upload(blobReport({ attempts: [{ startedAt: START + HOUR }], config }));
    expect(await attemptsOf(run)).toMatchObject([{ attempt: 1, status: "passed", trace_id: null }]);
  });

  test("leaves those alone that it did not come to, and those that it does not name", async () => {
    const config = githubRun();
    await upload(blobReport({ attempts: [...retried, { title: "adds" }], config }));
    const cutOff = [
      { status: "interrupted", startedAt: START + HOUR },
      { title: "ships", startedAt: START + HOUR },
    ];
    const run = await upload(blobReport({ attempts: cutOff, config, status: "interrupted" }));
    expect(run).toMatchObject({ status: "failed", totals: { passed: 2, failed: 1, not_run: 0 } });
    expect((await attemptsOf(run)).map(({ status }) => status)).toEqual(["failed", "failed"]);
  });
});

test("a report that knows of more shards than were given waits for those that are missing", async () => {
  const ci = { provider: "blob-report", run_id: "incomplete" };
  const part = (current: number) =>
    blobReport({ attempts: [passed(`of ${current}`)], metadata: { shard: { current, total: 3 } } });
  await upload(part(1), { ci, shard: { index: 1, total: 2 } });
  expect(await upload(part(3), { ci, shard: { index: 2, total: 2 } })).toMatchObject({
    status: "running",
    shards: [
      { index: 1, total: 3 },
      { index: 3, total: 3 },
    ],
  });
});

test("the reports of a folder are the shards of one run, which ends with the last of them", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tracedeck-joined-"));
  try {
    for (const at of [1, 2, 10])
      writeFileSync(
        join(folder, `report-${at}.zip`),
        blobReport({
          attempts: [at === 2 ? failed(`on ${at}`) : passed(`on ${at}`)],
          project: `project ${at}`,
        }),
      );
    const { reports } = await sortOut([folder]);
    const [outcome] = await ingestReports({ client: { request: t.api } }, reports, {});
    expect(await show(t, outcome!.answer!.test_run_id)).toMatchObject({
      status: "failed",
      totals: { passed: 2, failed: 1 },
      shards: [{ status: "passed" }, { status: "failed" }, { status: "passed" }],
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
});
