import type { JSX } from "preact";
import { errorText } from "../../api/request.ts";
import { ToldCause } from "../../trace/cause/told-cause.tsx";
import { FixLine } from "../../ui/fix-line.tsx";
import { formatWall } from "../../ui/format.ts";
import { RegressionLine } from "../../ui/history-words.tsx";
import { oneLine } from "../../ui/text.ts";
import { useLoad } from "../../ui/use-load.ts";
import { type IncidentAnswer, loadFailure } from "./api.ts";

function Picture(props: {
  word: string;
  tone: string;
  trace: { id: string; created_at: string } | null;
  url: string | null;
  none: string;
}): JSX.Element {
  return (
    <figure class="incident-picture">
      <figcaption>
        <span class={props.tone}>{props.word}</span>
        {props.trace && (
          <a class="dim" href={`/traces/${props.trace.id}`}>
            {formatWall(props.trace.created_at)}
          </a>
        )}
      </figcaption>
      {props.url ? (
        <a href={props.url} target="_blank" rel="noreferrer" title="Open the picture by itself">
          <img src={props.url} alt={`The page: ${props.word.toLowerCase()}`} />
        </a>
      ) : (
        <p class="dim">{props.none}</p>
      )}
    </figure>
  );
}

/** Why it fails: the cause of the last failing trace, its first bad commit, and what the page looked like before and now. */
export function Lead({ incident }: { incident: IncidentAnswer }): JSX.Element {
  const { trace_id: traceId, scenario_slug: slug } = incident;
  const { data, error } = useLoad(traceId, (signal) => loadFailure(traceId!, slug, signal));
  if (traceId === null)
    return (
      <section class="incident-lead" aria-label="Cause">
        <p class="dim">
          The run left no trace: <a href={`/runs/${incident.last_run_id}`}>its log</a> says why.
        </p>
      </section>
    );
  return (
    <section class="incident-lead" aria-label="Cause">
      {error !== null && <p class="dim captured">{oneLine(errorText(error), 300)}</p>}
      {data && (
        <>
          <ToldCause cause={data.cause} trace={data.trace} />
          <FixLine scenario={slug} signature={incident.failure_signature} />
          {data.regression && (
            <p class="dim">
              <RegressionLine regression={data.regression} here={traceId} />
            </p>
          )}
          <div class="incident-pictures">
            <Picture
              word="Last pass"
              tone="is-passed"
              trace={data.baseline}
              url={data.passed}
              none={
                data.baseline ? "No picture was taken." : "It has never passed, as far as traces are kept."
              }
            />
            <Picture
              word="Failure"
              tone="is-failed"
              trace={data.trace}
              url={data.failed}
              none="No picture was taken."
            />
          </div>
          {data.baseline && (
            <p>
              <a href={`/compare?a=${data.baseline.id}&b=${data.trace.id}`}>Compare the two traces</a>
            </p>
          )}
        </>
      )}
    </section>
  );
}
