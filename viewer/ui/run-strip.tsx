import type { JSX } from "preact";
import { formatAgo, plural } from "./format.ts";
import { type Outcome, statusTone, statusWord } from "./status.tsx";
import { oneLine } from "./text.ts";

/** A finished run, as far as a strip shows it. */
export interface StripRun {
  id: string;
  status: Outcome;
  created_at: string;
  code_sha: string | null;
}

const CELL = 9;
const HEIGHT = 16;

/** Each outcome has a shape of its own: a pass stands low, a failure high; an error is high and hollow, what was broken off low. */
const SHAPES: Partial<Record<Outcome, string>> = {
  passed: "M1.5 15V9.5h5V15z",
  failed: "M1.5 15V1h5v14z",
  error: "M2 14.5V1.5h4v13z",
  flaky: "M1.5 15V9.5h5V15zM1.5 7.5V1h5v6.5z",
  skipped: "M1.5 15v-1.5h5V15z",
  not_run: "M1.5 15v-1.5h5V15z",
  aborted: "M2 14.5V10h4v4.5z",
};
const FILLED: readonly Outcome[] = ["passed", "failed", "flaky", "skipped", "not_run"];

/** What a run was, in words. */
export function runWords(run: StripRun, now: number): string {
  const commit = run.code_sha === null ? "" : `, commit ${oneLine(run.code_sha, 40).slice(0, 8)}`;
  return `${statusWord(run.status)}${commit}, ${formatAgo(run.created_at, now)}`;
}

export function RunMark({ status }: { status: Outcome }): JSX.Element {
  return (
    <path
      class={`run-mark ${statusTone(status)}${FILLED.includes(status) ? " is-filled" : ""}`}
      d={SHAPES[status] ?? "M1.5 15v-2h5v2z"}
    />
  );
}

/** The last runs of a scenario as one picture, the newest on the right. `runs` come newest first. */
export function RunStrip({
  runs,
  current,
  most = 30,
}: {
  runs: readonly StripRun[];
  /** The run that the page shows. */
  current?: string | undefined;
  most?: number;
}): JSX.Element {
  const shown = runs.slice(0, most).toReversed();
  const failed = shown.filter(({ status }) => status === "failed").length;
  const passed = shown.filter(({ status }) => status === "passed" || status === "flaky").length;
  const flaky = shown.filter(({ status }) => status === "flaky").length;
  const now = Date.now();
  const at = shown.findIndex(({ id }) => id === current);
  return (
    <svg
      class="run-strip"
      role="img"
      aria-label={`Last ${plural(shown.length, "run")}: ${passed} passed, ${failed} failed${flaky > 0 ? `, ${flaky} flaky` : ""}`}
      width={shown.length * CELL}
      height={HEIGHT}
    >
      {at >= 0 && <rect class="run-here" x={at * CELL - 0.5} y="0" width={CELL} height={HEIGHT} rx="2" />}
      {shown.map((run, index) => (
        <g key={run.id} transform={`translate(${index * CELL} 0)`}>
          <title>{runWords(run, now)}</title>
          <rect width={CELL} height={HEIGHT} fill="none" pointer-events="all" />
          <RunMark status={run.status} />
        </g>
      ))}
    </svg>
  );
}

/** Where an entry of a history leads: to its trace, else to the test run in which it left none. */
export const hrefOf = (entry: { short_id: string; trace_id: string | null }): string =>
  entry.trace_id === null ? `/test-runs/${entry.short_id}` : `/traces/${entry.trace_id}`;
