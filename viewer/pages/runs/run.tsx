import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import { hasEnded } from "../../api/answers.ts";
import { ApiError, errorText } from "../../api/request.ts";
import { navigate } from "../../router.ts";
import { docsOfRun } from "../../ui/docs-places.ts";
import { formatAge, formatWall } from "../../ui/format.ts";
import { ChevronLeft, PlaySolid, StopCircle } from "../../ui/icons.tsx";
import { useKeys } from "../../ui/keyboard.ts";
import { Failed, Loading, Message } from "../../ui/message.tsx";
import { SiteBar } from "../../ui/site-bar.tsx";
import { LiveDot, Status } from "../../ui/status.tsx";
import { oneLine } from "../../ui/text.ts";
import { notify } from "../../ui/toast.tsx";
import { useNow } from "../../ui/use-now.ts";
import { type Run, runsApi } from "./api.ts";
import { RunArtifacts } from "./artifacts.tsx";
import { RunCause, useRunCause } from "./cause.tsx";
import { RunLog } from "./log.tsx";
import { createRunModel, type RunModel, stepsUntilFailure } from "./run-model.ts";
import { RunNow } from "./run-now.tsx";
import { RunSteps } from "./steps.tsx";
import { HealedBadge, runLength, typeWord } from "./table.tsx";

function Facts({ run, now }: { run: Run; now: number }): JSX.Element {
  const rows: (readonly [name: string, value: JSX.Element | string])[] = [
    ["Type", typeWord(run.type)],
    ["Trigger", run.attempt > 1 ? `${run.trigger}, attempt ${run.attempt}` : run.trigger],
    ["Region", run.region],
    ["Target", oneLine(run.base_url ?? "–", 300)],
    [
      "Asked for",
      <span key="at" title={formatAge(run.scheduled_at, now)}>
        {formatWall(run.scheduled_at)}
      </span>,
    ],
    ...(run.parent_run_id
      ? [
          [
            "Follows",
            <a key="parent" href={`/runs/${run.parent_run_id}`}>
              the run before it
            </a>,
          ] as const,
        ]
      : []),
    ...(run.type === "shadow_diff"
      ? [
          [
            "Compared",
            <a key="compared" href={`/shadow-diff/${run.id}`}>
              clones against production
            </a>,
          ] as const,
        ]
      : []),
    ...(run.pr ? [["Pull request", `#${run.pr.number} of ${oneLine(run.pr.repo, 100)}`] as const] : []),
  ];
  return (
    <dl class="run-facts">
      {rows.map(([name, value]) => (
        <div key={name}>
          <dt class="dim">{name}</dt>
          <dd class="captured">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function Picture({ model, run }: { model: RunModel; run: Run }): JSX.Element {
  const source = model.picture.value;
  const isLive = !hasEnded(run);
  return (
    <section class="run-picture" aria-label="The page">
      {source ? (
        <img src={source} alt={isLive ? "The page as it is now" : "The page at the end"} />
      ) : (
        <p class="dim">{isLive ? "The page shows here as soon as it opens." : "No picture was taken."}</p>
      )}
    </section>
  );
}

function Body({ model, run, now }: { model: RunModel; run: Run; now: number }): JSX.Element {
  const cause = useRunCause(run);
  const failedStep = cause?.failed_step?.step_id ?? null;
  const steps = stepsUntilFailure(model.steps.value, failedStep, run.error?.message ?? null);
  // A step that failed says so itself.
  const isTold = steps.some(({ error }) => error !== null && error === run.error?.message);
  return (
    <div class="run-body">
      <div class="run-left">
        {cause && <RunCause cause={cause} run={run} />}
        {run.error && !isTold && (
          <p class={`run-error ${run.status === "failed" ? "is-failed" : "is-error"}`} role="alert">
            <span class="captured">{oneLine(run.error.message, 1000)}</span>
            {run.error.reason && (
              <a class="run-reason" href={docsOfRun(run.error.reason)}>
                <code>{run.error.reason}</code>
              </a>
            )}
          </p>
        )}
        <RunSteps steps={steps} run={run} now={now} />
        <RunLog lines={model.lines.value} isOver={hasEnded(run)} />
      </div>
      <div class="run-right">
        <Picture model={model} run={run} />
        <Facts run={run} now={now} />
        <RunArtifacts run={run} />
      </div>
    </div>
  );
}

/** One run: followed while it goes on, and what it left when it is over. */
export function RunPage({ id }: { id: string }): JSX.Element {
  const model = useMemo(() => createRunModel(id), [id]);
  const isAsking = useSignal(false);
  useEffect(() => model.follow(), [model]);
  const run = model.run.value;
  const error = model.error.value;
  const name = oneLine(model.title.value || run?.scenario_slug || "Run", 200);
  useEffect(() => {
    document.title = `${name} · Tracedeck`;
  }, [name]);
  const isOver = run !== null && hasEnded(run);
  const now = useNow(run !== null && !isOver);
  async function cancel(): Promise<void> {
    try {
      await runsApi.cancel(id);
      await model.reload();
    } catch (problem) {
      notify(errorText(problem), { isError: true });
    }
  }
  useKeys([
    {
      keys: ["t"],
      label: "Open the trace of this run",
      group: "Run",
      run: () => {
        if (run?.trace_id) navigate(`/traces/${run.trace_id}`);
        return Boolean(run?.trace_id);
      },
    },
    {
      keys: ["r"],
      label: "Run this scenario again",
      group: "Run",
      run: () => {
        isAsking.value = run !== null;
        return run !== null;
      },
    },
    {
      keys: ["x"],
      label: "Cancel this run",
      group: "Run",
      run: () => {
        if (run && !isOver) void cancel();
        return run !== null && !isOver;
      },
    },
  ]);
  const body = (): JSX.Element => {
    if (error instanceof ApiError && error.status === 404)
      return (
        <Message title="There is no such run.">
          <a href="/runs">All runs</a>
        </Message>
      );
    if (error) return <Failed error={error} retry={() => void model.load()} />;
    return run ? <Body model={model} run={run} now={now} /> : <Loading label="Loading the run" />;
  };
  return (
    <div class="page">
      <SiteBar />
      <main class="list-main">
        <div class="subbar scenario-title run-title">
          <a class="icon-link" href="/runs" aria-label="All runs" title="All runs">
            <ChevronLeft />
          </a>
          {run && <Status status={run.status} />}
          <h1 class="ellipsis captured" title={run?.scenario_slug}>
            {run ? <a href={`/scenarios/${run.scenario_slug}`}>{name}</a> : name}
          </h1>
          {run && <span class="num dim">{runLength(run, now)}</span>}
          {run && <HealedBadge count={run.healed.length} />}
          {run && !isOver && <LiveDot />}
          <div class="title-acts">
            {run && !isOver && (
              <button type="button" class="button" title="Cancel ( x )" onClick={() => void cancel()}>
                <StopCircle /> Cancel
              </button>
            )}
            {isOver && (
              <button
                type="button"
                class="button"
                title="Run again ( r )"
                onClick={() => (isAsking.value = true)}
              >
                <PlaySolid /> Run again
              </button>
            )}
            {run?.trace_id && (
              <a class="button is-primary" href={`/traces/${run.trace_id}`} title="Open the trace ( t )">
                Trace
              </a>
            )}
          </div>
        </div>
        {body()}
      </main>
      {isAsking.value && run && (
        <RunNow
          slug={run.scenario_slug}
          region={run.region}
          baseUrl={run.base_url}
          isCompared={run.type === "shadow_diff"}
          onClose={() => (isAsking.value = false)}
        />
      )}
    </div>
  );
}
