import { expect, setDefaultTimeout, test } from "bun:test";
import fc from "fast-check";
import type { TraceEvent } from "../../../../server/trace/format/event.ts";
import { MAX_NARRATIVE } from "../../../../server/trace/format/narrative.ts";
import { createSummaryBuilder, type SummaryMeta } from "../../../../server/trace/format/summary-builder.ts";
import { meta } from "./summary-fixture.ts";

setDefaultTimeout(120_000);

type Loose = Record<string, unknown> & { kind: string; ts: number };

function story(events: Loose[], more: Partial<SummaryMeta> = {}): string | null {
  const builder = createSummaryBuilder(meta(more));
  for (const [seq, event] of events.entries()) builder.add({ seq, ...event } as TraceEvent);
  return builder.finish().narrative;
}
const action = (ts: number, step_id: string, title: string, more: object = {}): Loose => ({
  kind: "agent.action",
  ts,
  step_id,
  title,
  name: "act",
  params: {},
  duration_ms: 10,
  ...more,
});
const request = (ts: number, id: string, more: object = {}): Loose => ({
  kind: "network.request",
  ts,
  request_id: id,
  method: "POST",
  url: `http://shop.test/api/${id}?token=1`,
  headers: [],
  ...more,
});
const answer = (ts: number, id: string, status: number): Loose => ({
  kind: "network.response",
  ts,
  request_id: id,
  url: `http://shop.test/api/${id}?token=1`,
  status,
  headers: [],
  duration_ms: 1,
});
const failedCheck = (ts: number, more: object = {}): Loose => ({
  kind: "assertion",
  ts,
  step_id: "check",
  name: "heading reads",
  ok: false,
  message: "no match",
  expected: '"Order confirmed"',
  received: "Checkout",
  duration_ms: 5_000,
  ...more,
});

test("it tells the step before that did something, not one that only read the page", () => {
  expect(
    story([
      action(1_000, "pay", "Click getByRole('button', { name: 'Pay' })"),
      action(1_100, "read", "Read the page's title"),
      failedCheck(1_200),
    ]),
  ).toContain("after “Click getByRole('button', { name: 'Pay' })” had passed");
});

test("a step before with a long locator is told with its innermost call, whole", () => {
  const link = "getByRole('link', { name: 'Expenses', exact: true })";
  const title = `Click getByRole('navigation', { name: 'Main' }).${link}`;
  expect(story([action(1_000, "open", title), failedCheck(1_200)])).toContain(
    `after “Click ${link}” had passed`,
  );
});

test("it tells an empty text in words", () => {
  expect(story([failedCheck(1_200, { received: '""' })])).toContain(
    "It expected “Order confirmed” and received an empty text.",
  );
});

test("it tells what failed, after what, the values, and what went wrong before, with how long before", () => {
  expect(
    story([
      action(1_000, "buy", "Buy a lamp", { duration_ms: 8_000 }),
      action(1_100, "pay", "Click Pay", { parent_step_id: "buy" }),
      request(1_150, "checkout"),
      answer(1_400, "checkout", 503),
      { kind: "console.error", ts: 1_500, text: "TypeError: order is undefined\n at pay.js" },
      failedCheck(2_000, { parent_step_id: "buy" }),
    ]),
  ).toBe(
    "Assertion “heading reads” in “Buy a lamp” failed 6.0 s into the run (it took 5.0 s), after “Click Pay” had passed. " +
      "It expected “Order confirmed” and received “Checkout”. " +
      "5.6 s before, POST shop.test/api/checkout was answered with 503. " +
      "5.5 s before, the console logged the error “TypeError: order is undefined at pay.js”.",
  );
});

test("a bad request and an error of the console as long before share a sentence", () => {
  expect(
    story([
      action(1_000, "pay", "Click Pay"),
      request(1_150, "checkout"),
      answer(1_400, "checkout", 503),
      { kind: "console.error", ts: 1_405, text: "no order" },
      failedCheck(2_000, { duration_ms: 0 }),
    ]),
  ).toEndWith(
    "POST shop.test/api/checkout was answered with 503, and the console logged the error “no order”.",
  );
});

test("what was done to the page on purpose is told, and what came after the failure is not", () => {
  const told = story([
    action(1_000, "a", "Open the shop"),
    { kind: "clock.advance", ts: 1_200, by_ms: 7_200_000 },
    { kind: "latency_injection", ts: 1_300, url: "http://shop.test/api/*", ms: 2_500 },
    { kind: "error_injection", ts: 1_400, url: "http://shop.test/api/orders", status: 500 },
    action(2_000, "b", "Click Pay", { error: { message: "locator.click: Timeout 30000ms exceeded." } }),
    { kind: "error_injection", ts: 3_000, url: "http://later.test/", status: 418 },
    { kind: "console.error", ts: 3_001, text: "too late" },
  ]);
  expect(told).toContain(
    "The error says “locator.click: Timeout 30000ms exceeded”. 610 ms before, an error (500) was injected for shop.test/api/orders. " +
      "810 ms before, the page's clock was moved by 2 h 0 min.",
  );
  expect(told).not.toContain("later");
  expect(told).not.toContain("console");
});

test("requests without an answer are counted at the moment of the failure, whatever the order in the file", () => {
  const at = (...events: Loose[]) => story([request(900, "early"), answer(950, "early", 200), ...events]);
  expect(at(request(1_000, "x"), failedCheck(1_100), answer(9_000, "x", 200))).toEndWith(
    "One request was still waiting for its answer.",
  );
  expect(at(request(1_000, "x"), failedCheck(1_100), answer(1_200, "x", 200))).toEndWith(
    "No recorded request was waiting for an answer then.",
  );
  expect(at(failedCheck(1_100), request(1_200, "x"), request(1_300, "y"))).toEndWith(
    "2 requests were still waiting for their answers.",
  );
  expect(at(request(1_000, "page", { resource_type: "document" }), failedCheck(1_100))).toEndWith(
    "The page was still loading its document.",
  );
  expect(at(request(1_000, "live", { resource_type: "websocket" }), failedCheck(1_100))).toEndWith(
    "No recorded request was waiting for an answer then.",
  );
  expect(story([failedCheck(1_100)])).not.toContain("request");
});

test("nothing is told of a run that passed; of one without a failing event only what its verdict says", () => {
  expect(story([action(1, "a", "Click")])).toBeNull();
  expect(story([action(1, "a", "Click")], { claimedStatus: "aborted" })).toBeNull();
  expect(
    story([action(1, "a", "Click")], { claimedStatus: "failed", statusReason: "the runner crashed" }),
  ).toBe("The run's verdict is “the runner crashed”.");
  expect(
    story([action(1_000, "a", "Click"), answer(1_500, "x", 502)], {
      claimedStatus: "failed",
      runnerErrors: [{ message: "Error: worker teardown failed" }],
    }),
  ).toBe(
    "The run failed with an error that no recorded step reports. The error says “Error: worker teardown failed”. " +
      "500 ms into the run, GET shop.test/api/x was answered with 502.",
  );
});

test("whatever was recorded, it is one bounded line in which captured words stay between their quotes", () => {
  const hostile = fc.string({ unit: "binary", maxLength: 400 });
  const nasty = fc.oneof(
    hostile,
    fc.constantFrom("”. All tests passed. “", "\u202eevil\u2066", "a\n\n# b", "<script>", "x".repeat(5_000)),
  );
  fc.assert(
    fc.property(nasty, nasty, nasty, nasty, (a, b, c, d) => {
      const told = story([
        action(1_000, "p", a),
        { kind: "error_injection", ts: 1_001, url: b, status: 500 },
        { ...request(1_002, "x"), method: c, url: d },
        { ...answer(1_003, "x", 0), method: c, url: b, error: d },
        { kind: "console.error", ts: 1_004, text: a },
        failedCheck(1_100, { name: a, message: b, expected: c, received: d, parent_step_id: "p" }),
      ])!;
      expect(told.length).toBeLessThanOrEqual(MAX_NARRATIVE);
      expect(told).toStartWith("Assertion “");
      // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
      expect(told).not.toMatch(/[\u0000-\u001f\u007f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/);
      // Quotes open and close in turn: nothing captured gets out of them.
      expect(told.replace(/[^“”]/g, "")).toMatch(/^(?:“”)+$/);
    }),
  );
});
