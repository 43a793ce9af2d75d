import type { Signal } from "@preact/signals";
import type { JSX } from "preact";
import type { HistoryList } from "../../../server/trace/histories/model.ts";
import { setQuery } from "../../router.ts";
import type { Column } from "../../ui/columns.ts";
import { causeLine } from "../../ui/failure-line.ts";
import { formatAge, formatDuration, formatWall } from "../../ui/format.ts";
import { flakinessWords, percent } from "../../ui/history-words.tsx";
import { Steps } from "../../ui/icons.tsx";
import { Message } from "../../ui/message.tsx";
import type { Pages } from "../../ui/pages.ts";
import { PagedTable } from "../../ui/rows-table.tsx";
import { RunStrip } from "../../ui/run-strip.tsx";
import { Status } from "../../ui/status.tsx";
import { LongName, linesOfName, ownName, testColumns } from "../../ui/test-name.tsx";
import { oneLine } from "../../ui/text.ts";
import { useNow } from "../../ui/use-now.ts";
import { WatchFirst } from "../../ui/watch-first.tsx";

type Item = HistoryList["items"][number];

/** Of a title, what a line has room for on an ordinary window. */
const LETTERS = 104;

function Title({ item, isOneLine }: { item: Item; isOneLine: boolean }): JSX.Element {
  const { scenario } = item;
  return (
    <a class="row-link ellipsis captured" href={`/scenarios/${scenario.slug}`} title={scenario.slug}>
      {isOneLine ? ownName(scenario) : <LongName {...scenario} letters={LETTERS} />}
    </a>
  );
}

const flakyWord = ({ statistics }: Item): string =>
  statistics.flakiness.score === null ? "–" : percent(statistics.flakiness.score);

const failureOf = ({ headline, failure_message }: Item["last"]): string =>
  causeLine(headline, failure_message);

/** Of a strip beside which the narrowest phone has room for the rate. */
const MOST_RUNS_OF_CARD = 22;

/** On a phone: why the last run failed, else how long a run takes. */
function Card({ item, now }: { item: Item; now: number }): JSX.Element {
  const { last, runs, statistics } = item;
  const { pass_rate, flakiness, duration } = statistics;
  const failure = failureOf(last);
  return (
    <div class="list-two" role="cell">
      <div class="list-two-top">
        <Status status={last.status} />
        <Title item={item} isOneLine />
        <span class="dim">{formatAge(last.created_at, now)}</span>
      </div>
      <div class="scenario-card-runs">
        <RunStrip runs={runs} most={MOST_RUNS_OF_CARD} />
        <span class="dim num">{pass_rate === null ? "no verdict" : `${percent(pass_rate)} passed`}</span>
      </div>
      <div class="dim ellipsis captured">
        {failure ||
          [
            flakiness.score ? `${flakyWord(item)} flaky` : "",
            duration.median_ms === null ? "" : formatDuration(duration.median_ms),
            oneLine(item.scenario.test?.project ?? "", 60),
          ]
            .filter(Boolean)
            .join(" · ")}
      </div>
    </div>
  );
}

/** Of a strip of runs, and how many of them the widest has. */
const CELL = 9;
const MOST_RUNS = 30;
const LEAST_STRIP = 76;

const linesOf = ({ scenario, last }: Item): number =>
  linesOfName(scenario, LETTERS) + (failureOf(last) === "" ? 0 : 1);

const columnsAt = (now: number, items: readonly Item[]): Column<Item>[] => [
  { head: "Last run", width: "78px", cell: ({ last }) => <Status status={last.status} /> },
  {
    head: "Scenario",
    width: "minmax(140px, 1fr)",
    cell: (item) => (
      <>
        <Title item={item} isOneLine={false} />
        {failureOf(item.last) !== "" && (
          <div
            class="row-why ellipsis dim captured"
            title={oneLine(item.last.headline ?? item.last.failure_message ?? "", 600)}
          >
            {failureOf(item.last)}
          </div>
        )}
      </>
    ),
  },
  ...testColumns(items, ({ scenario }) => scenario.test),
  {
    head: "Last runs",
    // No wider than the longest of them.
    width: `${Math.max(LEAST_STRIP, ...items.map(({ runs }) => Math.min(MOST_RUNS, runs.length) * CELL + 2))}px`,
    class: "col-strip",
    cell: ({ runs }) => <RunStrip runs={runs} />,
  },
  {
    head: "Passed",
    width: "52px",
    class: "num",
    cell: ({ statistics: { pass_rate } }) => (pass_rate === null ? "–" : percent(pass_rate)),
  },
  {
    head: "Flaky",
    width: "46px",
    class: "num",
    has: ({ statistics }) => statistics.flakiness.score !== null,
    title: ({ statistics }) => flakinessWords(statistics),
    cell: (item) => <span class={item.statistics.flakiness.score ? "" : "dim"}>{flakyWord(item)}</span>,
  },
  {
    head: "Median",
    width: "64px",
    class: "num",
    cellClass: "dim",
    has: ({ statistics }) => statistics.duration.median_ms !== null,
    cell: ({ statistics: { duration } }) =>
      duration.median_ms === null ? "–" : formatDuration(duration.median_ms),
  },
  {
    head: "Broke at",
    width: "66px",
    class: "col-commit",
    cellClass: "mono dim ellipsis captured",
    has: ({ regression }) => !!regression?.first_red.code_sha,
    isExtra: true,
    title: () => "First failing commit after the last pass",
    cell: ({ regression }) => oneLine(regression?.first_red.code_sha ?? "", 40).slice(0, 8),
  },
  {
    head: "Age",
    width: "48px",
    class: "num",
    cellClass: "dim",
    title: ({ last }) => formatWall(last.created_at),
    cell: ({ last }) => formatAge(last.created_at, now),
  },
];

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
      <WatchFirst />
    </Message>
  );
}

interface ScenarioTableProps {
  pages: Pages<Item>;
  active: Signal<number>;
  isFiltered: boolean;
}

export function ScenarioTable({ pages, active, isFiltered }: ScenarioTableProps): JSX.Element {
  const now = useNow(false);
  return (
    <PagedTable
      label="Scenarios"
      class="scenario-row"
      columns={columnsAt(now, pages.items.value)}
      linesOf={linesOf}
      cardHeight={74}
      pages={pages}
      active={active.value}
      empty={<Empty isFiltered={isFiltered} />}
      card={(item) => <Card item={item} now={now} />}
    />
  );
}
