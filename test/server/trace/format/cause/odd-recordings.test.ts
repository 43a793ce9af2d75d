import { expect, test } from "bun:test";
import fc from "fast-check";
import { attemptTelling } from "../../../../../server/trace/format/cause/attempt.ts";
import { findCause } from "../../../../../server/trace/format/cause/find-cause.ts";
import { sharedCause } from "../../../../../server/trace/format/cause/shared.ts";
import type { TraceEvent } from "../../../../../server/trace/format/event.ts";
import { causeOf, click, evidenceIn, exchange, failing, page, passing, run, save } from "./run.ts";

const JSON_ANSWER = {
  media_type: "application/json",
  request: { body: '{"name":"Ann","day":"2026-03-01"}' },
};

const order = (status: number, body: string) => [
  ...exchange("/checkout", {
    ts: 100,
    media_type: "text/html",
    resource_type: "document",
    body: "<h1>Checkout</h1>",
    headers: [{ name: "Set-Cookie", value: "session=a; Max-Age=60; SameSite=Lax" }],
  }),
  {
    kind: "console.error",
    ts: 200,
    text: "TypeError: x is undefined",
    stack: "at pay (http://shop.example/app.js:1:2)",
  },
  click("Fill \"Ann\" getByLabel('Name')", {
    ts: 1_000,
    name: "page.fill",
    params: { selector: 'internal:label="Name"i', value: "Ann" },
  }),
  save({ ts: 2_000 }),
  ...exchange("/api/orders?page=1&sort=name", { ts: 2_010, method: "POST", status, body, ...JSON_ANSWER }),
];

const FORM = '<form><label>Name <input name="name" value="Ann"></label><button>Save</button></form>';
const FAILED = run(
  ...order(500, '{"error":"ledger unavailable","at":"2026-03-01T10:00:00Z"}'),
  failing(),
  page(`<h1>Checkout</h1>${FORM}<p role="alert">Try again</p>`),
);
const PASSED = run(
  ...order(201, '{"id":"o-1","total":12.5,"items":[{"id":1,"name":"Tea"},{"id":2,"name":"Cup"}]}'),
  passing(),
  page(`<h1>Thank you</h1>${FORM}`),
);

test("a part of the engine that throws costs what it would have found, and nothing else", () => {
  const evidence = evidenceIn([], FAILED, PASSED);
  const whole = findCause(evidence);
  expect(whole.headline).toStartWith("POST /api/orders");
  Object.defineProperty(evidence.run.facts, "stored", {
    get() {
      throw new Error("nobody foresaw this");
    },
  });
  const faults = new Set<unknown>();
  const attempt = attemptTelling((error) => faults.add(error));
  const cause = findCause(evidence, attempt);
  expect(cause.headline).toBe(whole.headline);
  expect(sharedCause(cause, evidence, attempt).suspects).toHaveLength(cause.suspects.length);
  expect(faults.size).toBeGreaterThan(0);
  expect(() => findCause(evidence)).toThrow("nobody foresaw this");
});

/** Values that a hostile or broken recorder may write in the place of any other. */
const odd = fc.oneof(
  fc.constantFrom<unknown>(
    ...[null, "", 0, -1, 1e308, 9e15, 8.64e15 + 1, 0.1, true, [], [null], {}, { a: null }],
    ...[
      "\0",
      "%E0%A4%A",
      "http://[::1",
      "//",
      "data:,",
      "about:blank",
      "[a-",
      "(((",
      "$&",
      "\\",
      "{",
      "null",
      "1e999",
    ],
    ...[
      "__proto__",
      "constructor",
      "2026-13-45T99:99:99Z",
      "+275760-09-13T00:00:00.001Z",
      "a=b; expires=foo",
    ],
    ...[
      "internal:role=button[name=",
      "getByRole('button', { name: /(/ })",
      "\ud800",
      "&#x110000;",
      "a".repeat(5_000),
    ],
  ),
  fc.string({ unit: "binary", maxLength: 60 }),
  fc.double(),
  fc.json(),
);

interface Change {
  at: number;
  path: number[];
  value: unknown;
  /** Else the value is put into the text that stands there. */
  isWhole: boolean;
}

const change: fc.Arbitrary<Change> = fc.record({
  at: fc.nat(),
  path: fc.array(fc.nat(), { minLength: 1, maxLength: 4 }),
  value: odd,
  isWhole: fc.boolean(),
});

/** The value with another one at a place that the path leads to. */
function changed(value: unknown, [step, ...path]: number[], one: Pick<Change, "value" | "isWhole">): unknown {
  if (step !== undefined && typeof value === "object" && value !== null) {
    const names = Object.keys(value);
    const name = names[step % names.length];
    if (name === undefined) return one.value;
    const inside = changed((value as Record<string, unknown>)[name], path, one);
    return Array.isArray(value) ? value.with(Number(name), inside) : { ...value, [name]: inside };
  }
  if (one.isWhole || typeof value !== "string" || step === undefined) return one.value;
  const at = step % (value.length + 1);
  return `${value.slice(0, at)}${String(one.value)}${value.slice(at)}`;
}

/** Events as the server lets them in: with a number, a time and a kind. */
function withChanges(events: TraceEvent[], changes: Change[]): TraceEvent[] {
  const out = [...events];
  for (const one of changes) {
    const at = one.at % out.length;
    const { seq, kind, ts, ...rest } = out[at]!;
    out[at] = { ...(changed(rest, one.path, one) as object), seq, kind, ts } as TraceEvent;
  }
  return out;
}

test("whatever stands in the events of a run and of its pass, no part of the engine throws", () => {
  const changes = fc.array(change, { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(changes, changes, fc.boolean(), (mine, theirs, isAlone) => {
      const failed = withChanges(FAILED, mine);
      const { headline } = isAlone ? causeOf(failed) : causeOf(failed, withChanges(PASSED, theirs));
      expect(headline).toBeString();
    }),
  );
}, 30_000);
