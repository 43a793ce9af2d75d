import { afterAll, beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import type { History, HistoryList } from "../../../server/trace/histories/model.ts";
import { type TestApp, testApp } from "../../helpers/app.ts";
import { failed, past } from "../../helpers/past.ts";
import { getJson, otherOrg } from "../../helpers/traces.ts";

let t: TestApp;
beforeAll(async () => {
  t = await testApp();
});
afterAll(() => t.close());

const show = (slug: string, query = "") => getJson<History>(t, `/v1/histories/${slug}${query}`);

test("the last finished traces of a scenario are listed newest first, without replays and what still runs", async () => {
  const ids = await past(t, "checkout", [
    { status: "passed", code_sha: "aaa", duration_ms: 100 },
    failed("sig_a", { code_sha: "bbb", duration_ms: 300, run_id: "run-1", attempt: 1 }),
    { status: "passed", parent_trace_id: "01900000-0000-7000-8000-000000000000" },
    { status: "running" },
    { status: "aborted" },
  ]);
  const history = await show("checkout");
  expect(history.items.map(({ id }) => id)).toEqual([ids[4]!, ids[1]!, ids[0]!]);
  expect(history.items[1]).toMatchObject({
    status: "failed",
    code_sha: "bbb",
    duration_ms: 300,
    failure_signature: "sig_a",
    run_id: "run-1",
    attempt: 1,
  });
  expect(history.statistics).toMatchObject({ passed: 1, failed: 1, other: 1, pass_rate: 0.5 });
  expect((await show(history.scenario.id)).items).toEqual(history.items);
  expect((await show("checkout", "?limit=1")).items.map(({ id }) => id)).toEqual([ids[4]!]);
});

test("the first failure after the last pass is found among all traces, as of now and as of any of them", async () => {
  let round = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom("passed", "failed", "error"), { minLength: 1, maxLength: 12 }),
      async (statuses) => {
        const slug = `regression-${round++}`;
        const ids = await past(
          t,
          slug,
          statuses.map((status, index) => ({ status, code_sha: `c${index}` })),
        );
        for (const last of [statuses.length - 1, statuses.length >> 1]) {
          const seen = statuses.slice(0, last + 1);
          const green = seen.lastIndexOf("passed");
          const red = seen.indexOf("failed", green + 1);
          const { regression } = await show(slug, `?limit=2&until=${ids[last]}`);
          if (red < 0) expect(regression).toBeNull();
          else
            expect([regression?.last_green?.code_sha ?? null, regression?.first_red.id]).toEqual([
              green < 0 ? null : `c${green}`,
              ids[red]!,
            ]);
        }
      },
    ),
    { numRuns: 40 },
  );
});

test("scenarios are listed by their last run, page by page, and found by status and text", async () => {
  const orgs = await otherOrg(t);
  await past(t, "elsewhere", [{}], { orgId: orgs.orgId });
  await past(t, "zebra-pays", [{ code_sha: "a" }, failed("sig_z", { code_sha: "a" })]);
  await past(t, "admin-signs-in", [failed("sig_y"), {}]);
  const first = await getJson<HistoryList>(t, "/v1/histories?limit=1");
  expect(first.items.map(({ scenario }) => scenario.slug)).toEqual(["admin-signs-in"]);
  const second = await getJson<HistoryList>(t, `/v1/histories?limit=1&cursor=${first.next_cursor}`);
  expect(second.items[0]).toMatchObject({
    scenario: { slug: "zebra-pays" },
    last: { status: "failed", failure_signature: "sig_z" },
    statistics: { flakiness: { score: 1, flaky_commits: 1 }, streak: { status: "failed", count: 1 } },
    regression: { last_green: { code_sha: "a" }, first_red: { code_sha: "a" } },
  });
  expect(second.items[0]!.runs.map(({ status }) => status)).toEqual(["failed", "passed"]);
  const slugs = async (query: string) =>
    (await getJson<HistoryList>(t, `/v1/histories?${query}`)).items.map(({ scenario }) => scenario.slug);
  expect(await slugs("q=ZEBRA")).toEqual(["zebra-pays"]);
  expect(await slugs("q=zebra&status=passed")).toEqual([]);
  expect(await slugs("limit=200")).not.toContain("elsewhere");
  let all: string[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const page: HistoryList = await getJson(t, `/v1/histories?limit=7${cursor && `&cursor=${cursor}`}`);
    all = [...all, ...page.items.map(({ scenario }) => scenario.slug)];
    cursor = page.next_cursor;
  }
  expect(all).toEqual(await slugs("limit=200"));
});

test("what makes no sense is refused in words", async () => {
  const [other] = await past(t, "another", [{}]);
  const refusals: [string, number, string][] = [
    ["/v1/histories/no-such-scenario", 404, "scenario"],
    [`/v1/histories/checkout?until=${other}`, 400, "until"],
    ["/v1/histories/checkout?until=00000000-0000-7000-8000-000000000000", 404, "trace"],
    ["/v1/histories/checkout?until=today", 400, "until"],
    ["/v1/histories/checkout?limit=201", 400, "limit"],
    ["/v1/histories?cursor=nonsense", 400, "cursor"],
    ["/v1/histories?status=queued", 400, "status"],
    ["/v1/histories?q=%00", 400, "q"],
  ];
  for (const [path, status, word] of refusals) {
    const response = await t.api(path);
    expect([path, response.status]).toEqual([path, status]);
    expect(((await response.json()) as { message: string }).message).toContain(word);
  }
  const { api } = await otherOrg(await testOrgApp());
  expect((await api("/v1/histories/checkout")).status).toBe(404);
});

let second: TestApp | null = null;
/** An app of its own: an org can be made once. */
async function testOrgApp(): Promise<TestApp> {
  second ??= await testApp();
  await past(second, "checkout", [{}]);
  return second;
}
afterAll(() => second?.close());
