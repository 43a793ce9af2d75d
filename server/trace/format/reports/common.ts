import { outcomeOf, type ReportedResult, type ReportedRun } from "../test-run.ts";

/** A report is none, or is not whole. The message goes on after "The report". */
export class ReportError extends Error {
  override name = "ReportError";
}

/** The first error of several with words in it, as it is told. */
export function errorOf(errors: readonly unknown[]): ReportedResult["error"] {
  for (const one of errors) {
    if (typeof one !== "object" || one === null) continue;
    const { message, stack, value } = one as Record<string, unknown>;
    const said = textOf(message) ?? textOf(value);
    if (said === null) continue;
    const trail = textOf(stack);
    return { message: said, ...(trail !== null && { stack: trail }) };
  }
  return null;
}

export const textOf = (value: unknown): string | null =>
  typeof value === "string" && value !== "" ? value : null;

export const statusOf = (status: unknown): ReportedResult["status"] =>
  status === "timedOut"
    ? "timed_out"
    : ((["passed", "failed", "interrupted", "skipped"] as const).find((one) => one === status) ??
      "interrupted");

export const expectedOf = (status: unknown): ReportedResult["expected"] =>
  status === "failed" || status === "skipped" ? status : "passed";

export function annotationsOf(annotations: unknown): ReportedResult["annotations"] {
  if (!Array.isArray(annotations)) return [];
  return annotations.flatMap((one: { type?: unknown; description?: unknown }) =>
    typeof one?.type === "string"
      ? [{ type: one.type.slice(0, 200), description: textOf(one.description)?.slice(0, 10_000) ?? null }]
      : [],
  );
}

export const millisecondsOf = (value: unknown): number =>
  typeof value === "number" && Number.isFinite(value) ? Math.max(0, Math.round(value)) : 0;

const keyOf = ({ project, file, title_path }: ReportedResult): string =>
  JSON.stringify([project, file, title_path]);

/** Attempts of one test that claim the same number get further ones, so that none takes the place of another. */
export function numberApart<Result extends ReportedResult>(results: readonly Result[]): Result[] {
  const taken = new Set<string>();
  return results.map((one) => {
    let { attempt } = one;
    while (taken.has(`${attempt} ${keyOf(one)}`)) attempt += 1;
    taken.add(`${attempt} ${keyOf(one)}`);
    return attempt === one.attempt ? one : { ...one, attempt };
  });
}

/** How a run did, by its tests. */
export function statusOfTests(results: readonly ReportedResult[]): ReportedRun["status"] {
  const tests = Map.groupBy(results, keyOf);
  return [...tests.values()].some((attempts) => outcomeOf(attempts) === "failed") ? "failed" : "passed";
}

export const countTests = (results: readonly ReportedResult[]): number => new Set(results.map(keyOf)).size;
