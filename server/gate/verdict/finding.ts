/** What the run of a gate's scenario tells. */
export interface Finding {
  outcome: "passed" | "failed" | "error";
  /** Whether the gate fails because of it. */
  blocks: boolean;
  run_id: string;
  trace_id: string | null;
  duration_ms: number;
  /** Why it failed, in one sentence; of an error what is ours. */
  headline: string | null;
  /** Why it was an error, in one word; `timeout` is told apart. */
  error_reason: string | null;
  failed_step: { step_id: string; title: string; path: string; line: number } | null;
  failure_signature: string | null;
  last_pass: { trace_id: string; duration_ms: number } | null;
  /** What this run has and the compared pass has not, best first. */
  differs: string[];
  /** Why the failure is not laid to the commit, or what else is known of it. */
  known: Known[];
}

/** What is known of a failure beside this gate. */
export interface Known {
  kind: "production" | "base" | "flaky";
  /** Whether it is the same failure: then it is not laid to the commit. */
  is_same: boolean;
  /** One sentence. */
  text: string;
  run_id: string | null;
  incident_id: string | null;
}

/** How a scenario stands in the verdict. */
export interface Standing {
  slug: string;
  withheld: string | null;
  finding: Finding | null;
}

/**
 * The verdict of scenarios whose runs have all ended; null while one goes on. A failure that is laid to the commit outweighs a fault
 * of ours, and what could not be run is no pass.
 */
export function verdictOf(
  standings: readonly Standing[],
): { status: "passed" | "failed" | "error"; reason: string } | null {
  if (standings.some(({ withheld, finding }) => withheld === null && finding === null)) return null;
  const found = standings.flatMap(({ finding }) => finding ?? []);
  const blocking = found.filter(({ blocks }) => blocks);
  const broken = found.filter(({ outcome }) => outcome === "error");
  const withheld = standings.filter((one) => one.withheld !== null);
  const known = found.filter(({ outcome, blocks }) => outcome === "failed" && !blocks);
  const all = counted(standings.length, "scenario");
  if (blocking.length > 0)
    return {
      status: "failed",
      reason: `${blocking.length} of ${all} ${blocking.length === 1 ? "fails" : "fail"}.`,
    };
  if (broken.length > 0)
    return {
      status: "error",
      reason: `${broken.length} of ${all} could not be run to ${broken.length === 1 ? "its" : "their"} end: that is no fault of the commit.`,
    };
  if (withheld.length > 0)
    return {
      status: "failed",
      reason: `${withheld.length} of ${all} could not be run. ${withheld[0]!.withheld}`,
    };
  if (known.length > 0)
    return {
      status: "passed",
      reason: `Nothing new fails: ${known.length} of ${all} failed already without this change.`,
    };
  return { status: "passed", reason: `${all} ${standings.length === 1 ? "passes" : "pass"}.` };
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;
