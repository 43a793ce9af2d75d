import type { JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { formatDuration } from "../../ui/format.ts";
import { CheckCircle, Clock, CrossCircle, type Icon, Play, StopCircle } from "../../ui/icons.tsx";
import { ScrollPane } from "../../ui/scroll-pane.tsx";
import { oneLine } from "../../ui/text.ts";
import type { Run } from "./api.ts";
import type { StepProgress, StepState } from "./run-model.ts";

const STATES: Record<StepState, { word: string; icon: Icon; tone: string }> = {
  waiting: { word: "Not begun", icon: Clock, tone: "is-quiet" },
  running: { word: "Under way", icon: Play, tone: "is-running" },
  passed: { word: "Passed", icon: CheckCircle, tone: "is-passed" },
  failed: { word: "Failed", icon: CrossCircle, tone: "is-failed" },
  ended: { word: "Not finished", icon: StopCircle, tone: "is-quiet" },
};

function Step({
  step,
  index,
  run,
  now,
}: {
  step: StepProgress;
  index: number;
  run: Run;
  now: number;
}): JSX.Element {
  const { word, icon: StateIcon, tone } = STATES[step.state];
  const heal = run.healed.find(({ step_id }) => step_id === step.id);
  const text = oneLine(step.source, 300);
  const length =
    step.state === "running" && step.startedAt !== null
      ? Math.max(0, Math.floor((now - step.startedAt) / 1000) * 1000)
      : step.durationMs;
  const isCurrent = step.state === "running";
  return (
    <li
      class={`run-step${step.state === "waiting" ? " dim" : ""}`}
      aria-current={isCurrent ? "step" : undefined}
    >
      <span class="num dim">{index + 1}</span>
      <span class={tone}>
        <StateIcon label={word} />
      </span>
      {run.trace_id && step.state !== "waiting" ? (
        <a class="captured ellipsis mono" href={`/traces/${run.trace_id}?step=${step.id}`} title={text}>
          {text}
        </a>
      ) : (
        <span class="captured ellipsis mono" title={text}>
          {text}
        </span>
      )}
      <span class="num dim">{length === null ? "" : formatDuration(length)}</span>
      {heal && (
        <p class="run-step-more">
          <span class="run-badge">healed</span>{" "}
          <span class="captured">
            {oneLine(`${heal.from} was not there; took ${heal.to}: ${heal.why}`, 600)}
          </span>
        </p>
      )}
      {step.error && <p class="run-step-more is-failed captured">{oneLine(step.error, 600)}</p>}
    </li>
  );
}

/** The steps in order, each with how it went; the one that is under way stays in sight. */
export function RunSteps({
  steps,
  run,
  now,
}: {
  steps: readonly StepProgress[];
  run: Run;
  now: number;
}): JSX.Element {
  const list = useRef<HTMLOListElement>(null);
  const current = steps.findIndex(({ state }) => state === "running" || state === "failed");
  useLayoutEffect(() => {
    if (current >= 0) list.current?.children[current]?.scrollIntoView({ block: "nearest" });
  }, [current]);
  const done = steps.filter(({ state }) => state === "passed").length;
  return (
    <section class="run-steps" aria-label="Steps">
      <h2 class="run-part-head">
        Steps
        <span class="dim num">
          {done} of {steps.length} passed
        </span>
        <progress
          class="run-progress"
          max={Math.max(1, steps.length)}
          value={done}
          aria-label="Steps passed"
        />
      </h2>
      <ScrollPane label="Steps">
        <ol ref={list}>
          {steps.map((step, index) => (
            <Step key={step.id} step={step} index={index} run={run} now={now} />
          ))}
        </ol>
      </ScrollPane>
    </section>
  );
}
