import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { StepSummary } from "../../server/trace/format/summary.ts";
import { percentText } from "../../viewer/pages/checks/availability.tsx";
import { valuesOf } from "../../viewer/pages/compare/values.ts";
import { guessSlug, SLUG } from "../../viewer/pages/list/uploads.ts";
import { readAddress, writeAddress } from "../../viewer/trace/model/address.ts";
import { ownLines } from "../../viewer/trace/model/failure-text.ts";
import { toTree } from "../../viewer/trace/model/step-tree.ts";
import { stepAt } from "../../viewer/trace/model/steps.ts";
import { TABS } from "../../viewer/trace/model/tabs.ts";
import { MOMENTS, VIEWS } from "../../viewer/trace/model/views.ts";
import { createScale, rulerStep } from "../../viewer/trace/timeline/scale.ts";
import { failureLine } from "../../viewer/ui/failure-line.ts";
import {
  formatBytes,
  formatClock,
  formatDate,
  formatDuration,
  formatOffset,
  percentDigits,
} from "../../viewer/ui/format.ts";
import { block, oneLine, pretty, reveal, safeHref } from "../../viewer/ui/text.ts";

describe("what both sides of a step expected and received", () => {
  test("stands without quotes on both where one of them has none", () => {
    const bare = { expected: "Order confirmed" };
    const quoted = { expected: '"Order confirmed"', received: '"Your \\"order\\""' };
    const received = 'Your "order"';
    expect(valuesOf(bare, quoted)).toEqual({ a: bare, b: { ...bare, received } });
    expect(valuesOf(quoted, bare)).toEqual({ a: { ...bare, received }, b: bare });
    expect(valuesOf(bare, { received: '"Your ord…' }).b).toEqual({ received: "Your ord…" });
  });

  test("keeps the quotes that tell a text from a number, a pattern or nothing", () => {
    for (const other of ["5", "/5/i", "undefined", "<element(s) not found>", '["5"]']) {
      const sides = { a: { expected: '"5"' }, b: { expected: other } };
      expect(valuesOf(sides.a, sides.b)).toEqual(sides);
    }
    expect(valuesOf(undefined, { expected: '"5"' }).b).toEqual({ expected: '"5"' });
  });
});

describe("captured text", () => {
  test("no control or direction character reaches the page", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        for (const character of reveal(text)) {
          const code = character.charCodeAt(0);
          const isControl = (code < 32 && code !== 9 && code !== 10) || code === 127;
          const isDirection = code === 0x200e || code === 0x200f || (code >= 0x202a && code <= 0x202e);
          expect(isControl || isDirection || (code >= 0x2066 && code <= 0x2069)).toBe(false);
        }
      }),
    );
    expect(reveal("a\u202eb\u0000c\td\ne")).toBe("a⟦202E⟧b␀c\td\ne");
  });

  test("rows are one line and short, blocks say how much is missing", () => {
    expect(oneLine("a\n\n  b")).toBe("a b");
    expect(oneLine("abcdef", 3)).toBe("abc…");
    expect(oneLine({ not: "text" })).toBe("[object Object]");
    expect(block("abcdef", 3)).toBe("abc\n… 3 more characters");
  });

  test("only http and https become links", () => {
    expect(safeHref("https://shop.test/a?b=1")).toBe("https://shop.test/a?b=1");
    for (const url of [
      "javascript:alert(1)",
      " javascript:alert(1)",
      "data:text/html,x",
      "vbscript:x",
      "/a",
      "x",
    ]) {
      expect(safeHref(url)).toBeNull();
    }
  });

  test("JSON is laid out, anything else left alone", () => {
    expect(pretty('{"a":[1]}')).toEqual({ text: '{\n  "a": [\n    1\n  ]\n}', json: true });
    expect(pretty("{not json")).toEqual({ text: "{not json", json: false });
  });

  test("a failed expectation is told by its values, or by what was looked for", () => {
    const values = 'expect(locator).toHaveText(expected) failed\n\nLocator: h1\nExpected: "a"\nReceived: "b"';
    expect(failureLine(values)).toBe('expected "a", received "b"');
    const missing =
      "expect(locator).toBeVisible() failed\n\nLocator: getByTestId('x')\nExpected: visible\nError: element(s) not found";
    expect(failureLine(missing)).toBe("toBeVisible: test id “x”, element(s) not found");
    expect(failureLine("Timeout 1200ms exceeded.")).toBe("Timeout 1200ms exceeded.");
  });

  test("beside what was expected and received, nothing of their difference stands again", () => {
    const message = `expect(locator).toMatchAriaSnapshot(expected) failed

Locator: getByRole('table')
- Expected  -   1
+ Received  +   2

  - table:
-   - row "Tea"
+   - row "Ink":`;
    const said = ["expect(locator).toMatchAriaSnapshot(expected) failed", "Locator: getByRole('table')"];
    expect(ownLines(message, true)).toEqual(said);
    expect(ownLines(message, false)).toContain("  - table:");
  });
});

test("figures are short and read at a glance", () => {
  expect([0, 640, 3240, 62_000, 3_840_000, 2_595_600_000, Number.NaN].map(formatDuration)).toEqual([
    "0 ms",
    "640 ms",
    "3.24 s",
    "1 m 02 s",
    "1 h 04 m",
    "30 d 1 h",
    "–",
  ]);
  expect([0, 812, 4100, 383_000_000, 999_600].map(formatBytes)).toEqual([
    "0 B",
    "812 B",
    "4.1 kB",
    "383 MB",
    "1.0 MB",
  ]);
  expect([0, 12_480, 62_500, -5].map(formatOffset)).toEqual(["0.000", "12.480", "1:02.500", "−0.005"]);
});

test("any file name gives a slug that ingest takes", () => {
  expect(guessSlug("checkout-trace (2).zip")).toBe("checkout");
  expect(guessSlug("Admin orders-trace.zip")).toBe("admin-orders");
  expect(guessSlug("trace.zip")).toBe("uploads");
  expect(guessSlug("nightly.tar.zst")).toBe("nightly");
  fc.assert(fc.property(fc.string({ unit: "binary" }), (name) => SLUG.test(guessSlug(name))));
});

test("the address says where the reader is, and reads back the same", () => {
  const address = fc.record({
    step: fc.option(fc.string({ minLength: 1 })),
    t: fc.option(fc.integer({ min: 0, max: 1e9 })),
    window: fc.option(fc.tuple(fc.integer({ min: 0, max: 1e6 }), fc.integer({ min: 1_000_001, max: 1e9 }))),
    tab: fc.option(fc.constantFrom(...TABS.map((tab) => tab.id))),
    event: fc.option(fc.integer({ min: 0, max: 1e9 })),
    view: fc.option(fc.constantFrom(...VIEWS)),
    moment: fc.option(fc.constantFrom(...MOMENTS)),
  });
  fc.assert(
    fc.property(address, (wanted) => {
      const params = new URLSearchParams();
      for (const [key, value] of Object.entries(writeAddress(wanted)))
        if (value !== null) params.set(key, value);
      expect(readAddress(new URLSearchParams(params.toString()))).toEqual(wanted);
    }),
  );
  const nonsense = new URLSearchParams("t=soon&w=9~3&tab=nothing&event=1e9&view=x&moment=later");
  const nothing = { step: null, t: null, window: null, tab: null, event: null, view: null, moment: null };
  expect(readAddress(nonsense)).toEqual(nothing);
});

const step = (id: string, parent: string | null, ts: number, duration: number): StepSummary => ({
  step_id: id,
  parent_step_id: parent,
  index: 1,
  title: id,
  kind: "agent.action",
  seq: 0,
  ts,
  duration_ms: duration,
  status: "passed",
  console_errors: 0,
  bad_requests: 0,
});

describe("steps", () => {
  const steps = [
    step("a", null, 0, 100),
    step("b", "a", 10, 20),
    step("c", "b", 12, 5),
    step("d", null, 200, 0),
  ];

  test("are nested, folded, and filtered with what they lie in", () => {
    const shape = (nodes: ReturnType<typeof toTree>) =>
      [...nodes].map((node) => [node.step.step_id, node.depth]);
    expect(shape(toTree(steps, new Set(), null))).toEqual([
      ["a", 0],
      ["b", 1],
      ["c", 2],
      ["d", 0],
    ]);
    expect(shape(toTree(steps, new Set(["a"]), null))).toEqual([
      ["a", 0],
      ["d", 0],
    ]);
    expect(shape(toTree(steps, new Set(["a"]), (one) => one.step_id === "c"))).toEqual([
      ["a", 0],
      ["b", 1],
      ["c", 2],
    ]);
  });

  test("that name each other or nobody as their parent do no harm", () => {
    const odd = [step("a", "b", 0, 1), step("b", "a", 1, 1), step("c", "c", 2, 1), step("d", "gone", 3, 1)];
    const ids = ["b", "a", "c", "d"];
    expect([...toTree(odd, new Set(), null)].map((node) => node.step.step_id)).toEqual(ids);
    expect([...toTree(odd, new Set(), () => true)].map((node) => node.step.step_id)).toEqual(ids);
  });

  test("are found by time: the innermost one under way, else the last that had begun", () => {
    expect([13, 25, 90, 150, 200].map((ts) => stepAt(steps, ts)?.step_id)).toEqual(["c", "b", "a", "c", "d"]);
    expect(stepAt(steps, -1)).toBeNull();
  });
});

test("the ruler's marks are round and never closer than asked", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1e9 }), fc.integer({ min: 1, max: 4000 }), (span, width) => {
      const scale = createScale(0, span, width);
      const distance = rulerStep(scale, 64);
      expect(scale.x(distance)).toBeGreaterThanOrEqual(63.99);
      expect(String(distance)).toMatch(/^[125]0*$/);
    }),
  );
});

describe("a percentage", () => {
  test("is 100 or 0 only where it is all or none", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1_000_000 }), fc.nat({ max: 1_000_000 }), (of, some) => {
        const part = Math.min(some, of);
        for (const round of [Math.round, Math.floor]) {
          const shown = Number(percentDigits((part / of) * 100, 0, round));
          expect([shown === 0, shown === 100]).toEqual([part === 0, part === of]);
        }
      }),
    );
  });

  test("has no more places than that takes", () => {
    expect([99.6, 99.96, 0.4, 0.04, 66.67, 50, 0, 100].map((percent) => percentDigits(percent))).toEqual([
      "99.6",
      "99.96",
      "0.4",
      "0.04",
      "67",
      "50",
      "0",
      "100",
    ]);
  });

  test("of a time that was up is never more than it was", () => {
    expect([99.9999999, 99.8999, 95, 0, null].map(percentText)).toEqual([
      "99.9999 %",
      "99.899 %",
      "95.00 %",
      "0.00 %",
      "–",
    ]);
  });
});

test("days and times of day are those of the reader's zone", () => {
  const before = process.env.TZ;
  process.env.TZ = "Asia/Kolkata";
  try {
    expect(formatClock("2026-03-01T22:15:04.050Z")).toBe("03:45:04.050");
    const second = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeZone: "UTC" });
    expect(formatDate("2026-03-01T22:15:04.050Z")).toBe(second.format(Date.parse("2026-03-02")));
    expect([formatClock("never"), formatDate("never")]).toEqual(["–", "–"]);
  } finally {
    process.env.TZ = before ?? "";
  }
});
