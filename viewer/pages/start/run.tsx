import type { JSX } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { hasEnded } from "../../api/answers.ts";
import { errorText } from "../../api/request.ts";
import { docsOfRun } from "../../ui/docs-places.ts";
import { PlaySolid } from "../../ui/icons.tsx";
import { Status } from "../../ui/status.tsx";
import { oneLine } from "../../ui/text.ts";
import { useNow } from "../../ui/use-now.ts";
import { Problem } from "../checks/form.tsx";
import { type Run, runsApi } from "../runs/api.ts";
import { createRunModel, type StepProgress } from "../runs/run-model.ts";
import { RunSteps } from "../runs/steps.tsx";
import { NoScenario, type StepProps } from "./step.tsx";

/** Why it did not pass, where no step says it. */
function Why({ run, steps }: { run: Run; steps: readonly StepProgress[] }): JSX.Element | null {
  if (!run.error || steps.some(({ error }) => error === run.error?.message)) return null;
  return (
    <p class={run.status === "failed" ? "is-failed" : "is-error"} role="alert">
      <span class="captured">{oneLine(run.error.message, 1000)}</span>{" "}
      {run.error.reason && <a href={docsOfRun(run.error.reason)}>What this means</a>}
    </p>
  );
}

/** A run, followed while it goes on. */
function Followed({ id, onEnded }: { id: string; onEnded: () => void }): JSX.Element | null {
  const model = useMemo(() => createRunModel(id), [id]);
  useEffect(() => model.follow(), [model]);
  const run = model.run.value;
  const isOver = run !== null && hasEnded(run);
  const now = useNow(!isOver);
  useEffect(() => {
    if (isOver) onEnded();
  }, [isOver]);
  if (!run) return null;
  const picture = model.picture.value;
  return (
    <section class="start-run" aria-label="The run">
      <div class="start-run-steps">
        <p class="start-run-head">
          <Status status={run.status} />
          {run.trace_id && (
            <a href={`/traces/${run.trace_id}`}>{isOver ? "Open the trace" : "Watch it live"}</a>
          )}
          <a href={`/runs/${run.id}`}>The run</a>
        </p>
        <RunSteps steps={model.steps.value} run={run} now={now} />
        {isOver && <Why run={run} steps={model.steps.value} />}
        {isOver && run.status === "failed" && (
          <p class="dim">Is the scenario wrong? Change its text in the first step, and run it again.</p>
        )}
      </div>
      {picture && <img src={picture} alt={isOver ? "The page at the end" : "The page as it is now"} />}
    </section>
  );
}

/** Runs the scenario here and shows how it fares. */
export function RunStep({ scenario, onChanged }: StepProps): JSX.Element {
  const [id, setId] = useState<string | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const [ended, setEnded] = useState<string | null>(null);
  if (!scenario) return <NoScenario />;
  const last = scenario.last_run;
  const shown = id ?? last?.id ?? null;
  const isOver = shown === null || shown === ended || (last?.id === shown && hasEnded(last));
  async function begin({ slug }: { slug: string }): Promise<void> {
    setBusy(true);
    setProblem(null);
    try {
      setId((await runsApi.begin({ scenarioId: slug })).id);
    } catch (error) {
      setProblem(errorText(error));
    }
    setBusy(false);
  }
  return (
    <>
      <p class="dim">
        This server opens the page in a browser and keeps all that happens: what it shows, its requests, its
        console.
      </p>
      <div class="start-acts">
        <button
          type="button"
          class="button is-primary"
          disabled={isBusy || !isOver}
          onClick={() => void begin(scenario)}
        >
          <PlaySolid /> {!isOver ? "Running…" : shown ? "Run it again" : "Run it now"}
        </button>
        <span class="dim">or, where you have the file,</span>
        <code class="command">tracedeck run {scenario.path ?? `${scenario.slug}.scenario.md`}</code>
      </div>
      <Problem text={problem} />
      {shown && (
        <Followed
          key={shown}
          id={shown}
          onEnded={() => {
            setEnded(shown);
            onChanged();
          }}
        />
      )}
    </>
  );
}
