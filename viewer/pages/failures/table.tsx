import type { Signal } from "@preact/signals";
import type { JSX } from "preact";
import type { FailureGroup } from "../../../server/trace/failures/model.ts";
import { inWords, stepWords } from "../../../server/trace/format/step-words.ts";
import { setQuery } from "../../router.ts";
import type { Column } from "../../ui/columns.ts";
import { failureLine } from "../../ui/failure-line.ts";
import { formatAge, formatCount, formatWall, plural } from "../../ui/format.ts";
import { Histogram } from "../../ui/histogram.tsx";
import { CheckCircle, CrossCircle, Steps, Warning } from "../../ui/icons.tsx";
import { isNarrow } from "../../ui/media.ts";
import { Message } from "../../ui/message.tsx";
import type { Pages } from "../../ui/pages.ts";
import { PagedTable } from "../../ui/rows-table.tsx";
import { nameOf, Project, placeOf } from "../../ui/test-name.tsx";
import { oneLine } from "../../ui/text.ts";
import { useNow } from "../../ui/use-now.ts";
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
  const names = group.scenarios.map((scenario) => oneLine(nameOf(scenario), 80)).join(", ");
  if (!only) return <span>{plural(group.scenario_count, "scenario")}</span>;
  const name = oneLine(nameOf(only), 160);
  const others = group.scenario_count - 1;
  // A finger would not tell a link from the row.
  if (isNarrow.value)
    return <span class="captured">{others > 0 ? `${name} and ${formatCount(others)} more` : name}</span>;
  const first = (
    <a class="captured over-row ellipsis" href={`/scenarios/${only.slug}`} title={names}>
      {name}
    </a>
  );
  if (others === 0)
    return (
      <span class="scenarios-cell">
        {first}
        <Project test={only.test} />
      </span>
    );
  return (
    <span class="scenarios-cell">
      {first}
      <a
        class="over-row"
        href={tracesOf(group)}
        title={names}
        aria-label={`and ${formatCount(others)} more: the traces of all ${formatCount(group.scenario_count)} scenarios with this failure`}
      >
        and {formatCount(others)} more
      </a>
    </span>
  );
}

/** @param props.hasStep whether it says where it failed: another step may fail with the same words */
function Title({ group, hasStep = false }: { group: FailureGroup; hasStep?: boolean }): JSX.Element {
  return (
    <a
      class="row-link ellipsis captured"
      href={`/traces/${group.last_trace.id}`}
      title={oneLine(group.message ?? "", 600)}
    >
      {words(group)}
      {hasStep && group.step && <span class="dim"> · {stepOf(group)}</span>}
    </a>
  );
}

/** What a step did, and on what, in words. */
const stepOf = ({ step }: FailureGroup): string => {
  if (step === null) return "";
  const { verb, target } = stepWords(oneLine(step, 300));
  return target === null ? verb : `${verb} · ${target}`;
};

/** Why it failed the last time. */
function Why({ group }: { group: FailureGroup }): JSX.Element | null {
  const { headline } = group.last_trace;
  if (headline === null) return null;
  return (
    <div class="row-why ellipsis dim captured" title={oneLine(headline, 600)}>
      {oneLine(inWords(headline), 400)}
    </div>
  );
}

const histogramOf = (group: FailureGroup, period: Period): JSX.Element => (
  <Histogram counts={group.histogram} of={`Failures, ${period.bars}`} />
);

function Card({ group, now, period }: { group: FailureGroup; now: number; period: Period }): JSX.Element {
  return (
    <div class="list-two" role="cell">
      <div class="list-two-top">
        <Title group={group} />
      </div>
      <div class="dim ellipsis">
        <Scenarios group={group} />
        {group.step && <span class="captured"> · {stepOf(group)}</span>}
      </div>
      <Why group={group} />
      <div class="list-two-top dim">
        <FailureState state={group.state} />
        <span class="num">{formatCount(group.count)}×</span>
        {histogramOf(group, period)}
        <span class="bar-space" />
        <span>{formatAge(group.last_seen, now)}</span>
      </div>
    </div>
  );
}

const columnsAt = (now: number, period: Period): Column<FailureGroup>[] => [
  { head: "State", width: "88px", cell: ({ state }) => <FailureState state={state} /> },
  {
    head: "Failure",
    width: "minmax(160px, 1.6fr)",
    cell: (group) => (
      <>
        <Title group={group} hasStep />
        <Why group={group} />
      </>
    ),
  },
  { head: "Count", width: "52px", class: "num", cell: ({ count }) => formatCount(count) },
  {
    head: "When",
    width: "122px",
    class: "col-bars",
    isExtra: true,
    title: () => `${period.label}, ${period.bars}`,
    cell: (group) => histogramOf(group, period),
  },
  {
    head: "Scenario",
    width: "minmax(100px, 1.2fr)",
    cellClass: "dim",
    cell: (group) => (
      <>
        <Scenarios group={group} />
        {group.scenarios[0]?.test && (
          <div class="row-why mono ellipsis captured" title={oneLine(group.scenarios[0].test.file, 300)}>
            {placeOf(group.scenarios[0].test)}
          </div>
        )}
      </>
    ),
  },
  {
    head: "Commit",
    width: "66px",
    class: "col-commit",
    cellClass: "mono dim ellipsis captured",
    has: ({ last_trace }) => !!last_trace.code_sha,
    isExtra: true,
    cell: ({ last_trace }) => oneLine(last_trace.code_sha ?? "").slice(0, 8),
  },
  {
    head: "First seen",
    width: "68px",
    class: "num",
    cellClass: "dim",
    title: ({ first_seen }) => formatWall(first_seen),
    cell: ({ first_seen }) => formatAge(first_seen, now),
  },
  {
    head: "Last seen",
    width: "68px",
    class: "num",
    cellClass: "dim",
    title: ({ last_seen }) => formatWall(last_seen),
    cell: ({ last_seen }) => formatAge(last_seen, now),
  },
  {
    head: "All traces",
    isHeadHidden: true,
    width: "26px",
    cell: (group) => (
      <a
        class="icon-link over-row"
        href={tracesOf(group)}
        aria-label={`All ${plural(group.count, "trace")} of this failure`}
        title="All its traces ( l )"
      >
        <Steps />
      </a>
    ),
  },
];

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
  const now = useNow(false);
  return (
    <PagedTable
      label="Failures"
      class="failure-row"
      columns={columnsAt(now, period)}
      linesOf={(group) => (group.last_trace.headline !== null || group.scenarios[0]?.test ? 2 : 1)}
      cardHeight={92}
      pages={pages}
      active={active.value}
      empty={<Empty isFiltered={isFiltered} period={period} />}
      card={(group) => <Card group={group} now={now} period={period} />}
    />
  );
}
