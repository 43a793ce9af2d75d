import type { MenderRow } from "../../../store/records/mender.ts";
import type { CaughtUp } from "../../run/playback/catch-up.ts";

/** A line of evidence with the trace that it is seen in. */
export interface KeptEvidence {
  text: string;
  trace_id: string | null;
  step_id: string | null;
  events: number[];
}

/** What was repeated to verify an attempt. */
export interface Verification {
  status: "running" | "passed" | "failed" | "not_possible";
  replay_id: string | null;
  trace_id: string | null;
  from_step: number;
  message: string | null;
  sent: CaughtUp["sent"];
  left_out: CaughtUp["left_out"];
  /** The same steps without a change; null where that was not tried. */
  unchanged: { replay_id: string; trace_id: string | null; outcome: "failed" | "passed" | "unknown" } | null;
}

export const MOST_KEPT_EVIDENCE = 24;

/** Of which nothing is known yet. */
export const blank = (from_step: number): Verification => ({
  status: "running",
  replay_id: null,
  trace_id: null,
  from_step,
  message: null,
  sent: [],
  left_out: [],
  unchanged: null,
});

export const verificationOf = ({ verification }: MenderRow): Verification =>
  verification === null ? blank(1) : (JSON.parse(verification) as Verification);

/** Of an attempt that has ended, whoever ended it: what was being repeated then was never heard of again. */
export const endedVerification = (row: Pick<MenderRow, "verification">, why: string): string | null => {
  const known = row.verification === null ? null : (JSON.parse(row.verification) as Verification);
  if (known?.status !== "running") return row.verification;
  return JSON.stringify({ ...known, status: "not_possible", message: why } satisfies Verification);
};

/** A line about the attempt's own trace. */
export const note = (text: string, row: Pick<MenderRow, "trace_id">): KeptEvidence => ({
  text,
  trace_id: row.trace_id,
  step_id: null,
  events: [],
});

/** Evidence with more lines, none of them twice; as JSON. */
export function withLines({ evidence }: Pick<MenderRow, "evidence">, lines: readonly KeptEvidence[]): string {
  const known = JSON.parse(evidence) as KeptEvidence[];
  const texts = new Set(known.map(({ text }) => text));
  return JSON.stringify(
    [...known, ...lines.filter(({ text }) => !texts.has(text))].slice(-MOST_KEPT_EVIDENCE),
  );
}
