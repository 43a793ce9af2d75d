import type { Signal } from "@preact/signals";
import type { JSX } from "preact";
import { hasEnded } from "../../api/answers.ts";
import { setQuery } from "../../router.ts";
import type { Column } from "../../ui/columns.ts";
import { causeLine } from "../../ui/failure-line.ts";
import { formatAge, formatDuration, formatWall } from "../../ui/format.ts";
import { Message } from "../../ui/message.tsx";
import type { Pages } from "../../ui/pages.ts";
import { PagedTable } from "../../ui/rows-table.tsx";
import { Status } from "../../ui/status.tsx";
import { oneLine } from "../../ui/text.ts";
import { WatchFirst } from "../../ui/watch-first.tsx";
import type { Run } from "./api.ts";

export const typeWord = (type: Run["type"]): string => type.replace("_", " ");

/** How long it took, or has been going on. */
export function runLength(run: Run, now: number): string {
  if (run.started_at === null) return "–";
  return formatDuration(hasEnded(run) ? run.duration_ms : Math.max(0, now - Date.parse(run.started_at)));
}

export function HealedBadge({ count }: { count: number }): JSX.Element | null {
  if (count === 0) return null;
  const title = `${count === 1 ? "A target was" : `${count} targets were`} found by what earlier passes saw`;
  return (
    <span class="run-badge" title={title}>
      healed
    </span>
  );
}

const linkTo = (run: Run): JSX.Element => (
  <a class="row-link ellipsis" href={`/runs/${run.id}`}>
    {run.scenario_slug}
  </a>
);

const failureOf = ({ headline, error }: Run): string => causeLine(headline, error?.message ?? null);

function Card({ run, now }: { run: Run; now: number }): JSX.Element {
  return (
    <div class="list-two" role="cell">
      <div class="list-two-top">
        <Status status={run.status} />
        {linkTo(run)}
        <HealedBadge count={run.healed.length} />
        <span class="dim" title={formatWall(run.scheduled_at)}>
          {formatAge(run.scheduled_at, now)}
        </span>
      </div>
      <div class="dim ellipsis captured">
        {failureOf(run) || `${typeWord(run.type)} · ${run.region} · ${runLength(run, now)}`}
      </div>
    </div>
  );
}

const columnsAt = (now: number): Column<Run>[] => [
  { head: "Status", width: "84px", cell: ({ status }) => <Status status={status} /> },
  {
    head: "Scenario",
    width: "minmax(140px, 1fr)",
    cellClass: "ellipsis runs-name",
    cell: (run) => (
      <>
        {linkTo(run)}
        <HealedBadge count={run.healed.length} />
      </>
    ),
  },
  { head: "Type", width: "84px", cellClass: "dim ellipsis", cell: ({ type }) => typeWord(type) },
  { head: "Region", width: "104px", cellClass: "dim ellipsis", cell: ({ region }) => region },
  {
    head: "Trigger",
    width: "minmax(60px, 120px)",
    cellClass: "dim ellipsis",
    cell: ({ trigger, attempt }) => (attempt > 1 ? `${trigger}, attempt ${attempt}` : trigger),
  },
  { head: "Duration", width: "68px", class: "num", cell: (run) => runLength(run, now) },
  {
    head: "Failure",
    width: "minmax(0, 2fr)",
    cellClass: "ellipsis dim captured",
    has: (run) => failureOf(run) !== "",
    title: ({ headline, error }) => oneLine(headline ?? error?.message ?? "", 600),
    cell: failureOf,
  },
  {
    head: "Age",
    width: "48px",
    class: "num",
    cellClass: "dim",
    title: ({ scheduled_at }) => formatWall(scheduled_at),
    cell: ({ scheduled_at }) => formatAge(scheduled_at, now),
  },
];

function Empty({ isFiltered }: { isFiltered: boolean }): JSX.Element {
  if (isFiltered)
    return (
      <Message title="No run is like this.">
        <button
          type="button"
          class="button"
          onClick={() => setQuery({ status: null, type: null, scenario: null })}
        >
          Show all runs
        </button>
      </Message>
    );
  return (
    <Message title="Nothing has been run yet.">
      <p class="dim">
        Load a folder of scenarios, then run one from its page; or run a file here and now:
        <code class="command">tracedeck scenarios sync scenarios/</code>
        <code class="command">tracedeck run scenarios/checkout.scenario.md</code>
      </p>
      <WatchFirst />
    </Message>
  );
}

export function RunsTable(props: {
  pages: Pages<Run>;
  active: Signal<number>;
  isFiltered: boolean;
  now: number;
}): JSX.Element {
  return (
    <PagedTable
      label="Runs"
      class="runs-row"
      columns={columnsAt(props.now)}
      cardHeight={54}
      pages={props.pages}
      active={props.active.value}
      empty={<Empty isFiltered={props.isFiltered} />}
      card={(run) => <Card run={run} now={props.now} />}
    />
  );
}
