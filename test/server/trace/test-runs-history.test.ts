import { afterAll, beforeAll, expect, test } from "bun:test";
import type { FailureList } from "../../../server/trace/failures/model.ts";
import { slugOf } from "../../../server/trace/format/test-name.ts";
import type { History } from "../../../server/trace/histories/model.ts";
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
