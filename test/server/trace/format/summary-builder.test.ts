import { expect, test } from "bun:test";
import fc from "fast-check";
import type { TraceEvent } from "../../../../server/trace/format/event.ts";
import { LANE_BUCKETS, MAX_FILMSTRIP, MAX_SUMMARY_STEPS } from "../../../../server/trace/format/summary.ts";
import { createSummaryBuilder, type SummaryMeta } from "../../../../server/trace/format/summary-builder.ts";
import { meta } from "./summary-fixture.ts";

type Loose = Record<string, unknown> & { kind: string; ts: number };
const BLOB = (n: number) => `sha256:${n.toString(16).padStart(64, "0")}`;

function summarise(events: Loose[], more: Partial<SummaryMeta> = {}) {
  const builder = createSummaryBuilder(meta(more));
  for (const [seq, event] of events.entries()) builder.add({ seq, ...event } as TraceEvent);
  return builder.finish();
}
const action = (ts: number, step_id: string, more: Record<string, unknown> = {}): Loose => ({
  kind: "agent.action",
  ts,
  step_id,
  name: `Do ${step_id}`,
  params: {},
  duration_ms: 10,
  ...more,
});
const failed = (message: string) => ({ error: { message } });
const shot = (ts: number, n: number, page?: string): Loose => ({
  kind: "screenshot",
  ts,
  blob: BLOB(n),
  width: 800,
  height: 600,
  ...(page && { page }),
});
const bad = (ts: number, url: string, status = 500): Loose => ({
  kind: "network.response",
  ts,
  request_id: url,
  url,
  status,
  headers: [],
  duration_ms: 1,
});

test("an empty trace has a summary", () => {
  expect(summarise([])).toMatchObject({
    status: "passed",
    event_count: 0,
    failure: null,
    failure_signature: null,
    steps: [],
    filmstrip: [],
    first_seq: null,
    first_ts: null,
    started_at: null,
    duration_ms: 0,
    final_screenshot: null,
  });
});

test("counts, ends and duration come from the events where nobody says otherwise", () => {
  const summary = summarise([
    action(2_000, "a"),
    { kind: "console.error", ts: 1_000, text: "x" },
    { kind: "odd", ts: 5_000 },
  ]);
  expect(summary).toMatchObject({
    event_count: 3,
    error_count: 1,
    first_ts: 1_000,
    last_ts: 5_000,
    duration_ms: 4_000,
    first_seq: 0,
    last_seq: 2,
    started_at: "1970-01-01T00:00:01.000Z",
    counts: { "agent.action": 1, "console.error": 1, odd: 1 },
  });
  expect(summarise([action(2_000, "a")], { startedAt: 0, endedAt: 9_000 }).duration_ms).toBe(9_000);
});

test("a failed assertion makes the status where none was claimed, and a claimed one holds", () => {
  const events = [{ kind: "assertion", ts: 1, step_id: "a", ok: false, message: "no" }];
  expect(summarise(events).status).toBe("failed");
  expect(summarise(events, { claimedStatus: "passed" })).toMatchObject({ status: "passed", failure: null });
  expect(summarise([], { claimedStatus: "failed" }).failure).toMatchObject({ kind: "verdict", seq: null });
  expect(summarise(events, { claimedStatus: "aborted" }).failure?.message).toBe("no");
});

test("of nested failures the innermost is the failure, and the last one that failed decides", () => {
  const summary = summarise([
    action(10, "caught", failed("ignored")),
    action(20, "outer", failed("boom")),
    action(25, "inner", { parent_step_id: "outer", ...failed("boom") }),
    action(30, "after"),
  ]);
  expect(summary.failure).toMatchObject({ step_id: "inner", message: "boom", seq: 2 });
});

test("the runner's own error decides which failure explains the verdict", () => {
  const events = [
    action(10, "first", failed("Error: expect(a).toBe(b)\n\nExpected: 1\nReceived: 2")),
    action(20, "cleanup", failed("afterEach went wrong")),
  ];
  const named = summarise(events, {
    runnerErrors: [{ message: "expect(a).toBe(b)\n\nExpected: 1\nReceived: 2\n\n  12 | code" }],
  });
  expect(named.failure).toMatchObject({ step_id: "first", expected: "1", received: "2" });
  const other = summarise(events, {
    claimedStatus: "failed",
    runnerErrors: [{ message: "TypeError: x is undefined" }],
  });
  expect(other.failure).toMatchObject({
    kind: "runner",
    seq: null,
    step_id: null,
    message: "TypeError: x is undefined",
  });
  const late = summarise(events, { runnerErrors: [{ message: "Test timeout of 30000ms exceeded." }] });
  expect(late.failure?.step_id).toBe("cleanup");
});

const runnerError = (ts: number, text: unknown, more = {}) => ({
  kind: "console.error",
  ts,
  text,
  source: "runner",
  ...more,
});

test("what events say of the runner's error decides, where nobody else knows it", () => {
  const caught = action(10, "first", failed("ignored"));
  const stack = [{ file: "a.spec.ts", line: 7, column: 3 }];
  const events = [
    caught,
    runnerError(15, ""),
    runnerError(16, 7),
    runnerError(20, "TypeError: x is undefined\nCall log:\n  - waiting", { stack }),
    runnerError(30, "worker teardown failed"),
  ];
  const { failure, status, first_console_error } = summarise(events);
  expect(failure).toMatchObject({
    ...{ kind: "runner", seq: null, step_id: null, message: "TypeError: x is undefined", stack },
  });
  expect([status, first_console_error]).toEqual(["failed", null]);
  expect(summarise([caught, runnerError(20, "Error: ignored")]).failure?.step_id).toBe("first");
  expect(summarise([caught, runnerError(20, "x", { is_verdict: false })]).failure?.step_id).toBe("first");
  expect(summarise([caught, runnerError(20, "Test timeout of 3000ms exceeded.")]).failure?.step_id).toBe(
    "first",
  );
  expect(summarise(events, { runnerErrors: [{ message: "known better" }] }).failure?.message).toBe(
    "known better",
  );
  expect(summarise(events, { claimedStatus: "passed" }).failure).toBeNull();
});

test("the failure shows the page as it was when it had failed", () => {
  const summary = summarise([
    shot(100, 1, "p1"),
    shot(150, 2, "p2"),
    { kind: "assertion", ts: 200, duration_ms: 5_000, step_id: "a", ok: false, message: "no", page: "p1" },
    shot(3_000, 3, "p1"),
    shot(4_000, 4, "p2"),
    shot(6_000, 5, "p1"),
  ]);
  expect(summary.failure?.screenshot).toMatchObject({ blob: BLOB(3), ts: 3_000 });
  expect(summary.final_screenshot).toBe(BLOB(5));
  expect(summarise([action(1, "a", failed("x")), shot(900, 1)]).failure?.screenshot).toBeNull();
});

test("the bad response nearest before the failure is shown, not an unrelated one", () => {
  const events = [
    bad(10, "http://x/analytics", 403),
    bad(90, "http://x/api/pay"),
    bad(95, "http://x/favicon.ico", 404),
    action(100, "pay", failed("no receipt")),
    bad(500, "http://x/later"),
  ];
  expect(summarise(events).first_bad_request?.url).toBe("http://x/api/pay");
  expect(summarise(events, { claimedStatus: "passed" }).first_bad_request?.url).toBe("http://x/analytics");
  const request = {
    kind: "network.request",
    ts: 1,
    request_id: "http://x/p",
    method: "POST",
    url: "http://x/p",
    headers: [],
  };
  expect(summarise([request, bad(2, "http://x/p")]).first_bad_request?.method).toBe("POST");
});

test("the console error nearest before the failure is shown, the page's own words before the browser's", () => {
  const says = (ts: number, text: string, more = {}) => ({
    kind: "console.error",
    ts,
    step_id: "pay",
    text,
    ...more,
  });
  const events = [
    says(10, "recommendations are late"),
    says(80, "payment exploded"),
    says(90, "Failed to load resource: the server responded with a status of 500"),
    action(100, "pay", failed("no receipt")),
    says(101, "Error: no receipt", { source: "runner" }),
    says(500, "later"),
  ];
  expect(summarise(events).first_console_error?.text).toBe("payment exploded");
  expect(summarise(events.slice(2)).first_console_error?.text).toStartWith("Failed to load");
  expect(summarise(events, { claimedStatus: "passed" }).first_console_error?.text).toBe(
    "recommendations are late",
  );
});

test("steps carry title, parent, end and what went wrong in them", () => {
  const summary = summarise([
    action(0, "outer", { title: "Pay", duration_ms: 100 }),
    action(10, "inner", { parent_step_id: "outer", duration_ms: 50, ...failed("no\nsecond line") }),
    { kind: "console.error", ts: 20, step_id: "inner", text: "x" },
    bad(30, "http://x/a"),
    bad(90, "http://x/b"),
  ]);
  expect(summary.steps).toEqual([
    expect.objectContaining({
      step_id: "outer",
      parent_step_id: null,
      index: 1,
      title: "Pay",
      duration_ms: 100,
      status: "passed",
      bad_requests: 1,
    }),
    expect.objectContaining({
      step_id: "inner",
      parent_step_id: "outer",
      index: 2,
      status: "failed",
      error: "no",
      console_errors: 1,
      bad_requests: 1,
    }),
  ]);
});

test("an action that heals its step leaves it passed, an assertion's failure stays", () => {
  const [healed] = summarise([action(0, "a", failed("stale")), action(5, "a")]).steps;
  expect(healed).toMatchObject({ status: "passed" });
  expect(healed).not.toHaveProperty("error");
  const [soft] = summarise([
    { kind: "assertion", ts: 0, step_id: "a", ok: false, message: "no" },
    action(5, "a"),
  ]).steps;
  expect(soft).toMatchObject({ status: "failed", error: "no" });
});

test("however many steps there are, the failed one and its ancestors are listed", () => {
  const builder = createSummaryBuilder(meta());
  let seq = 0;
  const add = (event: Loose) => builder.add({ seq: seq++, ...event } as TraceEvent);
  for (let n = 0; n < 1_500; n++) add(action(n, `early${n}`));
  add(action(2_000, "outer"));
  for (let n = 0; n < 5_000; n++) add(action(3_000 + n, `middle${n}`, { parent_step_id: "outer" }));
  add(action(9_000, "broken", { parent_step_id: "outer", ...failed("no") }));
  for (let n = 0; n < 5_000; n++) add(action(10_000 + n, `late${n}`));
  const { steps, step_count, failure } = builder.finish();
  expect(failure?.step_id).toBe("broken");
  expect(steps).toHaveLength(MAX_SUMMARY_STEPS);
  expect(step_count).toBe(11_502);
  expect(steps.slice(-2).map((step) => step.step_id)).toEqual(["outer", "broken"]);
  expect(steps.at(-1)!.index).toBe(6_502);
});

test("the film strip is bounded, spread evenly, and has the first and the last picture", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 3_000 }), fc.constantFrom(1, 40, 1_000), (count, step) => {
      const strip = summarise(Array.from({ length: count }, (_, n) => shot(n * step, n))).filmstrip;
      expect(strip.length).toBeLessThanOrEqual(MAX_FILMSTRIP);
      expect(strip.length).toBeGreaterThanOrEqual(Math.min(count, MAX_FILMSTRIP / 2));
      expect(strip[0]!.ts).toBe(0);
      expect(strip.at(-1)!.ts).toBe((count - 1) * step);
      const gaps = strip.slice(1).map((one, at) => one.ts - strip[at]!.ts);
      const even = ((count - 1) * step) / (strip.length - 1 || 1);
      for (const gap of gaps) expect(gap).toBeLessThanOrEqual(even * 2.5 + step);
    }),
    { numRuns: 40 },
  );
});

test("every event is counted in its lane once, in a slice next to its time at most", () => {
  const times = fc.array(fc.integer({ min: 0, max: 10 ** 9 }), { minLength: 1, maxLength: 300 });
  fc.assert(
    fc.property(times, (list) => {
      const { lanes, first_ts, last_ts } = summarise(
        list.map((ts) => ({ kind: "console.log", ts, text: "x" })),
      );
      expect(lanes.console).toHaveLength(LANE_BUCKETS);
      expect(lanes.console.reduce((sum, n) => sum + n, 0)).toBe(list.length);
      const span = last_ts! - first_ts!;
      const exact = new Array<number>(LANE_BUCKETS).fill(0);
      for (const ts of list)
        exact[
          span === 0 ? 0 : Math.min(LANE_BUCKETS - 1, Math.floor(((ts - first_ts!) / span) * LANE_BUCKETS))
        ]! += 1;
      let [carried, wanted] = [0, 0];
      lanes.console.forEach((count, at) => {
        carried += count;
        wanted += exact[at]!;
        const nearby = (exact[at] ?? 0) + (exact[at + 1] ?? 0) + (exact[at - 1] ?? 0);
        expect(Math.abs(carried - wanted)).toBeLessThanOrEqual(nearby);
      });
    }),
  );
});

test("wild times neither hang nor break it", () => {
  const summary = summarise([
    action(0, "a"),
    action(Number.MAX_SAFE_INTEGER, "b"),
    action(-Number.MAX_SAFE_INTEGER, "c"),
  ]);
  expect(summary.event_count).toBe(3);
  expect(summary.started_at).toBeNull();
});

test("fields of the wrong type are survived", () => {
  const anything = fc.oneof(
    fc.string(),
    fc.integer(),
    fc.constant(null),
    fc.object(),
    fc.array(fc.string()),
    fc.boolean(),
  );
  const kinds = fc.constantFrom(
    "agent.action",
    "assertion",
    "console.error",
    "network.request",
    "network.response",
    "screenshot",
    "dom.mutation",
    "agent.thought",
  );
  const fields = fc.dictionary(
    fc.constantFrom(
      "step_id",
      "parent_step_id",
      "error",
      "message",
      "ok",
      "url",
      "status",
      "method",
      "text",
      "blob",
      "page",
      "stack",
      "duration_ms",
      "name",
      "title",
      "request_id",
      "expected",
    ),
    anything,
  );
  fc.assert(
    fc.property(fc.array(fc.tuple(kinds, fc.nat(10_000), fields), { maxLength: 30 }), (list) => {
      const summary = summarise(list.map(([kind, ts, more]) => ({ ...more, kind, ts })));
      expect(summary.event_count).toBe(list.length);
      JSON.stringify(summary);
    }),
  );
});
