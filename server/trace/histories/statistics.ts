/** How a run of a scenario ended, as far as the figures of a history ask. Oldest first wherever several are given. */
export interface Verdict {
  status: string;
  code_sha: string | null;
  duration_ms: number;
  /** It failed before it passed, on the same code. */
  is_flaky?: boolean;
}

/** How a scenario fared over the runs looked at. */
export interface Statistics {
  passed: number;
  failed: number;
  /** Ended in an error of the runner, or broke off: they say nothing about the code and count nowhere else. */
  other: number;
  /** Passed of passed and failed, 0 to 1; null without any. */
  pass_rate: number | null;
  flakiness: Flakiness;
  /** Of runs that passed; a failed one often lasts as long as a timeout. */
  duration: Durations;
  streak: { status: "passed" | "failed"; count: number } | null;
}

/**
 * Flakiness is how often the outcome changes although the code does not: for each commit its passed and failed runs
 * in order are taken, and of the neighbours among them those that differ are counted. A run that failed and then passed
 * when it was tried again is such a pair by itself, however often it was tried.
 * `score = flips / pairs`, 0 (never) to 1 (at every run), null when no commit ran twice. Runs without a commit cannot
 * tell a change of code from chance and form no pair. Runs of other commits in between (pull requests side by side)
 * make no difference.
 */
export interface Flakiness {
  score: number | null;
  flips: number;
  pairs: number;
  /** Commits on which the scenario both passed and failed. */
  flaky_commits: number;
}

export interface Durations {
  median_ms: number | null;
  p95_ms: number | null;
  /** The median of the newer half against that of the older half: 1.2 is a fifth slower. Null below six traces. */
  trend: number | null;
}

const LEAST_FOR_TREND = 6;

/** @param traces finished traces of one scenario, oldest first */
export function statisticsOf(traces: readonly Verdict[]): Statistics {
  const verdicts = traces.filter(isVerdict);
  const passed = verdicts.filter(({ status }) => status === "passed");
  return {
    passed: passed.length,
    failed: verdicts.length - passed.length,
    other: traces.length - verdicts.length,
    pass_rate: verdicts.length === 0 ? null : passed.length / verdicts.length,
    flakiness: flakinessOf(traces),
    duration: durationsOf(passed.map(({ duration_ms }) => duration_ms)),
    streak: streakOf(verdicts),
  };
}

/** @param traces oldest first */
export function flakinessOf(traces: readonly Verdict[]): Flakiness {
  const ofCommits = traces.filter((trace) => isVerdict(trace) && trace.code_sha !== null);
  let [flips, pairs, flaky_commits] = [0, 0, 0];
  for (const runs of Map.groupBy(ofCommits, ({ code_sha }) => code_sha).values()) {
    const flaky = runs.filter(({ is_flaky }) => is_flaky).length;
    pairs += runs.length - 1 + flaky;
    flips +=
      runs.filter(({ status }, index) => index > 0 && status !== runs[index - 1]!.status).length + flaky;
    if (flaky > 0 || new Set(runs.map(({ status }) => status)).size > 1) flaky_commits += 1;
  }
  return { score: pairs === 0 ? null : flips / pairs, flips, pairs, flaky_commits };
}

function durationsOf(durations: readonly number[]): Durations {
  const half = durations.length >> 1;
  const [older, newer] = [median(durations.slice(0, half)), median(durations.slice(-half))];
  const hasTrend = durations.length >= LEAST_FOR_TREND && older !== null && newer !== null && older > 0;
  return {
    median_ms: median(durations),
    p95_ms: percentile(durations, 0.95),
    trend: hasTrend ? newer / older : null,
  };
}

function streakOf(verdicts: readonly Verdict[]): Statistics["streak"] {
  const last = verdicts.at(-1);
  if (!last) return null;
  const before = verdicts.findLastIndex(({ status }) => status !== last.status);
  return { status: last.status as "passed" | "failed", count: verdicts.length - 1 - before };
}

const isVerdict = ({ status }: Verdict) => status === "passed" || status === "failed";

const median = (values: readonly number[]) => percentile(values, 0.5);

/** The nearest rank: a duration that a trace really had. */
function percentile(values: readonly number[], share: number): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? null;
}
