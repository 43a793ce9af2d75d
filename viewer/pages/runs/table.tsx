import type { Signal } from "@preact/signals";
import type { JSX } from "preact";
import { hasEnded } from "../../api/answers.ts";
import { setQuery } from "../../router.ts";
import { failureLine } from "../../ui/failure-line.ts";
import { formatAge, formatDuration, formatWall } from "../../ui/format.ts";
import { isNarrow } from "../../ui/media.ts";
import { Message } from "../../ui/message.tsx";
import type { Pages } from "../../ui/pages.ts";
import { PagedTable } from "../../ui/rows-table.tsx";
import { Status } from "../../ui/status.tsx";
import { oneLine } from "../../ui/text.ts";
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

function Cells({ run, now }: { run: Run; now: number }): JSX.Element {
  const link = (
    <a class="row-link ellipsis" href={`/runs/${run.id}`}>
      {run.scenario_slug}
    </a>
  );
  const error = run.error ? failureLine(run.error.message) : "";
  const age = <span title={formatWall(run.scheduled_at)}>{formatAge(run.scheduled_at, now)}</span>;
  if (isNarrow.value)
    return (
      <div class="list-two" role="cell">
        <div class="list-two-top">
          <Status status={run.status} />
          {link}
          <HealedBadge count={run.healed.length} />
          <span class="dim">{age}</span>
        </div>
        <div class="dim ellipsis captured">
          {error || `${typeWord(run.type)} · ${run.region} · ${runLength(run, now)}`}
        </div>
      </div>
    );
  return (
    <>
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
    </>
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
  return (
    <PagedTable
      label="Runs"
      class="runs-row"
      heads={HEADS}
      cardHeight={54}
      pages={props.pages}
      active={props.active.value}
      empty={<Empty isFiltered={props.isFiltered} />}
      cells={(run) => <Cells run={run} now={props.now} />}
    />
  );
}
