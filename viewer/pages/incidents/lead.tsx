import type { JSX } from "preact";
import { errorText } from "../../api/request.ts";
import { SYMPTOMS, sureness } from "../../trace/cause/words.ts";
import { FixLine } from "../../ui/fix-line.tsx";
import { formatWall } from "../../ui/format.ts";
import { RegressionLine } from "../../ui/history-words.tsx";
import { block, oneLine } from "../../ui/text.ts";
import { useLoad } from "../../ui/use-load.ts";
import { type Failure, type IncidentAnswer, loadFailure } from "./api.ts";

const LONGEST = 600;

function Cause({ cause, trace }: Failure): JSX.Element {
  const first = cause.suspects[0];
  const isKnown = first !== undefined && !SYMPTOMS.has(first.kind);
  const said = isKnown ? first.title : (cause.headline ?? trace.failure_message ?? "The run failed.");
  const step = cause.failed_step?.step_id;
  const href = `/traces/${trace.id}${step ? `?step=${encodeURIComponent(step)}` : ""}`;
  return (
    <>
      <p class="cause-label">
        {isKnown ? sureness(first.confidence) : "What failed"}
        {isKnown && first.is_new && (
          <span class="cause-new" title="None of the last passes has it">
            not in the last pass
          </span>
        )}
      </p>
      <p class="cause-headline">
        <a class="cause-link captured" href={href}>
          {block(said, LONGEST)}
        </a>
      </p>
      {isKnown && first.detail && <p class="cause-detail captured">{block(first.detail, LONGEST)}</p>}
      {isKnown && cause.headline && cause.headline !== first.title && (
        <p class="dim captured">{block(cause.headline, LONGEST)}</p>
      )}
    </>
  );
}

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
          <Cause {...data} />
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
