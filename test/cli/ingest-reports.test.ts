import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Outcome } from "../../server/trace/format/test-run.ts";
import type { TestRun } from "../../server/trace/test-runs/model.ts";
import { type TestApp, testApp } from "../helpers/app.ts";
import { type PlaywrightProject, playwrightProject } from "../helpers/playwright-project.ts";
import { runProgram } from "../helpers/program.ts";
import { testsOf } from "../helpers/test-runs.ts";
import { recorded } from "../helpers/viewer.ts";

setDefaultTimeout(240_000);

const SUITE = `import { test, expect } from "@playwright/test";
test.describe("cart", { tag: "@smoke" }, () => {
  test("adds", async () => {});
  test("pays", async () => { expect(1).toBe(2); });
});
test("is flaky", async ({}, info) => { expect(info.retry).toBe(1); });
test("is left out", async () => { test.skip(true, "not here"); });
test("is known to break", { annotation: { type: "issue", description: "#7" } }, async () => { test.fail(); expect(1).toBe(2); });
test("is mended", async () => { test.fail(); });
`;
const LATER = `import { test, expect } from "@playwright/test";
test("stops all", async () => { expect(1).toBe(2); });
test("never begins", async () => {});
`;

let made: PlaywrightProject;
let app: TestApp;
const at = (...parts: string[]) => join(made.folder, ...parts);

/** One suite on two shards, of which one stops at its first failure, with all three reports. */
beforeAll(async () => {
  app = await testApp({ settings: { rate_limits: { ingests_per_minute: 1000, writes_per_minute: 1000 } } });
  made = await playwrightProject({
    use: { trace: "retain-on-failure" },
    config: `fullyParallel: false, projects: [{ name: "one" }, { name: "two", testMatch: /later/, grep: /never/ }],`,
  });
  made.write("a.spec.ts", SUITE);
  made.write("later.spec.ts", LATER);
  const reports = (shard: number) => ({
    PLAYWRIGHT_BLOB_OUTPUT_FILE: at("blobs", `${shard}.zip`),
    PLAYWRIGHT_JSON_OUTPUT_FILE: at(`${shard}.json`),
    PLAYWRIGHT_JUNIT_OUTPUT_FILE: at(`${shard}.xml`),
    PWTEST_BLOB_DO_NOT_REMOVE: "1",
  });
  const all = ["--reporter=blob,json,junit", "--workers=1"];
  await made.run([...all, "--shard=1/2", "--retries=1", "a.spec.ts", "later.spec.ts"], reports(1));
  await made.run([...all, "--shard=2/2", "-x", "a.spec.ts", "later.spec.ts"], reports(2));
});
afterAll(async () => {
  made.remove();
  await app.close();
});

async function upload(path: string, fields: Record<string, string> = {}) {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  form.set("report", new File([readFileSync(path)], "report"));
  const response = await app.api("/v1/test-runs/ingest", { method: "POST", body: form });
  const answer = (await response.json()) as Record<string, unknown>;
  return { status: response.status, answer, id: String(answer.test_run_id) };
}
const runOf = async (id: string) => (await (await app.api(`/v1/test-runs/${id}`)).json()) as TestRun;

const OUTCOMES: Record<string, Outcome> = {
  adds: "passed",
  pays: "failed",
  "is flaky": "flaky",
  "is left out": "skipped",
  "is known to break": "passed",
  "is mended": "failed",
};
const outcomes = async (id: string) =>
  Object.fromEntries(Object.entries(await testsOf(app, id)).map(([title, { outcome }]) => [title, outcome]));

test("a blob report is a run with its traces, and the same one again is the same run", async () => {
  const { status, answer, id } = await upload(at("blobs", "1.zip"), { branch: "main", pr_number: "4" });
  expect([status, answer]).toEqual([
    200,
    { test_run_id: id, short_id: expect.any(String), tests: 6, traces: 5, warnings: [] },
  ]);
  expect(await outcomes(id)).toEqual(OUTCOMES);
  const run = await runOf(id);
  expect(run).toMatchObject({ status: "failed", branch: "main", pr_number: 4, ci: null, shards: [] });
  expect(run.duration_ms).toBeGreaterThan(0);
  await app.runJobs();
  const { pays, ...rest } = await testsOf(app, id);
  expect(pays).toMatchObject({ project: "one", tags: ["@smoke"], title_path: ["cart", "pays"], line: 4 });
  expect(pays!.attempts.map(({ trace_id }) => typeof trace_id)).toEqual(["string", "string"]);
  expect(pays!.headline).toContain("expect(received).toBe(expected)");
  expect(rest["is left out"]!.annotations[0]).toEqual({ type: "skip", description: "not here" });
  expect(rest["is mended"]).toMatchObject({ expected: "failed", headline: "Expected to fail, but passed." });
  expect((await upload(at("blobs", "1.zip"), { branch: "main", pr_number: "4" })).answer).toEqual(answer);
  const joined = { ci: '{"provider":"ci","run_id":"7"}' };
  const [one, two] = [await upload(at("blobs", "2.zip"), joined), await upload(at("blobs", "1.zip"), joined)];
  expect(one.id).toBe(two.id);
  expect(await outcomes(one.id)).toEqual({ ...OUTCOMES, "stops all": "failed", "never begins": "not_run" });
  expect(await runOf(one.id)).toMatchObject({
    status: "failed",
    totals: { passed: 2, failed: 3, flaky: 1, skipped: 1, not_run: 2 },
    shards: [{ status: "failed" }, { status: "failed" }],
  });
});

test("a JSON report and a JUnit file are runs without traces", async () => {
  const json = await upload(at("1.json"));
  expect(json.answer).toMatchObject({ tests: 6, traces: 0 });
  expect(await outcomes(json.id)).toEqual(OUTCOMES);
  const blob = await testsOf(app, (await upload(at("blobs", "1.zip"))).id);
  const same = await testsOf(app, json.id);
  expect(Object.entries(same).map(([title, { id, line, tags }]) => [title, id, line, tags])).toEqual(
    Object.entries(blob).map(([title, { id, line, tags }]) => [title, id, line, tags]),
  );
  const junit = await upload(at("1.xml"));
  expect(junit.answer).toMatchObject({ tests: 6, traces: 0 });
  expect(await outcomes(junit.id)).toMatchObject({ adds: "passed", pays: "failed", "is flaky": "passed" });
  const { pays } = await testsOf(app, junit.id);
  expect([pays!.id, pays!.project, pays!.line]).toEqual([blob.pays!.id, "one", 4]);
  expect(pays!.headline).toBe("Error: expect(received).toBe(expected) // Object.is equality");
});

test("JUnit files of others are taken, reruns are attempts, and what is no report is refused in words", async () => {
  const of = async (text: string) => {
    writeFileSync(at("given"), text);
    return upload(at("given"));
  };
  const surefire = await of(
    `<testsuite name="shop.Cart" timestamp="2026-02-01T10:00:00"><testcase name="adds" classname="shop.Cart" time="0.5"/>
     <testcase name="pays" classname="shop.Cart" time="1,000.25"><flakyFailure message="was slow">trail</flakyFailure></testcase>
     <testsuite name="inner"><testcase name="ships" file="ship.py" classname="ship.Ship"><error message="no &lt;ship&gt;"/></testcase></testsuite></testsuite>`,
  );
  const tests = await testsOf(app, surefire.id);
  expect(tests.pays).toMatchObject({ outcome: "flaky", file: "shop.Cart", duration_ms: 1_000_250 });
  expect(tests.ships).toMatchObject({
    file: "ship.py",
    title_path: ["ship.Ship", "ships"],
    headline: "no <ship>",
  });
  expect((await runOf(surefire.id)).started_at).toBe("2026-02-01T10:00:00.000Z");
  for (const text of [
    "",
    "hello",
    "{}",
    '{"suites":[{"specs":[null]}],"config":{}}',
    "<html/>",
    "<testsuite><testcase></testsuite>",
    '<!DOCTYPE x [<!ENTITY a "b">]><testsuite/>',
  ]) {
    const { status, answer } = await of(text);
    expect([text, status, answer.error]).toEqual([text, 400, "bundle_unreadable"]);
    expect(answer.message).toContain("report");
  }
  const archive = join(made.folder, "test-results");
  const trace = readdirSync(archive)
    .map((name) => join(archive, name, "trace.zip"))
    .find(existsSync);
  expect((await upload(trace!)).answer.message).toContain("without report.jsonl");
  expect((await upload(at("1.xml"), { colour: "red" })).status).toBe(400);
});

test("the command line tells reports and unpacked traces by their content, without a server", async () => {
  const data = ["--data", at("data")];
  const asJson = async (...args: string[]) => {
    const { stdout, stderr, code } = await runProgram(["ingest", ...args, ...data, "--json"]);
    if (code !== 0) throw new Error(stderr);
    return JSON.parse(stdout) as Record<string, unknown>;
  };
  expect(await asJson(at("blobs"))).toEqual({
    test_run_id: expect.any(String),
    short_id: expect.stringMatching(/^\w{12}$/),
    tests: 9,
    traces: 6,
    warnings: [],
  });
  expect(await asJson(at("1.xml"))).toMatchObject({ tests: 6, traces: 0 });
  const archive = join(made.folder, "test-results");
  const trace = readdirSync(archive)
    .map((name) => join(archive, name, "trace.zip"))
    .find(existsSync);
  const folder = at("agent");
  mkdirSync(folder);
  await Bun.$`unzip -q ${trace!} -d ${folder}`.quiet();
  for (const kind of ["trace", "network"])
    if (existsSync(join(folder, `0-trace.${kind}`)))
      cpSync(join(folder, `0-trace.${kind}`), join(folder, `trace-17.${kind}`));
  const kept = await asJson(folder);
  expect(kept).toMatchObject({ trace_id: expect.any(String) });
});

test("a trace that an agent's browser left is found in its folder, by its file, and with its pictures", async () => {
  const folder = at(".playwright-mcp");
  const traces = join(folder, "traces");
  mkdirSync(traces, { recursive: true });
  await Bun.$`unzip -q ${recorded("v10-failing")} -d ${traces}`.quiet();
  for (const kind of ["trace", "network"])
    renameSync(join(traces, `trace.${kind}`), join(traces, `trace-1795850214614.${kind}`));
  writeFileSync(join(folder, "page-2026-11-28T07-16-55-100Z.yml"), "- heading");
  for (const named of [folder, traces, join(traces, "trace-1795850214614.trace")]) {
    const data = ["--data", at("data")];
    const { stdout, stderr, code } = await runProgram(["ingest", named, "--wait", ...data, "--json"]);
    expect([named, code, stderr.includes("error:")]).toEqual([named, 0, false]);
    const { trace_id } = JSON.parse(stdout) as { trace_id: string };
    const shown = await runProgram(["traces", "show", trace_id, ...data, "--json"]);
    const detail = JSON.parse(shown.stdout) as Record<string, unknown>;
    expect(detail.scenario_slug).toBe("playwright-mcp");
    expect(detail.final_screenshot).toStartWith("sha256:");
  }
});
