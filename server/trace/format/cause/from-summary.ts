import { oneLine } from "../error-text.ts";
import type { Summary } from "../summary.ts";
import { headlineOf, rankFindings } from "./rank.ts";
import type { Cause, Failed, Finding } from "./types.ts";

/** What of a summary a cause is told from. */
export type SummaryFacts = Pick<
  Summary,
  "failure" | "first_bad_request" | "first_console_error" | "steps" | "last_ts" | "last_seq"
>;

/** A cause as far as a summary alone tells it: for traces whose events nobody has looked through for one. */
export function causeOfSummary(summary: SummaryFacts): Cause {
  const { failure, first_bad_request: bad, first_console_error: logged, steps } = summary;
  if (!failure) return { failed_step: null, headline: null, suspects: [], also_when_passing: [] };
  const step = steps.find(({ step_id }) => step_id === failure.step_id);
  const ts = failure.ts ?? summary.last_ts ?? 0;
  const failed: Failed = {
    step: null,
    title: failure.title,
    message: failure.message,
    expected: failure.expected ?? null,
    received: failure.received ?? null,
    stack: failure.stack ?? [],
    from: step?.ts ?? ts,
    to: (step?.ts ?? ts) + (step?.duration_ms ?? 0),
  };
  const findings: Finding[] = [];
  const shared = { detail: null, is_new: null } as const;
  if (bad)
    findings.push({
      ...shared,
      kind: "request_failed",
      title: `${bad.method} ${addressOf(bad.url)} ${bad.status > 0 ? `was answered with ${bad.status}` : `failed${bad.error ? `: ${bad.error}` : ""}`}`,
      step_id: bad.step_id,
      events: [bad.seq],
      ts: bad.ts,
      weight: 0.6,
    });
  if (logged)
    findings.push({
      ...shared,
      kind: "console_error",
      title: `The console logged: ${oneLine(logged.text)}`,
      step_id: logged.step_id,
      events: [logged.seq],
      ts: logged.ts,
      weight: 0.5,
    });
  const seq = failure.seq ?? summary.last_seq;
  if (seq !== null)
    findings.push({
      ...shared,
      kind: "assertion",
      title: oneLine(failure.message.split("\n")[0] ?? "") || failure.title,
      detail: failure.message,
      step_id: failure.step_id,
      events: [seq],
      ts: null,
      weight: 0.3,
    });
  const { suspects, also_when_passing } = rankFindings(findings, failed);
  return {
    failed_step:
      failure.step_id === null ? null : { step_id: failure.step_id, title: step?.title ?? failure.title },
    headline: headlineOf(suspects, failed),
    suspects,
    also_when_passing,
  };
}

function addressOf(url: string): string {
  const parsed = URL.parse(url);
  return parsed ? `${parsed.host}${parsed.pathname}` : url;
}
