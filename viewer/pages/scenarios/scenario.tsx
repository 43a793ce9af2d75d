import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import type { History } from "../../../server/trace/histories/model.ts";
import { api } from "../../api/calls.ts";
import { ApiError } from "../../api/request.ts";
import { query, setQuery } from "../../router.ts";
import { useSignIn } from "../../ui/failing.ts";
import { formatDuration, plural } from "../../ui/format.ts";
import { flakinessWords, percent, RegressionLine } from "../../ui/history-words.tsx";
import { ChevronLeft, PlaySolid } from "../../ui/icons.tsx";
import { useKeys } from "../../ui/keyboard.ts";
import { Failed, Loading, Message } from "../../ui/message.tsx";
import { hrefOf } from "../../ui/run-strip.tsx";
import { SiteBar } from "../../ui/site-bar.tsx";
import { statusWord } from "../../ui/status.tsx";
import { oneLine } from "../../ui/text.ts";
import { useLoad } from "../../ui/use-load.ts";
import { useTraceNews } from "../../ui/use-news.ts";
import { useRows } from "../../ui/use-rows.ts";
import { WatchButton } from "../checks/watch-button.tsx";
import { runsApi } from "../runs/api.ts";
import { RunNow } from "../runs/run-now.tsx";
import { RunChart } from "./chart.tsx";
import { ScenarioFailures } from "./failures.tsx";
import { RunTable } from "./runs.tsx";
import { ScenarioSteps } from "./steps.tsx";

const LENGTHS = ["30", "100", "200"] as const;

/** A figure with its name, and what it means on hovering. */
function Figure({ name, value, title }: { name: string; value: string; title?: string }): JSX.Element {
  return (
    <div class="figure" title={title}>
      <dt class="dim">{name}</dt>
      <dd class="num">{value}</dd>
    </div>
  );
}

function trendWords(trend: number | null): string {
  if (trend === null) return "–";
  const change = Math.round((trend - 1) * 100);
  return change === 0 ? "steady" : change > 0 ? `${change}% slower` : `${-change}% quicker`;
}

function Figures({ history }: { history: History }): JSX.Element {
  const { passed, failed, other, pass_rate, duration, flakiness, streak } = history.statistics;
  const length = (ms: number | null) => (ms === null ? "–" : formatDuration(ms));
  return (
    <dl class="figures">
      <Figure
        name="Passed"
        value={pass_rate === null ? "–" : percent(pass_rate)}
        title={`${passed} passed, ${failed} failed, ${other} ended otherwise`}
      />
      <Figure
        name="Flaky"
        value={flakiness.score === null ? "–" : percent(flakiness.score)}
        title={flakinessWords(history.statistics)}
      />
      <Figure
        name="Streak"
        value={streak ? `${streak.count} ${statusWord(streak.status).toLowerCase()}` : "–"}
        title="Runs with the same outcome up to now"
      />
      <Figure name="Median" value={length(duration.median_ms)} title="Duration of the runs that passed" />
      <Figure
        name="95 of 100 within"
        value={length(duration.p95_ms)}
        title="Duration of the runs that passed: 95th percentile"
      />
      <Figure
        name="Trend"
        value={trendWords(duration.trend)}
        title="Median of the newer half of the runs that passed, against that of the older half; needs six"
      />
    </dl>
  );
}

function Body({ history, revision }: { history: History; revision: number }): JSX.Element {
  const hovered = useSignal<string | null>(null);
  const active = useRows({
    what: "run",
    count: () => history.items.length,
    href: (index) => {
      const item = history.items[index];
      return item && hrefOf(item);
    },
  });
  return (
    <>
      <section class="scenario-head" aria-label="History">
        <Figures history={history} />
        {history.regression && (
          <p class="scenario-regression">
            <RegressionLine regression={history.regression} />
          </p>
        )}
        <RunChart items={history.items} onHover={(id) => (hovered.value = id)} />
      </section>
      <div class="scenario-body">
        <RunTable items={history.items} active={active.value} hovered={hovered.value} />
        <ScenarioFailures slug={history.scenario.slug} revision={revision} />
      </div>
    </>
  );
}

/** One scenario over time: its last runs, how flaky it is, and where it broke. */
export function ScenarioPage({ slug }: { slug: string }): JSX.Element {
  const limit = LENGTHS.find((length) => length === query.value.get("runs")) ?? LENGTHS[0];
  const revision = useSignal(0);
  useTraceNews(() => (revision.value += 1));
  const { data, error, isLoading } = useLoad(
    `${slug} ${limit}`,
    (signal) => api.history(slug, { limit }, signal),
    revision.value,
  );
  const scenario = useLoad(slug, (signal) => runsApi.scenario(slug, signal)).data;
  const isAsking = useSignal(false);
  const hasFile = scenario?.compiled != null;
  const title = oneLine(data?.scenario.title || scenario?.title || slug, 200);
  // Without a past there is only what it is to do.
  const isSteps = query.value.get("view") === "steps" || (hasFile && data?.items.length === 0);
  useKeys([
    {
      keys: ["r"],
      label: "Run this scenario now",
      group: "Scenario",
      run: () => {
        isAsking.value = hasFile;
        return hasFile;
      },
    },
    {
      keys: ["v"],
      label: "Steps or history",
      group: "Scenario",
      run: () => {
        setQuery({ view: isSteps ? null : "steps" });
        return true;
      },
    },
  ]);
  useEffect(() => {
    document.title = `${title} · Tracedeck`;
  }, [title]);
  useSignIn(error);
  const body = (): JSX.Element => {
    if (isSteps && scenario) return <ScenarioSteps scenario={scenario} />;
    if (error instanceof ApiError && error.status === 404)
      return (
        <Message title="There is no such scenario.">
          <a href="/scenarios">All scenarios</a>
        </Message>
      );
    if (error) return <Failed error={error} retry={() => (revision.value += 1)} />;
    if (!data) return isLoading ? <Loading label="Loading the history" /> : <Message title="Nothing here." />;
    if (data.items.length === 0)
      return (
        <Message title="No run of this scenario has finished.">
          <a href={`/traces?scenario=${slug}`}>Its traces</a>
        </Message>
      );
    return <Body history={data} revision={revision.value} />;
  };
  return (
    <div class="page">
      <SiteBar />
      <main class="list-main">
        <div class="subbar scenario-title">
          <a class="icon-link" href="/scenarios" aria-label="All scenarios" title="All scenarios">
            <ChevronLeft />
          </a>
          <h1 class="ellipsis captured" title={slug}>
            {title}
          </h1>
          <div class="title-acts">
            <button
              type="button"
              class="toggle"
              aria-pressed={isSteps}
              title="Steps or history ( v )"
              onClick={() => setQuery({ view: isSteps ? null : "steps" })}
            >
              Steps
            </button>
            <select
              class="select"
              aria-label="Runs shown"
              value={limit}
              onChange={(event) =>
                setQuery({ runs: event.currentTarget.value === "30" ? null : event.currentTarget.value })
              }
            >
              {LENGTHS.map((length) => (
                <option key={length} value={length}>
                  Last {length} runs
                </option>
              ))}
            </select>
            <a class="button" href={`/runs?scenario=${slug}`}>
              Runs
            </a>
            <a
              class="button"
              href={`/traces?scenario=${slug}`}
              title={data ? plural(data.items.length, "run") : ""}
            >
              All traces
            </a>
            {hasFile && <WatchButton slug={slug} />}
            {hasFile && (
              <button
                type="button"
                class="button is-primary"
                title="Run now ( r )"
                onClick={() => (isAsking.value = true)}
              >
                <PlaySolid /> Run now
              </button>
            )}
          </div>
        </div>
        {body()}
      </main>
      {isAsking.value && scenario && (
        <RunNow
          slug={slug}
          baseUrl={(scenario.compiled as { base_url?: string | null } | null)?.base_url ?? null}
          hasClones={((scenario.compiled as { clones?: unknown[] } | null)?.clones ?? []).length > 0}
          onClose={() => (isAsking.value = false)}
        />
      )}
    </div>
  );
}
