import { afterAll, beforeAll, expect, test } from "bun:test";
import type { FailureList } from "../../../server/trace/failures/model.ts";
import { slugOf } from "../../../server/trace/format/test-name.ts";
import type { History, HistoryList } from "../../../server/trace/histories/model.ts";
import { type TestApp, testApp } from "../../helpers/app.ts";
import { failed, past } from "../../helpers/past.ts";
import { failure, result, wholeRun } from "../../helpers/test-runs.ts";
import { getJson } from "../../helpers/traces.ts";

let t: TestApp;
beforeAll(async () => {
  t = await testApp();
});
afterAll(() => t.close());

const slug = (title: string) => slugOf({ project: "chromium", file: "a.spec.ts", titles: ["cart", title] });
const history = (title: string) => getJson<History>(t, `/v1/histories/${slug(title)}`);
const now = () => ({ started_at: new Date(t.clock.now()).toISOString() });

test("a test run counts once per test, with and without traces, and a changed tree is no commit", async () => {
  const commit_sha = "abc";
  const tried = [failed("sig_a", { code_sha: commit_sha }), failed("sig_a", { code_sha: commit_sha })];
  const traces = await past(t, slug("pays"), [...tried, { code_sha: commit_sha }]);
  const attempts = [1, 2, 3].map((attempt, at) =>
    (attempt < 3 ? failure : result)("pays", { attempt, trace_id: traces[at], ...now() }),
  );
  await wholeRun(t, attempts, { commit_sha });
  t.clock.advance(1000);
  await wholeRun(t, [result("pays", now())], { commit_sha });
  t.clock.advance(1000);
  await wholeRun(t, [result("pays", { status: "skipped", ...now() })], { commit_sha });
  t.clock.advance(1000);
  await wholeRun(t, [failure("pays", now())], { commit_sha, is_dirty: true });
  expect((await history("pays")).statistics).toMatchObject({
    passed: 2,
    failed: 1,
    other: 0,
    flakiness: { score: 0.5, flips: 1, pairs: 2, flaky_commits: 1 },
    streak: { status: "failed", count: 1 },
  });
});

test("a history has one entry per test run and test, with its outcome, traced or not", async () => {
  const [first, second] = await past(t, slug("loads"), [failed("sig_l"), {}]);
  await wholeRun(t, [
    failure("loads", { trace_id: first, ...now() }),
    result("loads", { attempt: 2, trace_id: second, ...now() }),
  ]);
  for (const more of [{}, { status: "skipped", expected: "skipped" }] as const) {
    t.clock.advance(1000);
    await wholeRun(t, [result("loads", { ...more, ...now() })]);
  }
  t.clock.advance(1000);
  await wholeRun(t, [failure("loads", now())]);
  const { items, scenario } = await history("loads");
  expect(items.map(({ status, trace_id }) => [status, trace_id])).toEqual([
    ["failed", null],
    ["skipped", null],
    ["passed", null],
    ["flaky", first!],
  ]);
  expect(items[0]!.failure_message).not.toBeNull();
  expect(items.every(({ test_run_id }) => test_run_id !== null)).toBe(true);
  expect(scenario.test).toMatchObject({
    file: "a.spec.ts",
    project: "chromium",
    title_path: ["cart", "loads"],
  });
  const listed = await getJson<HistoryList>(t, `/v1/histories?q=${slug("loads")}`);
  expect(listed.items[0]!.last.status).toBe("failed");
  expect(listed.items[0]!.runs.map(({ status }) => status)).toEqual(["failed", "skipped", "passed", "flaky"]);
});

test("a pass without a trace ends a failure", async () => {
  const [trace] = await past(t, slug("rests"), [failed("sig_rest")]);
  await wholeRun(t, [failure("rests", { trace_id: trace, ...now() })]);
  expect((await history("rests")).regression).not.toBeNull();
  t.clock.advance(1000);
  await wholeRun(t, [result("rests", now())]);
  expect((await history("rests")).regression).toBeNull();
  const { items } = await getJson<FailureList>(t, "/v1/failures");
  expect(items.find(({ signature }) => signature === "sig_rest")!.state).toBe("resolved");
});
