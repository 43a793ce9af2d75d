import { expect, test } from "bun:test";
import fc from "fast-check";
import { flakinessOf, statisticsOf } from "../../../server/trace/histories/statistics.ts";

const verdict = fc.record({
  status: fc.constantFrom("passed", "failed", "error", "aborted"),
  code_sha: fc.constantFrom(null, "a", "b", "c"),
  duration_ms: fc.nat(10_000),
});
const runs = (text: string, code_sha: string | null = "a") =>
  [...text].map((letter) => ({
    status: letter === "p" ? "passed" : letter === "f" ? "failed" : "error",
    code_sha,
    duration_ms: 100,
  }));

test("the score is the share of changes among neighbours of one commit, whatever runs between them", () => {
  fc.assert(
    fc.property(fc.array(verdict, { maxLength: 40 }), (traces) => {
      let [pairs, flips] = [0, 0];
      for (const [index, trace] of traces.entries()) {
        const isVerdict = ({ status }: { status: string }) => status === "passed" || status === "failed";
        if (!isVerdict(trace) || trace.code_sha === null) continue;
        const next = traces.slice(index + 1).find((one) => isVerdict(one) && one.code_sha === trace.code_sha);
        if (!next) continue;
        pairs += 1;
        if (next.status !== trace.status) flips += 1;
      }
      const flakiness = flakinessOf(traces);
      expect(flakiness).toMatchObject({ pairs, flips, score: pairs === 0 ? null : flips / pairs });
      const byCommit = ["a", "b", "c"].flatMap((sha) => traces.filter(({ code_sha }) => code_sha === sha));
      expect(flakinessOf(byCommit)).toEqual(flakiness);
      expect(flakiness.flaky_commits).toBeLessThanOrEqual(flakiness.flips);
      expect(flakiness.flaky_commits === 0).toBe(flakiness.flips === 0);
    }),
  );
});

test("a commit that broke the scenario is no flake, one that breaks it now and then is", () => {
  expect(flakinessOf([...runs("ppp", "a"), ...runs("fff", "b")]).score).toBe(0);
  expect(flakinessOf(runs("pfpf"))).toEqual({ score: 1, flips: 3, pairs: 3, flaky_commits: 1 });
  expect(flakinessOf(runs("pfpf", null)).score).toBeNull();
  expect(flakinessOf(runs("pep")).score).toBe(0);
});

test("rates, durations and the streak are of the traces that have a verdict", () => {
  const slow = Array.from({ length: 4 }, () => ({ status: "passed", code_sha: "b", duration_ms: 150 }));
  const traces = [...runs("pppp"), ...slow, ...runs("ffe", "c")];
  expect(statisticsOf(traces)).toMatchObject({
    passed: 8,
    failed: 2,
    other: 1,
    pass_rate: 0.8,
    duration: { median_ms: 100, p95_ms: 150, trend: 1.5 },
    streak: { status: "failed", count: 2 },
  });
  expect(statisticsOf([])).toEqual({
    passed: 0,
    failed: 0,
    other: 0,
    pass_rate: null,
    flakiness: { score: null, flips: 0, pairs: 0, flaky_commits: 0 },
    duration: { median_ms: null, p95_ms: null, trend: null },
    streak: null,
  });
  expect(statisticsOf(runs("ppppp")).duration.trend).toBeNull();
});
