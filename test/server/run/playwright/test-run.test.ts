import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { TestRun, TestRunList } from "../../../../server/trace/test-runs/model.ts";
import { type TestApp, testApp } from "../../../helpers/app.ts";
import { type PlaywrightProject, playwrightProject } from "../../../helpers/playwright-project.ts";
import { runProgram } from "../../../helpers/program.ts";
import { testsOf } from "../../../helpers/test-runs.ts";
import { getJson } from "../../../helpers/traces.ts";

setDefaultTimeout(120_000);

const UNLIMITED = { reads_per_minute: 100_000, writes_per_minute: 100_000, ingests_per_minute: 100_000 };
let app: TestApp;
let url: string;
beforeAll(async () => {
  app = await testApp({ settings: { rate_limits: UNLIMITED } });
  url = app.listen();
});
afterAll(() => app.close());

const here = () => ({ TRACEDECK_URL: url, TRACEDECK_KEY: app.apiKey });

async function using(made: PlaywrightProject, body: string, work: () => Promise<void>): Promise<void> {
  made.write("shop.spec.ts", `import { test, expect } from "@playwright/test";\n${body}`);
  try {
    await work();
  } finally {
    made.remove();
  }
}

const SUITE = `
test.describe("cart", { tag: "@smoke" }, () => {
  test("adds", async () => {});
  test("pays", async () => { expect(1).toBe(2); });
});
test("is flaky", async ({}, info) => { expect(info.retry).toBe(1); });
test("is left out", async () => { test.skip(true, "not here"); });
test("is known to break", { annotation: { type: "issue", description: "#7" } }, async () => { test.fail(); expect(1).toBe(2); });
test("is mended", async () => { test.fail(); });
`;

test("a run has every test with Playwright's verdicts, with and without a trace, and its line leads to it", async () => {
  const config = 'retries: 1, projects: [{ name: "one" }, { name: "two", grep: /adds/ }],';
  const made = await playwrightProject({ use: { trace: "retain-on-failure" }, config });
  await using(made, SUITE, async () => {
    const { code, output } = await made.run([], here());
    expect(code).toBe(1);
    const shortId = new RegExp(`${url}/test-runs/(\\w{12})`).exec(output)?.[1];
    const run = await getJson<TestRun>(app, `/v1/test-runs/${shortId}`);
    expect(run).toMatchObject({
      status: "failed",
      ci: null,
      totals: { passed: 3, failed: 2, flaky: 1, skipped: 1, not_run: 0 },
      shards: [],
    });
    await app.runJobs();
    const tests = await testsOf(app, run.id, "project=one");
    const outcomes = Object.entries(tests).map(([title, { outcome }]) => [title, outcome]);
    expect(Object.fromEntries(outcomes)).toEqual({
      adds: "passed",
      pays: "failed",
      "is flaky": "flaky",
      "is left out": "skipped",
      "is known to break": "passed",
      "is mended": "failed",
    });
    expect(tests.adds).toMatchObject({
      file: "shop.spec.ts",
      title_path: ["cart", "adds"],
      tags: ["@smoke"],
    });
    expect(tests.adds!.attempts).toMatchObject([{ attempt: 1, status: "passed", trace_id: null }]);
    expect(tests.pays!.headline).toStartWith("expect(received).toBe(expected)");
    const traces = tests.pays!.attempts.map(({ trace_id }) => trace_id);
    expect(new Set(traces).size).toBe(2);
    expect(await getJson(app, `/v1/traces/${traces[0]}`)).toMatchObject({ status: "failed" });
    expect(tests["is left out"]!.annotations).toEqual([{ type: "skip", description: "not here" }]);
    expect(tests["is known to break"]!.annotations).toContainEqual({ type: "issue", description: "#7" });
  });
});

test("two shards of a CI run are one run, and what was not run is told", async () => {
  const made = await playwrightProject({ use: { trace: "off" } });
  const body = ["a", "b", "c", "d"].map((title) => `test("${title}", async () => { expect(1).toBe(2); });`);
  await using(made, body.join("\n"), async () => {
    const ci = {
      ...here(),
      GITHUB_RUN_ID: "9",
      GITHUB_RUN_ATTEMPT: "2",
      GITHUB_SERVER_URL: "https://github.com",
    };
    const branch = {
      ...ci,
      GITHUB_REPOSITORY: "o/r",
      GITHUB_HEAD_REF: "topic",
      GITHUB_REF: "refs/pull/5/merge",
    };
    const of = (shard: number) => made.run([`--shard=${shard}/2`, "--workers=1", "-x"], branch);
    const first = await of(1);
    const shortId = /test-runs\/(\w{12})/.exec(first.output)?.[1];
    expect(await getJson<TestRun>(app, `/v1/test-runs/${shortId}`)).toMatchObject({
      status: "running",
      ci: { provider: "github", run_id: "9-2", url: "https://github.com/o/r/actions/runs/9" },
      branch: "topic",
      pr_number: 5,
    });
    const second = await of(2);
    expect(second.output).toContain(`/test-runs/${shortId}`);
    expect(await getJson<TestRun>(app, `/v1/test-runs/${shortId}`)).toMatchObject({
      status: "failed",
      totals: { passed: 0, failed: 2, flaky: 0, skipped: 0, not_run: 2 },
      shards: [
        { index: 1, total: 2, status: "failed" },
        { index: 2, total: 2, status: "failed" },
      ],
    });
  });
});

test("a run that no server heard waits in the outbox, and comes whole with the next run or by hand", async () => {
  const made = await playwrightProject({});
  await using(made, SUITE, async () => {
    const down = await made.run(["--grep", "pays|adds|left out"], {
      TRACEDECK_URL: "http://127.0.0.1:9",
      TRACEDECK_KEY: "k",
    });
    expect(down.output).toContain("the test run itself is kept for later");
    const outbox = join(made.folder, ".tracedeck-outbox");
    const data = join(made.folder, "data");
    const byHand = `${outbox}-by-hand`;
    await Bun.$`cp -r ${outbox} ${byHand}`.quiet();
    const sent = await runProgram(["ingest", "--outbox", byHand, "--data", data]);
    expect([sent.code, sent.stderr]).toEqual([
      0,
      expect.stringMatching(/^Test run: \S+\/test-runs\/\w{12}\n/),
    ]);

    const before = await getJson<TestRunList>(app, "/v1/test-runs?limit=200");
    const up = await made.run(["--grep", "flaky"], here());
    expect(up.code).toBe(1);
    expect(readdirSync(outbox)).toEqual([".gitignore"]);
    const after = await getJson<TestRunList>(app, "/v1/test-runs?limit=200");
    const fresh = after.items.filter(({ id }) => !before.items.some((one) => one.id === id));
    expect(fresh.map(({ totals }) => totals.passed + totals.failed + totals.skipped)).toEqual([1, 3]);
    const { pays, adds } = await testsOf(app, fresh[1]!.id);
    expect(fresh[1]!.status).toBe("failed");
    expect([pays!.attempts[0]!.trace_id, adds!.attempts[0]!.trace_id]).toEqual([
      expect.any(String),
      expect.any(String),
    ]);
  });
});
