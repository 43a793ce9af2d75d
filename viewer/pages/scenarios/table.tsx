import type { Signal } from "@preact/signals";
import type { JSX } from "preact";
import type { HistoryList } from "../../../server/trace/histories/model.ts";
import { setQuery } from "../../router.ts";
import { failureLine } from "../../ui/failure-line.ts";
import { formatAge, formatDuration, formatWall } from "../../ui/format.ts";
import { flakinessWords, percent } from "../../ui/history-words.tsx";
import { Steps } from "../../ui/icons.tsx";
import { isNarrow } from "../../ui/media.ts";
import { Message } from "../../ui/message.tsx";
import type { Pages } from "../../ui/pages.ts";
import { PagedTable } from "../../ui/rows-table.tsx";
import { RunStrip } from "../../ui/run-strip.tsx";
import { Status } from "../../ui/status.tsx";
import { oneLine } from "../../ui/text.ts";

type Item = HistoryList["items"][number];

function Cells({ item, now }: { item: Item; now: number }): JSX.Element {
  const { scenario, last, runs, statistics, regression } = item;
  const { pass_rate, flakiness, duration } = statistics;
  const title = (
    <a class="row-link ellipsis captured" href={`/scenarios/${scenario.slug}`} title={scenario.slug}>
      {oneLine(scenario.title || scenario.slug, 200)}
    </a>
  );
  const flaky = flakiness.score === null ? "–" : percent(flakiness.score);
  if (isNarrow.value)
    return (
      <div class="list-two" role="cell">
        <div class="list-two-top">
          <Status status={last.status} />
          {title}
          <span class="dim">{formatAge(last.created_at, now)}</span>
        </div>
        <RunStrip runs={runs} />
        <div class="dim ellipsis">
          {pass_rate === null ? "no verdict" : `${percent(pass_rate)} passed`}
          {flakiness.score !== null && flakiness.score > 0 && ` · ${flaky} flaky`}
          {duration.median_ms !== null && ` · ${formatDuration(duration.median_ms)}`}
        </div>
      </div>
    );
  const sha = regression?.first_red.code_sha;
  return (
    <>
      <div role="cell">
        <Status status={last.status} />
      </div>
      <div role="cell" class="ellipsis">
        {title}
      </div>
      <div role="cell" class="col-strip">
        <RunStrip runs={runs} />
      </div>
      <div role="cell" class="num">
        {pass_rate === null ? "–" : percent(pass_rate)}
      </div>
      <div role="cell" class={flakiness.score ? "num" : "num dim"} title={flakinessWords(statistics)}>
        {flaky}
      </div>
      <div role="cell" class="num dim">
        {duration.median_ms === null ? "–" : formatDuration(duration.median_ms)}
      </div>
      <div role="cell" class="ellipsis dim captured" title={oneLine(last.failure_message ?? "", 600)}>
        {last.failure_message ? failureLine(last.failure_message) : ""}
      </div>
      <div
        role="cell"
        class="mono dim ellipsis captured col-commit"
        title="First failing commit after the last pass"
      >
        {sha ? oneLine(sha, 40).slice(0, 8) : ""}
      </div>
      <div role="cell" class="num dim" title={formatWall(last.created_at)}>
        {formatAge(last.created_at, now)}
      </div>
    </>
  );
}

const HEADS = [
  ["Last run", ""],
  ["Scenario", ""],
  ["Last 30 runs", "col-strip"],
  ["Passed", "num"],
  ["Flaky", "num"],
  ["Median", "num"],
  ["Last failure", ""],
  ["Broke at", "col-commit"],
  ["Age", "num"],
] as const;

function Empty({ isFiltered }: { isFiltered: boolean }): JSX.Element {
  if (isFiltered)
    return (
      <Message title="No scenario matches.">
        <button type="button" class="button" onClick={() => setQuery({ q: null, status: null })}>
          Clear search and filter
        </button>
      </Message>
    );
  return (
    <Message icon={<Steps />} title="No scenario has run yet.">
      <p class="dim">
        Each scenario with a finished trace shows here with its last 30 runs, how often it passes, how flaky
        it is, and where it broke.
      </p>
      <p>
        <code class="command">
          tracedeck ingest trace.zip --scenario checkout --commit $(git rev-parse HEAD)
        </code>
      </p>
    </Message>
  );
}

interface ScenarioTableProps {
  pages: Pages<Item>;
  active: Signal<number>;
  isFiltered: boolean;
}

export function ScenarioTable({ pages, active, isFiltered }: ScenarioTableProps): JSX.Element {
  const now = Date.now();
  return (
    <PagedTable
      label="Scenarios"
      class="scenario-row"
      heads={HEADS}
      cardHeight={74}
      pages={pages}
      active={active.value}
      empty={<Empty isFiltered={isFiltered} />}
      cells={(item) => <Cells item={item} now={now} />}
    />
  );
}
