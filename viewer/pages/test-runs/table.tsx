import type { Signal } from "@preact/signals";
import type { JSX } from "preact";
import { setQuery } from "../../router.ts";
import { formatAge, formatWall } from "../../ui/format.ts";
import { isNarrow } from "../../ui/media.ts";
import { Message } from "../../ui/message.tsx";
import type { Pages } from "../../ui/pages.ts";
import { PagedTable } from "../../ui/rows-table.tsx";
import { oneLine } from "../../ui/text.ts";
import type { TestRun } from "./api.ts";
import { Commit, runLength, runName, shardWords } from "./run-parts.tsx";
import { RunStatus, TotalsBar, totalsWords } from "./signs.tsx";

function Cells({ run, now }: { run: TestRun; now: number }): JSX.Element {
  const link = (
    <a class="row-link ellipsis captured" href={`/test-runs/${run.short_id}`}>
      {runName(run)}
    </a>
  );
  const age = <span title={formatWall(run.started_at)}>{formatAge(run.started_at, now)}</span>;
  const branch = oneLine(run.branch ?? "", 200);
  if (isNarrow.value)
    return (
      <div class="list-two" role="cell">
        <div class="list-two-top">
          <RunStatus status={run.status} />
          {link}
          <span class="dim">{age}</span>
        </div>
        <div class="list-two-top dim">
          <span class="ellipsis">{totalsWords(run.totals)}</span>
        </div>
        <div class="list-two-top dim">
          <span class="ellipsis captured">{branch}</span>
          <Commit run={run} />
          <span class="bar-space" />
          <span class="num">{runLength(run, now)}</span>
        </div>
      </div>
    );
  return (
    <>
      <div role="cell">
        <RunStatus status={run.status} />
      </div>
      <div role="cell" class="ellipsis">
        {link}
      </div>
      <div role="cell" class="totals-cell" title={totalsWords(run.totals)}>
        <TotalsBar totals={run.totals} />
        <span class="ellipsis">{totalsWords(run.totals)}</span>
      </div>
      <div role="cell" class="ellipsis captured">
        {branch}
      </div>
      <div role="cell" class="ellipsis">
        <Commit run={run} />
      </div>
      <div role="cell" class="num">
        {run.pr_number === null ? "" : `#${run.pr_number}`}
      </div>
      <div role="cell" class="dim ellipsis">
        {shardWords(run)}
      </div>
      <div role="cell" class="num">
        {runLength(run, now)}
      </div>
      <div role="cell" class="num dim">
        {age}
      </div>
    </>
  );
}

const HEADS = [
  ["Status", ""],
  ["Test run", ""],
  ["Tests", ""],
  ["Branch", ""],
  ["Commit", ""],
  ["PR", "num"],
  ["Shards", ""],
  ["Duration", "num"],
  ["Age", "num"],
] as const;

function Empty({ isFiltered }: { isFiltered: boolean }): JSX.Element {
  if (isFiltered)
    return (
      <Message title="No test run is like this.">
        <button
          type="button"
          class="button"
          onClick={() => setQuery({ status: null, branch: null, commit: null, pr: null })}
        >
          Show all test runs
        </button>
      </Message>
    );
  return (
    <Message title="No test run has been told of yet.">
      <p class="dim">
        A test run is one run of a suite, with all its tests and shards. Playwright tells of it while it runs,
        and reports make one afterwards:
        <code class="command">tracedeck playwright init</code>
        <code class="command">tracedeck ingest blob-report/</code>
      </p>
    </Message>
  );
}

export function TestRunTable(props: {
  pages: Pages<TestRun>;
  active: Signal<number>;
  isFiltered: boolean;
  now: number;
}): JSX.Element {
  return (
    <PagedTable
      label="Test runs"
      class="test-runs-row"
      heads={HEADS}
      cardHeight={74}
      pages={props.pages}
      active={props.active.value}
      empty={<Empty isFiltered={props.isFiltered} />}
      cells={(run) => <Cells run={run} now={props.now} />}
    />
  );
}
