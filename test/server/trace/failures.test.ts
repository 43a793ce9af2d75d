import { afterAll, beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import type { FailureList } from "../../../server/trace/failures/model.ts";
import { setSearchText } from "../../../store/records/search.ts";
import { removeTrace, traceCreatedAt, traceOrd } from "../../../store/records/traces.ts";
import { type TestApp, testApp } from "../../helpers/app.ts";
import { failed, past } from "../../helpers/past.ts";
import { getJson, otherOrg } from "../../helpers/traces.ts";

const DAY = 24 * 60 * 60_000;
let t: TestApp;
beforeAll(async () => {
  t = await testApp();
});
afterAll(() => t.close());

const list = (query = "") => getJson<FailureList>(t, `/v1/failures?${query}`);
const iso = (id: string) => new Date(traceCreatedAt(id)).toISOString();

test("without failures there are no groups, and the period says what was looked at", async () => {
  await past(t, "quiet", [{}, { status: "failed" }]);
  const answer = await list();
  expect(answer).toMatchObject({ items: [], next_cursor: null });
  expect(Date.parse(answer.to) - Date.parse(answer.from)).toBe(30 * DAY);
});

test("groups tell their count, scenarios, first and last time, and whether they are new, go on or are over", async () => {
  const [first] = await past(t, "shop-a", [failed("sig_old")]);
  t.clock.advance(40 * DAY);
  const [again] = await past(t, "shop-a", [failed("sig_old", { code_sha: "old2" })]);
  await past(t, "shop-b", [
    failed("sig_new"),
    failed("sig_new", { failure_message: "Error: the newest words" }),
  ]);
  await past(t, "shop-c", [failed("sig_new"), {}]);
  const [last] = await past(t, "shop-b", [
    failed("sig_new", { status: "error", code_sha: "abc", failed_step_title: "Pay" }),
  ]);
  await past(t, "shop-d", [failed("sig_over"), {}]);
  await past(t, "shop-e", [failed("sig_replay", { parent_trace_id: first! })]);
  const { items } = await list();
  expect(items.map(({ signature, count, state }) => [signature, count, state])).toEqual([
    ["sig_over", 1, "resolved"],
    ["sig_new", 4, "new"],
    ["sig_old", 1, "ongoing"],
  ]);
  const [, fresh, old] = items;
  expect(old).toMatchObject({
    first_seen: iso(first!),
    last_seen: iso(again!),
    step: null,
    last_trace: { id: again!, code_sha: "old2" },
  });
  expect(fresh).toMatchObject({
    message: "Error: sig_new happened",
    step: "Pay",
    last_trace: { id: last!, status: "error", scenario_slug: "shop-b" },
    scenario_count: 2,
  });
  expect(fresh!.scenarios.map(({ slug, count, is_resolved }) => [slug, count, is_resolved])).toEqual([
    ["shop-b", 3, false],
    ["shop-c", 1, true],
  ]);
  expect(fresh!.histogram).toHaveLength(30);
  expect(fresh!.histogram.at(-1)).toBe(4);
  const older = await list(`to=${new Date(t.clock.now() - 20 * DAY).toISOString()}&from=2026-01-01`);
  expect(older.items.map(({ signature, count }) => [signature, count])).toEqual([["sig_old", 1]]);
});

test("groups of one state are asked for page by page, and another state is refused", async () => {
  const walk = async (state: string, limit: number) => {
    const found: string[] = [];
    let cursor: string | null = null;
    do {
      const page: FailureList = await list(
        `state=${state}&limit=${limit}${cursor === null ? "" : `&cursor=${cursor}`}`,
      );
      expect(page.items.length).toBeLessThanOrEqual(limit);
      found.push(...page.items.map(({ signature }) => signature));
      cursor = page.next_cursor;
    } while (cursor !== null);
    return found;
  };
  const { items } = await list("limit=200");
  for (const state of ["new", "ongoing", "resolved"]) {
    const all = items.filter((group) => group.state === state).map(({ signature }) => signature);
    expect(all.length).toBeGreaterThan(0);
    for (const limit of [1, 2, 200]) expect(await walk(state, limit)).toEqual(all);
  }
  const refused = await t.api("/v1/failures?state=old");
  expect(refused.status).toBe(400);
  expect(await refused.text()).toContain("state");
});

test("groups agree with a count by hand, for every filter, order and page size", async () => {
  const scenarios = ["one", "two", "three"];
  const made: { id: string; slug: string; signature: string; source: string }[] = [];
  const rows = fc.sample(
    fc.record({
      slug: fc.constantFrom(...scenarios),
      signature: fc.constantFrom("sig_1", "sig_2", "sig_3", "sig_4", "sig_5"),
      source: fc.constantFrom("pr" as const, "manual" as const),
      isPassed: fc.boolean(),
    }),
    { numRuns: 60, seed: 11 },
  );
  const start = t.clock.now() + 1;
  for (const { slug, signature, source, isPassed } of rows) {
    const [id] = await past(t, slug, [isPassed ? { source } : failed(signature, { source })]);
    if (!isPassed) made.push({ id: id!, slug, signature, source });
  }
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        slug: fc.option(fc.constantFrom(...scenarios)),
        source: fc.option(fc.constantFrom("pr", "manual")),
        sort: fc.constantFrom("count", "last_seen"),
        size: fc.integer({ min: 1, max: 6 }),
        from: fc.nat(60),
        to: fc.nat(60),
      }),
      async ({ slug, source, sort, size, from, to }) => {
        const [begin, end] = [start + Math.min(from, to) * 1000, start + Math.max(from, to) * 1000];
        const groups = Map.groupBy(
          made.filter(
            (one) =>
              (slug === null || one.slug === slug) &&
              (source === null || one.source === source) &&
              traceCreatedAt(one.id) >= begin &&
              traceCreatedAt(one.id) < end,
          ),
          ({ signature }) => signature,
        );
        const expected = [...groups]
          .map(([signature, own]) => ({ signature, count: own.length, last: own.at(-1)!.id }))
          .sort((a, b) => (sort === "count" ? b.count - a.count : 0) || (a.last < b.last ? 1 : -1));
        const query = new URLSearchParams({
          sort,
          limit: String(size),
          from: new Date(begin).toISOString(),
          to: new Date(end).toISOString(),
          ...(slug === null ? {} : { scenario: slug }),
          ...(source === null ? {} : { source }),
        });
        const seen: FailureList["items"] = [];
        for (let cursor: string | null = ""; cursor !== null; ) {
          if (cursor) query.set("cursor", cursor);
          const page: FailureList = await list(query.toString());
          seen.push(...page.items);
          cursor = page.next_cursor;
        }
        expect(
          seen.map(({ signature, count, last_trace }) => ({ signature, count, last: last_trace.id })),
        ).toEqual(expected);
        for (const { histogram, count, scenarios: concerned } of seen) {
          expect(histogram.reduce((sum, part) => sum + part, 0)).toBe(count);
          expect(concerned.reduce((sum, one) => sum + one.count, 0)).toBe(count);
        }
      },
    ),
    { numRuns: 60 },
  );
});

test("pages keep the period of the first one while new failures arrive", async () => {
  await past(t, "moving", [failed("sig_m1"), failed("sig_m2"), failed("sig_m3")]);
  const first = await list("scenario=moving&limit=1");
  await past(t, "moving", [failed("sig_m1"), failed("sig_m4")]);
  const second = await list(`scenario=moving&limit=5&cursor=${first.next_cursor}`);
  expect([...first.items, ...second.items].map(({ signature }) => signature)).toEqual([
    "sig_m3",
    "sig_m2",
    "sig_m1",
  ]);
  expect(second.to).toBe(first.to);
});

test("words find the groups whose message or scenario has them", async () => {
  const ids = await past(t, "words", [failed("sig_w1"), failed("sig_w2")]);
  const text = {
    title: "words",
    console: "",
    requests: "teapot",
    assertions: "",
    thoughts: "",
    steps: "",
    kinds: [],
  };
  await setSearchText(t.store.records, traceOrd(ids[0]!), { ...text, failure: "the kettle is missing" });
  await setSearchText(t.store.records, traceOrd(ids[1]!), { ...text, failure: "the teapot broke" });
  const found = async (q: string) =>
    (await list(`q=${encodeURIComponent(q)}`)).items.map(({ signature }) => signature);
  expect(await found("kettle")).toEqual(["sig_w1"]);
  expect(await found("teapot")).toEqual(["sig_w2"]);
  expect(await found("words")).toEqual(["sig_w2", "sig_w1"]);
  expect(await found("kettle teapot")).toEqual([]);
  expect(await found('"!')).toEqual([]);
  expect(await found('C++ "} OR {')).toEqual([]);
});

test("another org's failures and those of removed traces are not counted", async () => {
  const { orgId } = await otherOrg(t);
  await past(t, "gone", [failed("sig_theirs")], { orgId });
  const [id] = await past(t, "gone", [failed("sig_gone"), failed("sig_kept")]);
  await removeTrace(t.store.records, id!);
  const { items } = await list("scenario=gone");
  expect(items.map(({ signature }) => signature)).toEqual(["sig_kept"]);
  expect((await list()).items.map(({ signature }) => signature)).not.toContain("sig_theirs");
});

test("what makes no sense is refused in words", async () => {
  const cursor = (await list("limit=1")).next_cursor;
  for (const [query, word] of [
    ["from=yesterday", "from"],
    ["from=2026-03-02&to=2026-03-01", "from"],
    ["to=1960-01-01", "1970"],
    ["cursor=nonsense", "cursor"],
    [`sort=count&cursor=${cursor}`, "cursor"],
    ["sort=name", "sort"],
    ["source=moon", "source"],
    ["limit=0", "limit"],
    ["q=%00", "q"],
  ] as const) {
    const response = await t.api(`/v1/failures?${query}`);
    expect([query, response.status]).toEqual([query, 400]);
    expect(((await response.json()) as { message: string }).message).toContain(word);
  }
  expect((await list("scenario=nobody-knows-it")).items).toEqual([]);
});
