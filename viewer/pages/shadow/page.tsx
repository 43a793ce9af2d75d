import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { ShadowDiffAnswer } from "../../../server/run/shadows/model.ts";
import type { TraceStatus } from "../../api/answers.ts";
import { getJson } from "../../api/request.ts";
import { useSignIn } from "../../ui/failing.ts";
import { plural } from "../../ui/format.ts";
import { ChevronLeft } from "../../ui/icons.tsx";
import { Failed, Loading, Message } from "../../ui/message.tsx";
import { SiteBar } from "../../ui/site-bar.tsx";
import { Status } from "../../ui/status.tsx";
import { oneLine } from "../../ui/text.ts";
import { useLoad } from "../../ui/use-load.ts";
import { DiffTable, NoiseTable } from "./tables.tsx";

const AGAIN_MS = 2000;
const ENDED: readonly TraceStatus[] = ["passed", "failed", "error", "aborted"];
const RUNS = [
  ["production", "Production"],
  ["repeated", "Production again"],
  ["clone", "Clones"],
] as const;

type Runs = ShadowDiffAnswer["runs"];

/** The three runs, in the order in which they are made. */
function RunLinks({ runs }: { runs: Runs }): JSX.Element {
  return (
    <dl class="figures shadow-runs">
      {RUNS.map(([side, word]) => {
        const { status, trace_id, error } = runs[side];
        return (
          <div key={side} class="figure">
            <dt class="dim">{word}</dt>
            <dd>
              {trace_id === null ? <Status status={status} /> : null}
              {trace_id !== null && (
                <a href={`/traces/${trace_id}`} aria-label={`Trace of ${word.toLowerCase()}: ${status}`}>
                  <Status status={status} />
                </a>
              )}
              {error !== null && <p class="captured shadow-error">{oneLine(error, 300)}</p>}
            </dd>
          </div>
        );
      })}
    </dl>
  );
}

function Body({ diff }: { diff: ShadowDiffAnswer }): JSX.Element {
  const { diffs, noise, production, runs } = diff;
  if (!diff.is_compared) {
    const isOver = RUNS.every(([side]) => ENDED.includes(runs[side].status));
    if (isOver && runs.production.status !== "passed" && runs.production.status !== "failed")
      return (
        <Message title="There is nothing to compare with.">
          Production was not observed, so its clones were not run.
        </Message>
      );
    return (
      <Message title="Not compared yet.">
        The scenario runs three times, one after the other; what differs shows here by itself.
      </Message>
    );
  }
  const compared = plural(production.observations.length, "request");
  return (
    <>
      <p class="shadow-summary" role="status">
        <strong>
          {diffs.length === 0
            ? "The clones answer as production does"
            : `${plural(diffs.length, "field")} differ${diffs.length === 1 ? "s" : ""}`}
        </strong>
        <span class="dim"> in {compared} to third parties</span>
      </p>
      {production.observations.length === 0 && (
        <p class="dim">
          No request of a page went to an address that a clone matches by GET. A scenario that says
          idempotent: true is compared by every method.
        </p>
      )}
      {diffs.length > 0 && <DiffTable diff={diff} />}
      {noise.length > 0 && (
        <details class="shadow-noise">
          <summary>{plural(noise.length, "field")} left out as noise</summary>
          <NoiseTable noise={noise} />
        </details>
      )}
    </>
  );
}

/** What the clones of a run answer otherwise than production does, field by field. */
export function ShadowPage({ id }: { id: string }): JSX.Element {
  const [revision, setRevision] = useState(0);
  const load = (signal: AbortSignal) => getJson<ShadowDiffAnswer>(`/v1/shadow-diff/${id}`, signal);
  const { data, error, isLoading } = useLoad(id, load, revision);
  const isOpen =
    data !== null && !data.is_compared && RUNS.some(([side]) => !ENDED.includes(data.runs[side].status));
  // Between the end of the last run and the comparison lies a moment without any news.
  const isClosing = data !== null && !data.is_compared && data.runs.production.status !== "aborted";
  useEffect(() => {
    if (!isOpen && !isClosing) return;
    const timer = setTimeout(() => setRevision(revision + 1), AGAIN_MS);
    return () => clearTimeout(timer);
  }, [data, isOpen, isClosing]);
  const slug = data ? oneLine(data.scenario_slug, 100) : "";
  useEffect(() => {
    document.title = `${slug ? `Shadow diff of ${slug}` : "Shadow diff"} · Tracedeck`;
  }, [slug]);
  useSignIn(error);
  return (
    <div class="page">
      <SiteBar />
      <main class="list-main" aria-busy={isLoading}>
        <div class="subbar scenario-title">
          <a
            class="icon-link"
            href={slug ? `/scenarios/${slug}` : "/scenarios"}
            aria-label="The scenario"
            title="The scenario"
          >
            <ChevronLeft />
          </a>
          <h1 class="ellipsis captured">{slug || "Shadow diff"}</h1>
          <span class="dim shadow-what">clones against production</span>
        </div>
        {error !== null && <Failed error={error} />}
        {isLoading && !data && <Loading />}
        {data && (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable without a pointer
          <section class="shadow" aria-label="Shadow diff" tabIndex={0}>
            <RunLinks runs={data.runs} />
            <Body diff={data} />
          </section>
        )}
      </main>
    </div>
  );
}
