import { expect, test } from "bun:test";
import fc from "fast-check";
import { duration } from "../../../../server/cli/output.ts";
import { counted, span } from "../../../../server/trace/format/words.ts";
import { formatDuration } from "../../../../viewer/ui/format.ts";
import { testApp } from "../../../helpers/app.ts";
import { eventLines, events } from "../../../helpers/bundles.ts";
import { getJson, uploadTrace } from "../../../helpers/traces.ts";

test("one of a kind is told in the singular, and thousands are kept apart", () => {
  expect([0, 1, 2, 1234567].map((count) => counted(count, "file"))).toEqual([
    "0 files",
    "1 file",
    "2 files",
    "1,234,567 files",
  ]);
  expect(counted(1, "body", "bodies")).toBe("1 body");
  expect(counted(2, "body", "bodies")).toBe("2 bodies");
});

test("no span of time is told as negative, or as thousands of minutes", () => {
  expect(span(5_341_600_000, String)).toBe("61 d 19 h");
  expect(span(3_840_000, String)).toBe("1 h 04 min");
  fc.assert(
    fc.property(fc.oneof(fc.double(), fc.integer(), fc.maxSafeInteger()), (ms) => {
      for (const told of [span(ms, () => "short"), duration(ms), formatDuration(ms)]) {
        if (!(ms >= 0) || !Number.isFinite(ms)) expect(told).toBe("–");
        else expect(told).not.toMatch(/[-−]\s*\d|NaN|Infinity|\d{3,} m/);
      }
    }),
  );
});

test("a trace that ends before it starts is taken with a warning, and nothing of it is told as negative", async () => {
  const app = await testApp();
  const { id } = await uploadTrace(app, {
    entries: [events(eventLines(1))],
    manifest: { started_at: "2026-03-05T00:00:00.000Z", ended_at: "2026-01-02T03:04:35.000Z" },
  });
  const trace = await getJson<{ duration_ms: number; warnings: string[] }>(app, `/v1/traces/${id}`);
  expect(trace.duration_ms).toBe(0);
  expect(trace.warnings).toEqual(["The end lies before the start, so the duration is told as 0."]);
  const report = await (await app.api(`/v1/traces/${id}/report.md`)).text();
  expect(report).toContain("- Duration: 0.000 s\n");
  expect(report).toContain("- Events: 1 event, 0 errors, 0 steps\n");
  expect(report).not.toMatch(/−\d|\d{3,} min/);
  await app.close();
});
