import type { Signal } from "@preact/signals";
import type { CSSProperties, JSX } from "preact";
import { setQuery } from "../../router.ts";
import { failureLine } from "../../ui/failure-line.ts";
import { formatAge, formatDuration, formatWall } from "../../ui/format.ts";
import { isNarrow } from "../../ui/media.ts";
import { Failed, Loading, Message } from "../../ui/message.tsx";
import type { Pages } from "../../ui/pages.ts";
import { Status } from "../../ui/status.tsx";
import { TableHead } from "../../ui/table-head.tsx";
import { oneLine } from "../../ui/text.ts";
import { VirtualList } from "../../ui/virtual.tsx";
import { hasEnded, type Run } from "./api.ts";

const ROW = 28;
const NARROW_ROW = 54;

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

interface RowProps {
  run: Run;
  index: number;
  isActive: boolean;
  style: CSSProperties;
  now: number;
}

function Row({ run, index, isActive, style, now }: RowProps): JSX.Element {
  const className = `row ${isNarrow.value ? "list-card" : "runs-row"}${isActive ? " is-active" : ""}`;
  const link = (
    <a class="row-link ellipsis" href={`/runs/${run.id}`}>
      {run.scenario_slug}
    </a>
  );
  const error = run.error ? failureLine(run.error.message) : "";
  const age = <span title={formatWall(run.scheduled_at)}>{formatAge(run.scheduled_at, now)}</span>;
  if (isNarrow.value)
    return (
      <div class={className} role="row" aria-rowindex={index + 2} style={style}>
        <div class="list-two" role="cell">
          <div class="list-two-top">
            <Status status={run.status} />
            {link}
            <HealedBadge count={run.healed.length} />
            <span class="bar-space" />
            <span class="dim">{age}</span>
          </div>
          <div class="dim ellipsis captured">
            {error || `${typeWord(run.type)} · ${run.region} · ${runLength(run, now)}`}
          </div>
        </div>
      </div>
    );
  return (
    <div class={className} role="row" aria-rowindex={index + 2} style={style}>
      <div role="cell">
        <Status status={run.status} />
      </div>
      <div role="cell" class="ellipsis runs-name">
        {link}
        <HealedBadge count={run.healed.length} />
      </div>
      <div role="cell" class="dim ellipsis">
        {typeWord(run.type)}
      </div>
      <div role="cell" class="dim ellipsis">
        {run.region}
      </div>
      <div role="cell" class="dim ellipsis">
        {run.attempt > 1 ? `${run.trigger}, attempt ${run.attempt}` : run.trigger}
      </div>
      <div role="cell" class="num">
        {runLength(run, now)}
      </div>
      <div role="cell" class="ellipsis dim captured" title={oneLine(run.error?.message ?? "", 600)}>
        {error}
      </div>
      <div role="cell" class="num dim">
        {age}
      </div>
    </div>
  );
}

const HEADS = [
  ["Status", ""],
  ["Scenario", ""],
  ["Type", ""],
  ["Region", ""],
  ["Trigger", ""],
  ["Duration", "num"],
  ["Error", ""],
  ["Age", "num"],
] as const;

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
    </Message>
  );
}

export function RunsTable(props: {
  pages: Pages<Run>;
  active: Signal<number>;
  isFiltered: boolean;
  now: number;
}): JSX.Element {
  const { pages, active, isFiltered, now } = props;
  const items = pages.items.value;
  if (pages.state.value === "error")
    return <Failed error={pages.error.value} retry={() => void pages.load()} />;
  if (items.length === 0)
    return pages.state.value === "loading" ? (
      <Loading label="Loading runs" />
    ) : (
      <Empty isFiltered={isFiltered} />
    );
  return (
    <div class="list-table" role="table" aria-label="Runs" aria-rowcount={-1}>
      {!isNarrow.value && <TableHead class="runs-row" heads={HEADS} />}
      <VirtualList
        label="Runs"
        role="rowgroup"
        count={items.length}
        rowHeight={isNarrow.value ? NARROW_ROW : ROW}
        active={active.value}
        onRange={(_, last) => {
          if (last > items.length - 20) void pages.loadMore();
        }}
        row={(index, style) => {
          const run = items[index];
          if (!run) return null;
          return (
            <Row
              key={run.id}
              run={run}
              index={index}
              isActive={index === active.value}
              style={style}
              now={now}
            />
          );
        }}
      />
    </div>
  );
}
