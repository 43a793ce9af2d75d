import { expect, test } from "bun:test";
import fc from "fast-check";
import type { TraceEvent } from "../../../../server/trace/format/event.ts";
import { codeBlock, codeSpan, text } from "../../../../server/trace/format/markdown.ts";
import { type ReportContext, renderReport } from "../../../../server/trace/format/report.ts";
import { createSummaryBuilder } from "../../../../server/trace/format/summary-builder.ts";
import { meta } from "./summary-fixture.ts";

const context: ReportContext = {
  shortId: "abcDEF123456",
  traceId: "0199aaaa-0000-7000-8000-000000000000",
  scenarioSlug: "checkout",
  source: "pr",
  codeSha: "4d07b3f",
  prNumber: 12,
  runId: null,
  region: null,
  statusReason: null,
  links: [
    { label: "Trace", url: "http://localhost:4173/traces/x" },
    { label: "Failed step", url: "http://localhost:4173/traces/x?step=pay" },
  ],
};

function report(events: TraceEvent[], title = "Checkout") {
  const builder = createSummaryBuilder(meta({ title }));
  for (const event of events) builder.add(event);
  return renderReport(
    builder.finish(),
    {
      around: events,
      badRequests: events.filter((event) => event.kind === "network.response"),
      consoleErrors: events.filter((event) => event.kind === "console.error"),
    },
    context,
  );
}

const failing = (hostile: string): TraceEvent[] => [
  { seq: 1, ts: 1_000, kind: "agent.action", step_id: "pay", name: hostile, params: {}, duration_ms: 5 },
  {
    seq: 2,
    ts: 1_500,
    kind: "network.response",
    request_id: "r",
    url: hostile,
    status: 503,
    headers: [],
    duration_ms: 1,
  },
  { seq: 3, ts: 1_600, kind: "console.error", text: hostile },
  {
    seq: 4,
    ts: 2_000,
    kind: "assertion",
    step_id: "total",
    ok: false,
    message: hostile,
    parent_step_id: "pay",
  },
];

test("it says what failed and where, what was around it, and where to look", () => {
  const markdown = report(failing("the total is wrong"));
  for (const said of [
    "# Checkout\n",
    "Status: **failed**",
    "the total is wrong › the total is wrong (`total`)",
    "## The timeline around it",
    "**failed here**",
    "## Failing requests",
    "nearest before the failure",
    "## Console errors",
    "<http://localhost:4173/traces/x?step=pay>",
  ])
    expect(markdown).toContain(said);
});

test("a passed run says so", () => {
  const markdown = report([
    { seq: 1, ts: 1, kind: "agent.action", step_id: "a", name: "Click", params: {}, duration_ms: 1 },
  ]);
  expect(markdown).toContain("Nothing failed.");
});

test("hostile text stays text: one h1, no HTML, no links or images but ours", () => {
  const hostile = fc.oneof(
    fc.string({ unit: "binary", maxLength: 80 }),
    fc.constantFrom(
      "<script>alert(1)</script>",
      "![x](http://evil/x.png)",
      "[click](javascript:alert(1))",
      "```\n# not a heading\n<img src=x>\n```",
      "# heading\n===\n",
      "a\n---\nb",
      "<http://evil>",
      "`` ` ``` ",
      "&lt;script&gt;",
      "\u202egnp.exe",
      "\\<script>",
      "- - -\n1. x",
      "~~~~\n</code>",
    ),
  );
  fc.assert(
    fc.property(hostile, (value) => {
      const markdown = report(failing(value), value);
      // Bun's own renderer stands for "any CommonMark reader".
      const html = Bun.markdown.html(markdown);
      expect(html.match(/<h1/g)).toHaveLength(1);
      expect(html).not.toMatch(/<(?:script|img|iframe|style|svg)/i);
      for (const [, href] of html.matchAll(/href="([^"]*)"/g))
        expect(href).toStartWith("http://localhost:4173/");
    }),
    { numRuns: 200 },
  );
});

test("a code span or block is not ended by what is in it", () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom("`", "a", " ", "~", "\n"), maxLength: 30 }), (value) => {
      expect(Bun.markdown.html(codeSpan(value)).match(/<code>/g) ?? []).toHaveLength(
        value.trim() === "" ? 0 : 1,
      );
      expect(Bun.markdown.html(codeBlock(value)).match(/<pre>/g)).toHaveLength(1);
    }),
  );
  expect(text("a*b_c _d_ (e) [f]")).toBe("a\\*b_c \\_d\\_ (e) \\[f\\]");
});
