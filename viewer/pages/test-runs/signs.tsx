import type { JSX } from "preact";
import { CheckCircle, Clock, CrossCircle, type Icon, Play, StopCircle, Warning } from "../../ui/icons.tsx";
import type { Change, Outcome, TestRun } from "./api.ts";

interface Sign {
  word: string;
  icon: Icon;
  tone: string;
}

const STATUS: Record<TestRun["status"], Sign> = {
  running: { word: "Running", icon: Play, tone: "is-running" },
  passed: { word: "Passed", icon: CheckCircle, tone: "is-passed" },
  failed: { word: "Failed", icon: CrossCircle, tone: "is-failed" },
  interrupted: { word: "Interrupted", icon: StopCircle, tone: "is-quiet" },
};

const OUTCOME: Record<Outcome, Sign> = {
  failed: { word: "failed", icon: CrossCircle, tone: "is-failed" },
  flaky: { word: "flaky", icon: Warning, tone: "is-error" },
  passed: { word: "passed", icon: CheckCircle, tone: "is-passed" },
  skipped: { word: "skipped", icon: StopCircle, tone: "is-quiet" },
  not_run: { word: "not run", icon: Clock, tone: "is-quiet" },
};

const CHANGE: Record<Change, { word: string; tone: string; why: string }> = {
  new_failure: { word: "new", tone: "is-failed", why: "Did not fail in the run before" },
  still_failing: { word: "still failing", tone: "is-quiet", why: "Failed in the run before as well" },
  fixed: { word: "fixed", tone: "is-passed", why: "Failed in the run before" },
  new_flaky: { word: "new flaky", tone: "is-error", why: "Was not flaky in the run before" },
};

/** In the order in which people want to see them. */
export const OUTCOMES = Object.keys(OUTCOME) as Outcome[];
export const CHANGES = Object.keys(CHANGE) as Change[];
export const outcomeWord = (outcome: Outcome): string => OUTCOME[outcome].word;
export const outcomeTone = (outcome: Outcome): string => OUTCOME[outcome].tone;
export const changeWord = (change: Change): string => CHANGE[change].word;
export const statusWord = (status: TestRun["status"]): string => STATUS[status].word;

export function RunStatus({ status }: { status: TestRun["status"] }): JSX.Element {
  const { word, icon: StatusIcon, tone } = STATUS[status];
  return (
    <span class={`status ${tone}`}>
      <StatusIcon />
      <span class="status-word">{word}</span>
    </span>
  );
}

/** The icon of an outcome, with its word for those who do not see it. */
export function OutcomeMark({ outcome }: { outcome: Outcome }): JSX.Element {
  const { word, icon: OutcomeIcon, tone } = OUTCOME[outcome];
  return (
    <span class={`status ${tone}`} title={word}>
      <OutcomeIcon />
      <span class="hidden-text">{word}</span>
    </span>
  );
}

export function ChangeBadge({ change }: { change: Change | null }): JSX.Element | null {
  if (change === null) return null;
  const { word, tone, why } = CHANGE[change];
  return (
    <span class={`run-badge ${tone}`} title={why}>
      {word}
    </span>
  );
}

/** What became of the tests as one bar, in proportion. The numbers stand beside it. */
export function TotalsBar({ totals }: { totals: TestRun["totals"] }): JSX.Element {
  const sum = OUTCOMES.reduce((all, outcome) => all + totals[outcome], 0);
  return (
    <span class="totals-bar" aria-hidden="true">
      {sum > 0 &&
        OUTCOMES.filter((outcome) => totals[outcome] > 0).map((outcome) => (
          <span
            key={outcome}
            class={`totals-part ${outcomeTone(outcome)}`}
            style={{ flexGrow: totals[outcome] }}
          />
        ))}
    </span>
  );
}

/** What became of the tests in words: `2 failed, 1 flaky, 52 passed`. */
export function totalsWords(totals: TestRun["totals"]): string {
  const words = OUTCOMES.filter((outcome) => totals[outcome] > 0).map(
    (outcome) => `${totals[outcome]} ${outcomeWord(outcome)}`,
  );
  return words.join(", ") || "no tests yet";
}
