import { expect, test } from "bun:test";
import fc from "fast-check";
import { headlineOf, rankFindings } from "../../../../../server/trace/format/cause/rank.ts";
import {
  CAUSE_KINDS,
  type Failed,
  type Finding,
  MAX_HEADLINE,
  MAX_SUSPECTS,
} from "../../../../../server/trace/format/cause/types.ts";
import { KNOWN_KINDS, type TraceEvent } from "../../../../../server/trace/format/event.ts";
import { causeOf, causeWithFiles, failing, page, run } from "./run.ts";

const text = fc.oneof(
  fc.string({ maxLength: 40 }),
  fc.string({ unit: "binary", maxLength: 400 }),
  fc.constantFrom("a\nb", ""),
);
const finding: fc.Arbitrary<Finding> = fc.record(
  {
    kind: fc.constantFrom(...CAUSE_KINDS),
    title: text,
    detail: fc.option(text),
    step_id: fc.option(fc.constantFrom("a", "b")),
    events: fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 30 }),
    ts: fc.option(fc.oneof(fc.integer(), fc.double())),
    is_new: fc.option(fc.boolean()),
    weight: fc.oneof(fc.double({ min: 0, max: 1, noNaN: true }), fc.constantFrom(Number.NaN, -1, 7)),
    about: fc.constantFrom("url /a", "url /b"),
    isOwn: fc.boolean(),
  },
  { requiredKeys: ["kind", "title", "detail", "step_id", "events", "ts", "is_new", "weight"] },
);
const failed: Failed = {
  step: null,
  title: "t",
  message: "m",
  expected: null,
  received: null,
  stack: [],
  from: 10,
  to: 20,
};

test("the order of the findings changes nothing; at most ten come out, ranked, each with an event", () => {
  fc.assert(
    fc.property(fc.array(finding, { maxLength: 40 }), fc.integer(), (findings, seed) => {
      const ranked = rankFindings(findings, failed);
      const shuffled = findings
        .map((one, at) => ({ one, key: Math.sin(seed + at) }))
        .sort((a, b) => a.key - b.key)
        .map(({ one }) => one);
      expect(rankFindings(shuffled, failed)).toEqual(ranked);
      expect(ranked.suspects.length).toBeLessThanOrEqual(MAX_SUSPECTS);
      ranked.suspects.forEach(({ rank, confidence, events, is_new }, at) => {
        expect(rank).toBe(at + 1);
        expect(confidence).toBeGreaterThanOrEqual(0);
        expect(confidence).toBeLessThanOrEqual(ranked.suspects[at - 1]?.confidence ?? 1);
        expect(events.length).toBeGreaterThan(0);
        expect(is_new).not.toBe(false);
      });
      const headline = headlineOf(ranked.suspects, failed);
      expect(headline.length).toBeLessThanOrEqual(MAX_HEADLINE);
      expect(headline).not.toMatch(/\n/);
      expect(headline).not.toBe("");
    }),
  );
});

const anything = fc.anything({ maxDepth: 2, withBigInt: false });
const url = fc.constantFrom(
  "http://a.example/x?b=1",
  "http://a.example/login",
  "ws://a.example/",
  "data:,x",
  "::",
  "/rel",
);
const event: fc.Arbitrary<Record<string, unknown>> = fc.record(
  {
    kind: fc.oneof(
      fc.constantFrom(...KNOWN_KINDS, "page.dialog", "page.popup", "page.download", "page.crash"),
      fc.string({ maxLength: 5 }),
    ),
    ts: fc.integer({ min: 0, max: 10_000 }),
    step_id: fc.oneof(fc.constantFrom("s1", "s2"), anything),
    page: fc.oneof(fc.constant("p"), anything),
    ok: fc.boolean(),
    title: fc.oneof(fc.string(), anything),
    message: fc.oneof(
      fc.constantFrom(
        "strict mode violation: x resolved to 2 elements",
        "net::ERR_FAILED at http://b.example/",
      ),
      anything,
    ),
    error: fc.oneof(fc.record({ message: fc.string() }), fc.string(), anything),
    log: fc.oneof(
      fc.array(
        fc.constantFrom("waiting for locator('x')", "element is not stable", "<a> intercepts pointer events"),
      ),
      anything,
    ),
    params: anything,
    stack: anything,
    expected: fc.oneof(fc.constantFrom("1,200.00", "2026-01-02", "12:00"), anything),
    received: fc.oneof(fc.constantFrom("1.200,00", "2026-01-03", "13:00"), anything),
    request_id: fc.oneof(fc.constantFrom("r1", "r2"), anything),
    method: fc.oneof(fc.constant("POST"), anything),
    url: fc.oneof(url, anything),
    status: fc.oneof(fc.constantFrom(200, 302, 401, 500), anything),
    headers: fc.oneof(
      fc.array(
        fc.record({ name: fc.constantFrom("Set-Cookie", "Cookie", "location", "age"), value: fc.string() }),
      ),
      anything,
    ),
    body: fc.oneof(fc.constantFrom('{"a":1}', '{"a":[2]}', '{"errors":[{}]}', "<h1>x</h1>"), anything),
    media_type: anything,
    duration_ms: fc.oneof(fc.integer(), anything),
    resource_type: fc.oneof(fc.constantFrom("script", "document", "fetch", "websocket"), anything),
    text: fc.oneof(
      fc.constantFrom("blocked by CORS policy", "WebSocket closed 1011", "TypeError: x"),
      anything,
    ),
    source: fc.oneof(fc.constantFrom("page", "stdout"), anything),
    location: anything,
    opcode: fc.oneof(fc.constant(8), anything),
    html: fc.oneof(fc.constantFrom("<p role=alert>Failed</p>", "<input aria-invalid=true>", "<b"), anything),
    cookies: anything,
    origins: anything,
  },
  { requiredKeys: ["kind", "ts"] },
);

test("no recorded event makes it throw, whatever its form, and a failure with an event always has a suspect", () => {
  const events = fc.array(event, { maxLength: 12 });
  const numbered = (list: Record<string, unknown>[]) =>
    list.map((one, at) => ({ ...one, seq: at + 1 }) as TraceEvent);
  fc.assert(
    fc.property(events, events, (mine, theirs) => {
      const cause = causeOf(numbered(mine), numbered(theirs));
      expect(cause.headline).not.toBeNull();
      expect(cause.headline!.length).toBeLessThanOrEqual(MAX_HEADLINE);
      expect(cause.headline).not.toMatch(/\n/);
      if (mine.length > 0) expect(cause.suspects[0]!.events.length).toBeGreaterThan(0);
      for (const { confidence } of cause.suspects) expect(confidence >= 0 && confidence <= 1).toBe(true);
      expect(JSON.parse(JSON.stringify(cause))).toEqual(cause);
    }),
    { numRuns: 200 },
  );
  // Thousands of runs: three seconds of a processor that is free.
}, 20_000);

test("moments that no calendar has leave a cause", () => {
  const name = "getByRole('heading', { name: 'May 2026' })";
  const wanted = {
    title: `Expect "toBeVisible" ${name}`,
    params: { selector: 'internal:role=heading[name="May 2026"i]' },
  };
  const message = "expect(locator).toBeVisible() failed\n\nError: element(s) not found";
  for (const ts of [8_640_000_000_000_001, 9_007_199_254_740_000, -9_007_199_254_740_000]) {
    const missed = failing({
      ...wanted,
      ts,
      name: "toBeVisible",
      message,
      expected: "visible",
      received: undefined,
    });
    const events = run(missed, page("<h1>July 2026</h1>", { ts }));
    const file = (day: string) => `await day.fill("${day}");\n`;
    const changed = [{ file: "a.spec.ts", now: file("2026-05-01"), before: file("2026-05-02") }];
    expect(causeWithFiles(changed, events, events).headline).not.toBe("");
    expect(causeOf(events).headline).not.toBe("");
  }
});

test("what one suspect tells of a better one is not said again", () => {
  const told = (title: string, weight: number): Finding => ({
    ...{ kind: "element_missing", title, detail: null, step_id: null, events: [1], ts: 15, is_new: true },
    weight,
  });
  const answer = "GET /flags answered “false” for “wizard”";
  const found = [told(answer, 0.9), told(`Amount was nowhere; ${answer}`, 0.5), told("Other; more", 0.4)];
  expect(rankFindings(found, failed).suspects.map(({ title }) => title)).toEqual([
    answer,
    "Amount was nowhere",
    "Other; more",
  ]);
});

test("a sentence that is too long is cut in a clause of which half is told, and else ends with the one before", () => {
  const told = (title: string): Finding => ({
    ...{ kind: "element_missing", title, detail: null, step_id: null, events: [1], ts: 15, is_new: true },
    weight: 0.9,
  });
  const titleOf = (title: string) => rankFindings([told(title)], failed).suspects[0]!.title;
  const first = `PATCH /users was never sent “${"a; ".repeat(60)}”`;
  const second = `it had “${"b".repeat(165)}” for “role”`;
  const { suspects } = rankFindings([told(`${first}; ${second}; ${"c ".repeat(200)}`)], failed);
  expect(suspects[0]!.title).toBe(`${first}; ${second}`);
  expect(headlineOf(suspects, failed)).toBe(first);
  expect(titleOf(`${first}; ${"c".repeat(250)}`)).toBe(`${first}; ${"c".repeat(399 - first.length - 2)}…`);
  expect(titleOf("d".repeat(500))).toBe(`${"d".repeat(399)}…`);
});
