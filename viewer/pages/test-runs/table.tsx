import type { Signal } from "@preact/signals";
import type { JSX } from "preact";
import { setQuery } from "../../router.ts";
import type { Column } from "../../ui/columns.ts";
import { formatAge, formatWall } from "../../ui/format.ts";
import { Message } from "../../ui/message.tsx";
import type { Pages } from "../../ui/pages.ts";
import { PagedTable } from "../../ui/rows-table.tsx";
import { oneLine } from "../../ui/text.ts";
import type { TestRun } from "./api.ts";
import { Commit, runLength, runName, shardWords } from "./run-parts.tsx";
import { RunStatus, TotalsBar, totalsWords } from "./signs.tsx";

const branchOf = (run: TestRun): string => oneLine(run.branch ?? "", 200);

const linkTo = (run: TestRun): JSX.Element => (
  <a class="row-link ellipsis captured" href={`/test-runs/${run.short_id}`}>
    {runName(run)}
  </a>
);

function Card({ run, now }: { run: TestRun; now: number }): JSX.Element {
  return (
    <div class="list-two" role="cell">
      <div class="list-two-top">
        <RunStatus status={run.status} />
        {linkTo(run)}
        <span class="dim" title={formatWall(run.started_at)}>
          {formatAge(run.started_at, now)}
        </span>
      </div>
      <div class="list-two-top dim">
        <span class="ellipsis">{totalsWords(run.totals)}</span>
      </div>
      <div class="list-two-top dim">
        <span class="ellipsis captured">{branchOf(run)}</span>
        <Commit run={run} />
        <span class="bar-space" />
        <span class="num">{runLength(run, now)}</span>
      </div>
    </div>
  );
}

const columnsAt = (now: number): Column<TestRun>[] => [
  { head: "Status", width: "96px", cell: ({ status }) => <RunStatus status={status} /> },
  { head: "Test run", width: "minmax(90px, 0.7fr)", cellClass: "ellipsis", cell: linkTo },
  {
    head: "Tests",
    width: "minmax(240px, 2.2fr)",
    cellClass: "totals-cell",
    title: ({ totals }) => totalsWords(totals),
    cell: ({ totals }) => (
      <>
        <TotalsBar totals={totals} />
        <span class="ellipsis">{totalsWords(totals)}</span>
      </>
    ),
  },
  {
    head: "Branch",
    width: "minmax(80px, 0.8fr)",
    cellClass: "ellipsis captured",
    has: ({ branch }) => !!branch,
    cell: branchOf,
  },
  {
    head: "Commit",
    width: "136px",
    cellClass: "ellipsis",
    has: ({ commit_sha }) => commit_sha !== null,
    cell: (run) => <Commit run={run} />,
  },
  {
    head: "PR",
    width: "48px",
    class: "num",
    has: ({ pr_number }) => pr_number !== null,
    cell: ({ pr_number }) => (pr_number === null ? "" : `#${pr_number}`),
  },
  {
    head: "Shards",
    width: "92px",
    cellClass: "dim ellipsis",
    has: ({ shards }) => shards.length > 0,
    cell: shardWords,
  },
  { head: "Duration", width: "72px", class: "num", cell: (run) => runLength(run, now) },
  {
    head: "Age",
    width: "48px",
    class: "num",
    cellClass: "dim",
    title: ({ started_at }) => formatWall(started_at),
    cell: ({ started_at }) => formatAge(started_at, now),
  },
];

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
      columns={columnsAt(props.now)}
      cardHeight={74}
      pages={props.pages}
      active={props.active.value}
      empty={<Empty isFiltered={props.isFiltered} />}
      card={(run) => <Card run={run} now={props.now} />}
    />
  );
}
