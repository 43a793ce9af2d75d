import type { Signal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import { query, setQuery } from "../../router.ts";
import type { Column } from "../../ui/columns.ts";
import { formatAge, formatWall } from "../../ui/format.ts";
import { Clock } from "../../ui/icons.tsx";
import { Message } from "../../ui/message.tsx";
import { createPages, type Pages } from "../../ui/pages.ts";
import { PagedTable } from "../../ui/rows-table.tsx";
import { TablePage } from "../../ui/table-page.tsx";
import { useNow } from "../../ui/use-now.ts";
import { usePagedRows } from "../../ui/use-rows.ts";
import { WatchFirst } from "../../ui/watch-first.tsx";
import { type Check, checksApi } from "./api.ts";
import { CheckState, LastRuns, scheduleWords, titleOf } from "./parts.tsx";

const PAGE = 50;
const FRESH_MS = 15_000;

const linkTo = (check: Check): JSX.Element => (
  <a class="row-link ellipsis captured" href={`/checks/${check.id}`} title={check.scenario_slug}>
    {titleOf(check)}
  </a>
);

/** `in 4 min`, or a dash for what does not run. */
function nextWord({ next_run_at }: Check, now: number): string {
  if (next_run_at === null) return "–";
  const minutes = Math.ceil((Date.parse(next_run_at) - now) / 60_000);
  if (minutes <= 0) return "now";
  return minutes < 120 ? `in ${minutes} min` : `in ${Math.round(minutes / 60)} h`;
}

function Card({ check, now }: { check: Check; now: number }): JSX.Element {
  return (
    <div class="list-two" role="cell">
      <div class="list-two-top">
        <CheckState check={check} />
        {linkTo(check)}
        <LastRuns check={check} isBrief />
      </div>
      <div class="dim ellipsis">
        {scheduleWords(check)} · {nextWord(check, now)} · {check.regions.join(", ")}
      </div>
    </div>
  );
}

const columnsAt = (now: number): Column<Check>[] => [
  { head: "State", width: "78px", cell: (check) => <CheckState check={check} /> },
  { head: "Scenario", width: "minmax(140px, 1fr)", cellClass: "ellipsis", cell: linkTo },
  { head: "Last runs", width: "minmax(120px, 340px)", cell: (check) => <LastRuns check={check} /> },
  {
    head: "Schedule",
    width: "minmax(90px, 190px)",
    cellClass: "dim ellipsis",
    title: ({ cron, timezone }) => `${cron} (${timezone})`,
    cell: scheduleWords,
  },
  {
    head: "Next run",
    width: "78px",
    class: "num",
    cellClass: "dim",
    title: ({ next_run_at }) => (next_run_at ? formatWall(next_run_at) : "It does not run."),
    cell: (check) => nextWord(check, now),
  },
  {
    head: "Last run",
    width: "66px",
    class: "num",
    cellClass: "dim",
    title: ({ last_run_at }) => (last_run_at ? formatWall(last_run_at) : ""),
    cell: ({ last_run_at }) => (last_run_at ? formatAge(last_run_at, now) : "–"),
  },
];

function Empty({ scenario }: { scenario: string }): JSX.Element {
  if (scenario !== "")
    return (
      <Message title="This scenario is not watched.">
        <a href={`/scenarios/${encodeURIComponent(scenario)}`}>The scenario</a>
      </Message>
    );
  return (
    <Message icon={<Clock />} title="Nothing is watched yet.">
      <p class="dim">
        A check runs a scenario by the clock, from one region or several. Open a{" "}
        <a href="/scenarios">scenario</a> and press <strong>Watch</strong>, or say it in its file:
      </p>
      <p>
        <code class="command">schedule: {'{ cron: "*/5 * * * *", regions: [us-east-1] }'}</code>
      </p>
      <WatchFirst />
    </Message>
  );
}

function ChecksTable({
  pages,
  active,
  scenario,
}: {
  pages: Pages<Check>;
  active: Signal<number>;
  scenario: string;
}): JSX.Element {
  const now = useNow(true);
  return (
    <PagedTable
      label="Scheduled checks"
      class="check-row"
      columns={columnsAt(now)}
      cardHeight={54}
      pages={pages}
      active={active.value}
      empty={<Empty scenario={scenario} />}
      card={(check) => <Card check={check} now={now} />}
    />
  );
}

/** What runs by the clock, and how it fared last. */
export function ChecksPage(): JSX.Element {
  const scenario = query.value.get("scenario") ?? "";
  const pages = useMemo(
    () =>
      createPages<Check>(
        (cursor, signal) =>
          checksApi.list(
            { scenario: query.peek().get("scenario") ?? "", cursor: cursor ?? undefined, limit: PAGE },
            signal,
          ),
        ({ id }) => id,
      ),
    [],
  );
  const active = usePagedRows({
    pages,
    asked: scenario,
    what: "check",
    href: ({ id }) => `/checks/${id}`,
  });
  useEffect(() => {
    const timer = setInterval(() => void pages.refresh(), FRESH_MS);
    return () => clearInterval(timer);
  }, [pages]);
  return (
    <TablePage
      title="Checks"
      isLoading={pages.state.value === "loading"}
      choices={
        <div class="check-choices">
          {scenario !== "" && (
            <button type="button" class="toggle" aria-pressed onClick={() => setQuery({ scenario: null })}>
              Only {scenario}
            </button>
          )}
          <a class="button" href="/maintenance">
            Maintenance windows
          </a>
        </div>
      }
    >
      <ChecksTable pages={pages} active={active} scenario={scenario} />
    </TablePage>
  );
}
