import { outcomeOf, type ReportedResult, type ReportedRun } from "../test-run.ts";

/** A report is none, is not whole, or is past a cap (`bundle_bomb`). The message goes on after "The report". */
export class ReportError extends Error {
  override name = "ReportError";
  readonly kind: "bundle_unreadable" | "bundle_bomb";
  constructor(message: string, kind: ReportError["kind"] = "bundle_unreadable") {
    super(message);
    this.kind = kind;
  }
}

/** Tests and attempts of a report: each costs far more memory than the bytes that it can be told in. */
const MOST_ENTRIES = 300_000;

/** @param entries that have been read, one that comes included. @throws ReportError past the cap */
export function checkCount(entries: number): void {
  if (entries > MOST_ENTRIES)
    throw new ReportError(`tells of more than ${MOST_ENTRIES} tests and attempts.`, "bundle_bomb");
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
  typeof value === "number" && Number.isFinite(value)
    ? Math.min(Math.max(0, Math.round(value)), Number.MAX_SAFE_INTEGER)
    : 0;

const keyOf = ({ project, file, title_path }: ReportedResult): string =>
  JSON.stringify([project, file, title_path]);

/** As the API takes them. */
const LAST_ATTEMPT = 99_999;
const isAttempt = (attempt: number): boolean =>
  Number.isInteger(attempt) && attempt >= 1 && attempt <= LAST_ATTEMPT;

/** Attempts of one test that claim the same number get further ones, so that none takes the place of another. */
export function numberApart<Result extends ReportedResult>(results: readonly Result[]): Result[] {
  /** By test: after each number that is taken, where to look on. */
  const taken = new Map<string, Map<number, number>>();
  return results.map((one) => {
    const key = keyOf(one);
    const onwards = taken.get(key) ?? new Map<number, number>();
    taken.set(key, onwards);
    const passed: number[] = [];
    let attempt = isAttempt(one.attempt) ? one.attempt : 1;
    for (let next = onwards.get(attempt); next !== undefined; next = onwards.get(attempt)) {
      passed.push(attempt);
      attempt = next;
    }
    if (!isAttempt(attempt))
      throw new ReportError(`tells of a test with an attempt above ${LAST_ATTEMPT}.`, "bundle_bomb");
    // Whoever claims one of these next need not walk the same way: a walk each would be the square of the attempts.
    for (const each of [...passed, attempt]) onwards.set(each, attempt + 1);
    return attempt === one.attempt ? one : { ...one, attempt };
  });
}

/** How a run did, by its tests. */
export function statusOfTests(results: readonly ReportedResult[]): ReportedRun["status"] {
  const tests = Map.groupBy(results, keyOf);
  return [...tests.values()].some((attempts) => outcomeOf(attempts) === "failed") ? "failed" : "passed";
}

export const countTests = (results: readonly ReportedResult[]): number => new Set(results.map(keyOf)).size;
