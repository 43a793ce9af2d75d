const HOUR = 3_600_000;
const DAY = 24 * HOUR;

export interface Period {
  value: string;
  label: string;
  /** What the 30 bars of a histogram stand for. */
  bars: string;
  ms: number;
}

/** How far back failures are looked for; the third is meant when nothing is said. */
export const PERIODS = [
  { value: "24h", label: "Last 24 hours", bars: "48 minutes each", ms: DAY },
  { value: "7d", label: "Last 7 days", bars: "5.6 hours each", ms: 7 * DAY },
  { value: "", label: "Last 30 days", bars: "one day each", ms: 30 * DAY },
  { value: "90d", label: "Last 90 days", bars: "three days each", ms: 90 * DAY },
] as const satisfies Period[];
