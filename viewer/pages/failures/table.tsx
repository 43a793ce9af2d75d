import type { Signal } from "@preact/signals";
import type { JSX } from "preact";
import type { FailureGroup } from "../../../server/trace/failures/model.ts";
import { setQuery } from "../../router.ts";
import { failureLine } from "../../ui/failure-line.ts";
import { formatAge, formatCount, formatWall, plural } from "../../ui/format.ts";
import { Histogram } from "../../ui/histogram.tsx";
import { CheckCircle, CrossCircle, Steps, Warning } from "../../ui/icons.tsx";
import { isNarrow } from "../../ui/media.ts";
import { Message } from "../../ui/message.tsx";
import type { Pages } from "../../ui/pages.ts";
import { PagedTable } from "../../ui/rows-table.tsx";
import { oneLine } from "../../ui/text.ts";
import type { Period } from "./periods.ts";

/** How the states of a failure are shown. */
export const STATE_SIGNS = {
  new: { word: "New", tone: "is-failed", Icon: Warning, why: "First seen in this period" },
  ongoing: { word: "Ongoing", tone: "is-error", Icon: CrossCircle, why: "Seen before this period as well" },
  resolved: {
    word: "Resolved",
    tone: "is-passed",
    Icon: CheckCircle,
    why: "Every scenario concerned has passed since",
  },
};

/** New, ongoing or resolved, as icon and word. */
export function FailureState({ state }: { state: FailureGroup["state"] }): JSX.Element {
  const { word, tone, Icon, why } = STATE_SIGNS[state];
  return (
    <span class={`status ${tone}`} title={why}>
      <Icon />
      {word}
    </span>
  );
}

const words = (group: FailureGroup) =>
  group.message ? failureLine(group.message) : oneLine(group.signature, 100);

const tracesOf = (group: FailureGroup): string => `/traces?signature=${encodeURIComponent(group.signature)}`;

/** The scenario by its title, of several the one that fails most. */
function Scenarios({ group }: { group: FailureGroup }): JSX.Element {
  const [only] = group.scenarios;
  const names = group.scenarios.map(({ title, slug }) => oneLine(title || slug, 80)).join(", ");
  if (!only) return <span>{plural(group.scenario_count, "scenario")}</span>;
  const name = oneLine(only.title || only.slug, 100);
  const others = group.scenario_count - 1;
  // A finger would not tell a link from the row.
  if (isNarrow.value)
    return <span class="captured">{others > 0 ? `${name} and ${formatCount(others)} more` : name}</span>;
  const first = (
    <a class="captured over-row ellipsis" href={`/scenarios/${only.slug}`} title={names}>
      {name}
    </a>
  );
  if (others === 0) return first;
  return (
    <span class="scenarios-cell">
      {first}
      <a
        class="over-row"
        href={tracesOf(group)}
        title={names}
        aria-label={`The traces of all ${formatCount(group.scenario_count)} scenarios with this failure`}
      >
        and {formatCount(others)} more
      </a>
    </span>
  );
}

interface CellsProps {
  group: FailureGroup;
  now: number;
  period: Period;
}

function Cells({ group, now, period }: CellsProps): JSX.Element {
  const href = `/traces/${group.last_trace.id}`;
  const link = (
    <a class="row-link ellipsis captured" href={href} title={oneLine(group.message ?? "", 600)}>
      {words(group)}
      {group.step && !isNarrow.value && <span class="failure-step dim"> {oneLine(group.step, 200)}</span>}
    </a>
  );
  const histogram = <Histogram counts={group.histogram} of={`Failures, ${period.bars}`} />;
  if (isNarrow.value)
    return (
      <div class="list-two" role="cell">
        <div class="list-two-top">{link}</div>
        <div class="dim ellipsis">
          <Scenarios group={group} />
          {group.step && <span class="captured"> · {oneLine(group.step, 200)}</span>}
        </div>
        <div class="list-two-top dim">
          <FailureState state={group.state} />
          <span class="num">{formatCount(group.count)}×</span>
          {histogram}
          <span class="bar-space" />
          <span>{formatAge(group.last_seen, now)}</span>
        </div>
      </div>
    );
  return (
    <>
      <div role="cell">
        <FailureState state={group.state} />
      </div>
      <div role="cell" class="ellipsis">
        {link}
      </div>
      <div role="cell" class="num">
        {formatCount(group.count)}
      </div>
      <div role="cell" class="col-bars" title={`${period.label}, ${period.bars}`}>
        {histogram}
      </div>
      <div role="cell" class="ellipsis dim">
        <Scenarios group={group} />
      </div>
      <div role="cell" class="mono dim ellipsis captured col-commit">
        {oneLine(group.last_trace.code_sha ?? "").slice(0, 8)}
      </div>
      <div role="cell" class="num dim" title={formatWall(group.first_seen)}>
        {formatAge(group.first_seen, now)}
      </div>
      <div role="cell" class="num dim" title={formatWall(group.last_seen)}>
        {formatAge(group.last_seen, now)}
      </div>
      <div role="cell">
        <a
          class="icon-link over-row"
          href={tracesOf(group)}
          aria-label={`All ${plural(group.count, "trace")} of this failure`}
          title="All its traces ( l )"
        >
          <Steps />
        </a>
      </div>
    </>
  );
}

const HEADS = [
  ["State", ""],
  ["Failure", ""],
  ["Count", "num"],
  ["When", "col-bars"],
  ["Scenario", ""],
  ["Commit", "col-commit"],
  ["First seen", "num"],
  ["Last seen", "num"],
] as const;

function Empty({ isFiltered, period }: { isFiltered: boolean; period: Period }): JSX.Element {
  if (isFiltered)
    return (
      <Message title="No failure matches in this period.">
        <button
          type="button"
          class="button"
          onClick={() => setQuery({ q: null, scenario: null, state: null })}
        >
          Clear search, state and scenario
        </button>
      </Message>
    );
  return (
    <Message
      icon={<CheckCircle class="is-passed" />}
      title={`Nothing failed in the ${period.label.toLowerCase()}.`}
    >
      <p class="dim">
        Failed traces show here as one line for each kind of failure: how often, since when, in which
        scenarios, and whether it is over.
      </p>
    </Message>
  );
}

interface FailureTableProps {
  pages: Pages<FailureGroup>;
  active: Signal<number>;
  period: Period;
  isFiltered: boolean;
}

export function FailureTable({ pages, active, period, isFiltered }: FailureTableProps): JSX.Element {
  const now = Date.now();
  return (
    <PagedTable
      label="Failures"
      class="failure-row"
      heads={HEADS}
      last="All traces"
      cardHeight={74}
      pages={pages}
      active={active.value}
      empty={<Empty isFiltered={isFiltered} period={period} />}
      cells={(group) => <Cells group={group} now={now} period={period} />}
    />
  );
}
