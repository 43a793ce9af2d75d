import { afterAll, beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import type { CauseList, TestList, TestRunList } from "../../../server/trace/test-runs/model.ts";
import { type TestApp, testApp } from "../../helpers/app.ts";
import { failed, past } from "../../helpers/past.ts";
import { begin, end, failure, result, send, show, testsOf, wholeRun } from "../../helpers/test-runs.ts";
import { getJson, otherOrg, post, runPeriodic } from "../../helpers/traces.ts";

let t: TestApp;
beforeAll(async () => {
  t = await testApp({
    settings: { rate_limits: { writes_per_minute: 1_000_000, reads_per_minute: 1_000_000 } },
  });
});
afterAll(() => t.close());

const HOUR = 60 * 60_000;
const refusal = async (response: Response) => [
  response.status,
  ((await response.json()) as { message: string }).message,
];

test("a run has what it was begun with, and its tests with all their attempts", async () => {
  const response = await post(t, "/v1/test-runs", {
    name: "e2e",
    ci: { provider: "github", run_id: "77", url: "https://ci.example/77" },
    branch: "main",
    commit_sha: "abc123",
    is_dirty: true,
    pr_number: 12,
    started_at: "2026-03-01T12:00:00.000Z",
  });
  expect(response.status).toBe(201);
  const { id, short_id, url } = (await response.json()) as Record<string, string>;
  expect(url).toBe(`http://localhost/test-runs/${short_id}`);
  expect(await show(t, id!)).toMatchObject({ status: "running", ended_at: null, duration_ms: 0 });
  await send(t, id!, [
    result("adds", { tags: ["@smoke", "slow"], annotations: [{ type: "issue", description: "#1" }] }),
    failure("pays", { line: 9, duration_ms: 40 }),
    failure("pays", { line: 9, attempt: 2, status: "timed_out", duration_ms: 50 }),
    failure("ships"),
    result("ships", { attempt: 2 }),
    result("waits", { status: "skipped", expected: "skipped" }),
    result("rests", { status: "skipped" }),
    failure("is known to break", { expected: "failed" }),
    result("is not broken any more", { expected: "failed" }),
  ]);
  expect(await end(t, id!)).toEqual({
    id: id!,
    short_id: short_id!,
    name: "e2e",
    ci: { provider: "github", run_id: "77", url: "https://ci.example/77" },
    branch: "main",
    commit_sha: "abc123",
    is_dirty: true,
    pr_number: 12,
    status: "failed",
    started_at: "2026-03-01T12:00:00.000Z",
    ended_at: "2026-03-01T12:01:00.000Z",
    duration_ms: 60_000,
    totals: { passed: 2, failed: 2, flaky: 1, skipped: 1, not_run: 1 },
    shards: [],
    previous_id: null,
  });
  const tests = await testsOf(t, id!);
  expect(tests.adds).toMatchObject({
    file: "a.spec.ts",
    project: "chromium",
    tags: ["@smoke", "@slow"],
    annotations: [{ type: "issue", description: "#1" }],
    outcome: "passed",
    change: null,
    headline: null,
  });
  expect(tests.pays).toMatchObject({ outcome: "failed", duration_ms: 90, headline: "Error: pays broke" });
  expect(tests.pays!.attempts.map(({ attempt, status }) => [attempt, status])).toEqual([
    [1, "failed"],
    [2, "timed_out"],
  ]);
  expect(tests.ships).toMatchObject({ outcome: "flaky", headline: "Error: ships broke" });
  expect(tests.rests!.outcome).toBe("not_run");
  expect(tests["is known to break"]).toMatchObject({ outcome: "passed", expected: "failed", headline: null });
  expect(tests["is not broken any more"]!.headline).toBe("Expected to fail, but passed.");
  for (const [query, titles] of [
    ["outcome=failed", ["is not broken any more", "pays"]],
    ["tag=smoke", ["adds"]],
    ["tag=@smoke", ["adds"]],
    ["q=CART+pay", ["pays"]],
    ["q=100%25", []],
    ["project=firefox", []],
    ["file=a.spec.ts&outcome=flaky", ["ships"]],
  ] as const)
    expect(Object.keys(await testsOf(t, id!, query)).sort()).toEqual([...titles]);
});

test("the same CI run of a name is one run for a day, whoever comes first", async () => {
  const ci = { provider: "gitlab", run_id: "same" };
  const all = await Promise.all([1, 2, 3].map((index) => begin(t, { ci, shard: { index, total: 3 } })));
  expect(new Set(all.map(({ id }) => id)).size).toBe(1);
  const again = await post(t, "/v1/test-runs", { ci, branch: "main", started_at: "2026-03-01T11:00:00Z" });
  expect(again.status).toBe(200);
  expect(await show(t, all[0]!.id)).toMatchObject({ branch: "main", started_at: "2026-03-01T11:00:00.000Z" });
  expect((await begin(t, { ci, name: "unit" })).id).not.toBe(all[0]!.id);
  t.clock.advance(24 * HOUR);
  expect((await begin(t, { ci })).id).not.toBe(all[0]!.id);
  const key = { "idempotency-key": "begin-1" };
  const body = { started_at: "2026-03-01T12:00:00Z" };
  const [first, second] = [
    await post(t, "/v1/test-runs", body, key),
    await post(t, "/v1/test-runs", body, key),
  ];
  expect([first!.status, second!.status]).toEqual([201, 200]);
  expect(await second!.json()).toEqual(await first!.json());
});

test("a run of shards goes on until the last one has ended, and fails with any of them", async () => {
  const { id } = await begin(t, { shard: { index: 1, total: 2 } });
  await send(t, id, [result("a")]);
  const [one, two] = [
    { index: 1, total: 2 },
    { index: 2, total: 2 },
  ];
  expect(await end(t, id, { shard: one, status: "failed" })).toMatchObject({
    status: "running",
    shards: [{ index: 1, total: 2, status: "failed" }],
  });
  expect(await end(t, id, { shard: two, ended_at: "2026-03-01T12:03:00Z" })).toMatchObject({
    status: "failed",
    duration_ms: 180_000,
  });
  await send(t, id, [failure("late")]);
  expect(await end(t, id, { ended_at: "2026-03-01T13:00:00Z" })).toMatchObject({
    status: "failed",
    duration_ms: 180_000,
    totals: { passed: 1, failed: 1 },
  });
});

test("a failure is new, goes on or is over against the run before on the branch", async () => {
  const frame = (day: number) => ({
    name: "nightly",
    branch: "main",
    started_at: `2026-02-0${day}T12:00:00Z`,
  });
  const first = await wholeRun(
    t,
    [
      ...[result("adds"), failure("pays"), failure("ships"), result("waits"), failure("rests")],
      ...[failure("mends"), result("mends", { attempt: 2 })],
    ],
    frame(1),
  );
  await wholeRun(t, [failure("adds")], { ...frame(2), branch: "topic" });
  await begin(t, frame(3));
  const { id } = await begin(t, frame(4));
  await send(t, id, [
    ...[failure("adds"), failure("pays"), result("ships"), failure("waits"), result("waits", { attempt: 2 })],
    ...[failure("comes"), result("rests", { status: "skipped" }), result("mends")],
  ]);
  expect((await show(t, id)).previous_id).toBe(first);
  const tests = await testsOf(t, id);
  const changes = Object.entries(tests).map(([title, { change }]) => [title, change]);
  expect(Object.fromEntries(changes)).toEqual({
    adds: "new_failure",
    pays: "still_failing",
    ships: "fixed",
    waits: "new_flaky",
    comes: "new_failure",
    rests: null,
    mends: null,
  });
  expect(Object.keys(await testsOf(t, id, "change=new_failure")).sort()).toEqual(["adds", "comes"]);
  expect(tests.adds!.id).toBe((await testsOf(t, first)).adds!.id);
});

test("a failed test has its trace's words, and failures of one cause stand together", async () => {
  const words = "Error: the till is closed";
  const [trace, other] = await past(t, "paying", [failed("sig_till", { failure_message: words }), {}]);
  const { id } = await begin(t);
  await send(t, id, [
    failure("pays", { trace_id: trace }),
    failure("pays again", { trace_id: trace!.toUpperCase() }),
    failure("ships", { error: { message: "\u001b[31mError: took 31 s\u001b[39m\nCall log: x" } }),
    failure("sends", { error: { message: "Error: took 7 s" } }),
    failure("rows", { error: { message: "Error: took 8 s" }, trace_id: other }),
  ]);
  const { pays, ships } = await testsOf(t, id);
  expect(pays).toMatchObject({ headline: words, attempts: [{ trace_id: trace! }] });
  expect(ships!.headline).toBe("Error: took 31 s");
  const { items } = await getJson<CauseList>(t, `/v1/test-runs/${id}/causes`);
  expect(items.map(({ headline, count }) => [headline, count])).toEqual([
    [expect.stringMatching(/^Error: took \d+ s$/), 3],
    [words, 2],
  ]);
  await t.api(`/v1/traces/${trace}`, { method: "DELETE" });
  expect((await testsOf(t, id)).pays).toMatchObject({
    headline: "Error: pays broke",
    attempts: [{ trace_id: null }],
  });
});

test("a run of which nothing is heard for an hour is interrupted, and an end that comes late counts", async () => {
  const { id } = await begin(t, { shard: { index: 1, total: 1 } });
  t.clock.advance(HOUR - 1);
  await send(t, id, [result("a")]);
  t.clock.advance(HOUR - 1);
  await runPeriodic(t, "test runs");
  expect((await show(t, id)).status).toBe("running");
  t.clock.advance(1);
  await runPeriodic(t, "test runs");
  expect(await show(t, id)).toMatchObject({ status: "interrupted", shards: [{ status: "interrupted" }] });
  await send(t, id, [result("b")]);
  expect(await show(t, id)).toMatchObject({ status: "interrupted", totals: { passed: 2 } });
  expect(await end(t, id, { shard: { index: 1, total: 1 } })).toMatchObject({ status: "passed" });
  await post(t, `/v1/test-runs/${id}/end`, { status: "interrupted", ended_at: "2026-03-02T00:00:00Z" });
  expect((await show(t, id)).status).toBe("passed");
});

test("what cannot be taken is refused whole and named", async () => {
  const { id, short_id } = await begin(t);
  const results = `/v1/test-runs/${id}/results`;
  const unknown = "01900000-0000-7000-8000-000000000000";
  const other = await otherOrg(t);
  for (const [body, status, message] of [
    [{ results: [result("a"), result("b", { attempt: 0 })] }, 400, "results.1.attempt"],
    [{ results: [result("a"), result("b", { started_at: "soon" })] }, 400, "results.1.started_at"],
    [{ results: [result("a", { colour: "red" })] }, 400, "results.0.colour"],
    [{ results: [result("a"), result("b", { trace_id: unknown })] }, 404, "results.1.trace_id"],
  ] as const) {
    const [got, text] = await refusal(await post(t, results, body));
    expect([got, text]).toEqual([status, expect.stringContaining(message)]);
  }
  expect((await show(t, id)).totals.passed).toBe(0);
  const begun = (frame: object) => post(t, "/v1/test-runs", { started_at: "2026-03-01T12:00:00Z", ...frame });
  for (const frame of [
    { started_at: "2026-02-30" },
    { ci: { provider: "x", run_id: "1", url: "javascript:alert(1)" } },
    { shard: { index: 3, total: 2 } },
    { colour: "red" },
  ])
    expect((await begun(frame)).status).toBe(400);
  expect((await other.api(`/v1/test-runs/${id}`)).status).toBe(403);
  expect((await t.api(`/v1/test-runs/${unknown}`)).status).toBe(404);
  expect((await t.api("/v1/test-runs/nothing-of-the-kind")).status).toBe(404);
  expect((await show(t, short_id)).id).toBe(id);
  const reader = (await (
    await post(t, "/v1/api-keys", { name: "reader", scopes: ["traces:read"] })
  ).json()) as { key: string };
  const headers = { authorization: `Bearer ${reader.key}` };
  expect((await post(t, "/v1/test-runs", { started_at: "2026-03-01T12:00:00Z" }, headers)).status).toBe(403);
  expect((await t.api("/v1/test-runs?cursor=eyJhIjoxfQ")).status).toBe(400);
  expect((await t.api(`/v1/test-runs/${id}/tests?cursor=WzFd`)).status).toBe(400);
});

test("pages of runs follow each other without a gap, newest first, within the filters", async () => {
  const branch = "paged";
  const made: string[] = [];
  for (let at = 0; at < 7; at++) {
    const started_at = `2026-01-0${1 + (at % 3)}T12:00:00Z`;
    made.push(
      await wholeRun(t, [at % 2 ? failure("a") : result("a")], {
        branch,
        started_at,
        commit_sha: `c0ffee${at}`,
        pr_number: 900,
      }),
    );
  }
  const walk = async (query: string, limit: number) => {
    const found: string[] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const page: TestRunList = await getJson(
        t,
        `/v1/test-runs?${query}&limit=${limit}${cursor && `&cursor=${cursor}`}`,
      );
      expect(page.items.length).toBeLessThanOrEqual(limit);
      found.push(...page.items.map(({ started_at, id }) => `${started_at} ${id}`));
      cursor = page.next_cursor;
    }
    return found;
  };
  for (let limit = 1; limit <= 8; limit++) {
    const found = await walk(`branch=${branch}`, limit);
    expect(found).toEqual([...found].sort().reverse());
    expect(found.map((one) => one.split(" ")[1]!).sort()).toEqual([...made].sort());
  }
  expect(await walk("pr=900&status=failed", 2)).toHaveLength(3);
  expect((await walk("commit=c0ffee3", 2)).map((one) => one.split(" ")[1])).toEqual([made[3]!]);
});

test("pages of tests follow each other without a gap", async () => {
  const { id } = await begin(t);
  const files = ["b.spec.ts", "a.spec.ts", "ä/1.spec.ts"];
  const results = Array.from({ length: 40 }, (_, at) =>
    result(`test ${at}`, { file: files[at % 3], line: at % 5 }),
  );
  await send(t, id, results);
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 41 }), async (limit) => {
      const found: string[] = [];
      for (let cursor: string | null = ""; cursor !== null; ) {
        const page: TestList = await getJson(
          t,
          `/v1/test-runs/${id}/tests?limit=${limit}${cursor && `&cursor=${cursor}`}`,
        );
        found.push(...page.items.map((one) => one.id));
        cursor = page.next_cursor;
      }
      expect(found).toHaveLength(40);
      expect(new Set(found).size).toBe(40);
    }),
    { numRuns: 8 },
  );
});

test("shards make the same run in whatever order their attempts and ends arrive, and however often", async () => {
  const titles = ["a", "b", "c", "d"];
  const statuses = ["passed", "failed", "timed_out", "interrupted", "skipped"] as const;
  const attempts = fc.array(
    fc.record({
      title: fc.constantFrom(...titles),
      attempt: fc.integer({ min: 1, max: 3 }),
      status: fc.constantFrom(...statuses),
    }),
    { minLength: 1, maxLength: 8 },
  );
  const unique = (all: { title: string; attempt: number; status: string }[]) => [
    ...new Map(all.map((one) => [`${one.title} ${one.attempt}`, one])).values(),
  ];
  await fc.assert(
    fc.asyncProperty(attempts, fc.infiniteStream(fc.nat()), async (given, dice) => {
      const all = unique(given).map(({ title, attempt, status }) =>
        result(title, { attempt, status, file: `${title}.spec.ts`, tags: [`@${attempt}`] }),
      );
      const shape = async (id: string) => {
        const { id: _id, short_id: _short, previous_id: _previous, ...run } = await show(t, id);
        const tests = Object.values(await testsOf(t, id)).map(({ change: _, ...one }) => one);
        return { run, tests };
      };
      const ends = [1, 2].map((index) => ({
        shard: { index, total: 2 },
        ended_at: `2026-03-01T12:0${index}:00Z`,
      }));
      const straight = await begin(t, { branch: "order" });
      await send(t, straight.id, all);
      for (const one of ends) await end(t, straight.id, one);
      const mixed = await begin(t, { branch: "order" });
      const shuffled = [...all, ...all]
        .map((one) => [dice.next().value, one] as const)
        .sort(([a], [b]) => a - b)
        .map(([, one]) => one);
      for (const one of shuffled) await send(t, mixed.id, [one]);
      for (const one of ends.toReversed()) await end(t, mixed.id, one);
      for (const one of ends) await end(t, mixed.id, one);
      expect(await shape(mixed.id)).toEqual(await shape(straight.id));
    }),
    { numRuns: 6 },
  );
});
