import type { JSX } from "preact";
import { inWords } from "../../../server/trace/format/step-words.ts";
import { api } from "../../api/calls.ts";
import { failureLine } from "../../ui/failure-line.ts";
import { formatAge, formatCount } from "../../ui/format.ts";
import { Histogram } from "../../ui/histogram.tsx";
import { Failed, Loading, Message } from "../../ui/message.tsx";
import { ScrollPane } from "../../ui/scroll-pane.tsx";
import { oneLine } from "../../ui/text.ts";
import { useLoad } from "../../ui/use-load.ts";
import { useNow } from "../../ui/use-now.ts";
import { FailureState } from "../failures/table.tsx";

const DAYS = 90;
const MOST = 50;

/** What made the scenario fail lately, each with a way to its last trace. */
export function ScenarioFailures({ slug, revision }: { slug: string; revision: number }): JSX.Element {
  const load = (signal: AbortSignal) => {
    const from = new Date(Date.now() - DAYS * 24 * 3_600_000).toISOString();
    return api.failures({ scenario: slug, from, limit: MOST }, signal);
  };
  const { data, error } = useLoad(slug, load, revision);
  const now = useNow(false);
  return (
    <section class="scenario-failures" aria-labelledby="scenario-failures">
      <header class="facets-head">
        <h2 id="scenario-failures">Failures, last {DAYS} days</h2>
        <a href={`/failures?since=90d&scenario=${slug}`}>All</a>
      </header>
      {error ? (
        <Failed error={error} />
      ) : !data ? (
        <Loading />
      ) : data.items.length === 0 ? (
        <Message title="None." />
      ) : (
        <ScrollPane label="Failures of this scenario">
          <ul>
            {data.items.map((group) => (
              <li key={group.signature} class="failure-item">
                <a class="row-link captured" href={`/traces/${group.last_trace.id}`}>
                  {group.message ? failureLine(group.message, 200) : oneLine(group.signature, 100)}
                </a>
                {group.last_trace.headline !== null && (
                  <p class="dim captured">{oneLine(inWords(group.last_trace.headline), 400)}</p>
                )}
                <p class="list-two-top dim">
                  <FailureState state={group.state} />
                  <span>{formatCount(group.count)}×</span>
                  <Histogram counts={group.histogram} of="Failures, three days each" />
                  <span class="bar-space" />
                  <span>{formatAge(group.last_seen, now)}</span>
                </p>
              </li>
            ))}
          </ul>
        </ScrollPane>
      )}
    </section>
  );
}
