import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { query } from "../../router.ts";
import { useSignIn } from "../../ui/failing.ts";
import { isPutAway, putAway, tellProgress } from "../../ui/get-started.ts";
import { Failed, Loading } from "../../ui/message.tsx";
import { SiteBar } from "../../ui/site-bar.tsx";
import { notify } from "../../ui/toast.tsx";
import { useLoad } from "../../ui/use-load.ts";
import { runsApi, type Scenario } from "../runs/api.ts";
import { AnalyticsStep } from "./analytics.tsx";
import { type Onboarding, type Step, startApi } from "./api.ts";
import { ChannelStep } from "./channel.tsx";
import { CheckStep } from "./check.tsx";
import { PreflightStep } from "./preflight.tsx";
import { RunStep } from "./run.tsx";
import { StepRow } from "./step.tsx";
import { WriteStep } from "./write.tsx";

/** How soon the steps are looked at again: what is done in a terminal shows here too. */
const LOOK_MS = 3000;

function Done(): JSX.Element {
  return (
    <section class="start-done" aria-label="Done">
      <p>
        <strong>Your first page is watched.</strong> It runs every few minutes, and you are told when it fails
        twice in a row.
      </p>
      <p class="start-links">
        <a href="/monitoring">See the grid</a>
        <a href="/docs/watch#alert-rules">When you are told</a>
        <a href="/docs/playwright">Connect your Playwright suite</a>
        <a href="/settings/members">Invite others</a>
      </p>
    </section>
  );
}

/** The scenario that the steps are about: the one that the address names, else the first that has a file. */
function chosenOf(scenarios: readonly Scenario[]): Scenario | null {
  const files = scenarios.filter(({ compiled, missing }) => compiled !== null && !missing);
  return files.find(({ slug }) => slug === query.value.get("scenario")) ?? files[0] ?? null;
}

function bodyOf(step: Step, scenario: Scenario | null, onChanged: () => void): JSX.Element {
  const props = { scenario, isDone: step.done, onChanged };
  switch (step.key) {
    case "scenario_written":
      return <WriteStep {...props} />;
    case "scenario_passed":
      return <RunStep {...props} />;
    case "preflight_recorded":
      return <PreflightStep {...props} />;
    case "analytics_acknowledged":
      return <AnalyticsStep {...props} />;
    case "check_enabled":
      return <CheckStep {...props} />;
    case "channel_tested":
      return <ChannelStep {...props} />;
  }
}

function Steps({ status, onChanged }: { status: Onboarding; onChanged: () => void }): JSX.Element {
  const { steps } = status;
  const next = steps.find(({ done }) => !done)?.key ?? null;
  const opened = useSignal<string | null>(null);
  const revision = useSignal(0);
  const { data, error } = useLoad(
    `scenarios ${steps[0]?.done}`,
    (signal) => runsApi.allScenarios(signal),
    revision.value,
  );
  // What is done makes room for what comes next.
  useEffect(() => {
    opened.value = null;
  }, [next]);
  const changed = (): void => {
    revision.value += 1;
    onChanged();
  };
  if (error) return <Failed error={error} retry={changed} />;
  if (!data) return <Loading />;
  const scenario = chosenOf(data.items);
  const current = opened.value ?? next;
  return (
    <ol class="start-steps">
      {steps.map((step, index) => (
        <StepRow
          key={step.key}
          step={step}
          index={index}
          isOpen={step.key === current}
          onToggle={() => (opened.value = step.key === current ? "" : step.key)}
        >
          {bodyOf(step, scenario, changed)}
        </StepRow>
      ))}
    </ol>
  );
}

/** From nothing to the first watched scenario. Nothing is kept of how far somebody is: the records say it. */
export function StartPage(): JSX.Element {
  const revision = useSignal(0);
  const isAway = useSignal(isPutAway());
  const { data, error } = useLoad("onboarding", (signal) => startApi.status(signal), revision.value);
  useSignIn(error);
  const look = (): void => void revision.value++;
  const done = data?.steps.filter((step) => step.done).length ?? 0;
  const isOver = data !== null && done === data.steps.length;
  useEffect(() => {
    document.title = "Get started · Tracedeck";
  }, []);
  useEffect(() => {
    if (data) tellProgress(data);
  }, [data]);
  useEffect(() => {
    if (isOver) return;
    const timer = setInterval(() => document.visibilityState === "visible" && look(), LOOK_MS);
    return () => clearInterval(timer);
  }, [isOver]);
  const toggle = (): void => {
    isAway.value = !isAway.value;
    putAway(isAway.value);
    if (!isAway.value && data) tellProgress(data);
    notify(
      isAway.value
        ? "It is out of the navigation. The commands (Ctrl+K) and the docs lead here."
        : "It is back in the navigation.",
    );
  };
  return (
    <div class="page">
      <SiteBar />
      <main class="start" aria-busy={!data && !error}>
        <header class="start-head">
          <h1>Watch your first page</h1>
          <p class="dim">
            A scenario opens a page of yours as a visitor would. Here it comes to run every five minutes, and
            to tell you when it fails. You can leave at any time: what you have done stays done.
          </p>
          {data && (
            <p class="start-progress">
              <progress value={done} max={data.steps.length} aria-label="Steps done" />
              <span class="num">
                {done} of {data.steps.length}
              </span>
            </p>
          )}
        </header>
        {isOver && <Done />}
        {data ? (
          <Steps status={data} onChanged={look} />
        ) : error ? (
          <Failed error={error} retry={look} />
        ) : (
          <Loading />
        )}
        <footer class="start-foot dim">
          <p>
            Have recordings already? <a href="/traces">Drop a trace.zip on the traces</a>, or{" "}
            <a href="/docs/playwright">connect your Playwright suite</a>.
          </p>
          {!isOver && data && (
            <button type="button" class="link-button" onClick={toggle}>
              {isAway.value ? "Show this in the navigation" : "Do not show this in the navigation"}
            </button>
          )}
        </footer>
      </main>
    </div>
  );
}
