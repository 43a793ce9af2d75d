import type { Change, Outcome, TestOfRun } from "./api.ts";

/** What the tests are narrowed to; "" for all. */
export interface TestChoice {
  outcome: Outcome | "";
  change: Change | "";
  project: string;
  tag: string;
  q: string;
}

export interface FileGroup {
  file: string;
  tests: TestOfRun[];
}

export const isNarrowed = (choice: TestChoice): boolean =>
  Object.values(choice).some((value) => value !== "");

export function matches(test: TestOfRun, choice: TestChoice): boolean {
  if (choice.outcome !== "" && test.outcome !== choice.outcome) return false;
  if (choice.change !== "" && test.change !== choice.change) return false;
  if (choice.project !== "" && test.project !== choice.project) return false;
  if (choice.tag !== "" && !test.tags.includes(choice.tag)) return false;
  const text = [test.file, ...test.title_path, test.project].join(" ").toLowerCase();
  return choice.q
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/** Tests by their file; those that failed come first within it, else they keep their order. */
export function groupByFile(tests: readonly TestOfRun[]): FileGroup[] {
  const groups = Map.groupBy(tests, ({ file }) => file);
  return [...groups].map(([file, own]) => ({
    file,
    tests: own.toSorted((a, b) => weightOf(a) - weightOf(b)),
  }));
}

const weightOf = ({ outcome }: TestOfRun): number => (outcome === "failed" ? 0 : outcome === "flaky" ? 1 : 2);

/** Where a test's row leads: to the trace of the attempt that failed last, else of the last that has one. */
export function traceOf(test: TestOfRun): string | null {
  const traced = test.attempts.filter(({ trace_id }) => trace_id !== null);
  const isBad = ({ status }: TestOfRun["attempts"][number]) => status === "failed" || status === "timed_out";
  const wanted = test.outcome === "failed" || test.outcome === "flaky" ? traced.findLast(isBad) : undefined;
  return (wanted ?? traced.at(-1))?.trace_id ?? null;
}

/** Of those that ran, the slowest first. */
export const slowest = (tests: readonly TestOfRun[], most: number): TestOfRun[] =>
  tests
    .filter(({ outcome, duration_ms }) => outcome !== "skipped" && outcome !== "not_run" && duration_ms > 0)
    .toSorted((a, b) => b.duration_ms - a.duration_ms)
    .slice(0, most);

/** Every value of a kind, in order. */
export const valuesOf = (tests: readonly TestOfRun[], of: (test: TestOfRun) => readonly string[]): string[] =>
  [...new Set(tests.flatMap(of))].filter((value) => value !== "").sort();
