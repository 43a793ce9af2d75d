import type { TestRow, TracedAttempt } from "../../../store/records/test-run-tests.ts";
import { headline } from "../format/error-text.ts";

/** The attempt that tells why a test failed: the last that did not end as it should. Null for a test that did not fail. */
export function failedAttempt(
  test: Pick<TestRow, "outcome" | "expected">,
  attempts: readonly TracedAttempt[],
): TracedAttempt | null {
  if (test.outcome !== "failed" && test.outcome !== "flaky") return null;
  const isMiss = ({ status }: TracedAttempt) =>
    status !== test.expected && status !== "skipped" && status !== "interrupted";
  return attempts.findLast(isMiss) ?? null;
}

/** Why a test failed, in one line: its cause as its trace tells it, else the first line of its error. Null for one that did not. */
export function headlineOf(
  test: Pick<TestRow, "outcome" | "expected">,
  attempts: readonly TracedAttempt[],
): string | null {
  const attempt = failedAttempt(test, attempts);
  if (!attempt) return null;
  const said = attempt.trace_headline ?? attempt.trace_message ?? attempt.error_message;
  if (said !== null && said.trim() !== "") return headline(said.trim());
  return attempt.status === "passed" ? "Expected to fail, but passed." : null;
}
