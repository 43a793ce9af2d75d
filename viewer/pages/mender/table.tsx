import type { Signal } from "@preact/signals";
import type { JSX } from "preact";
import { setQuery } from "../../router.ts";
import type { Column } from "../../ui/columns.ts";
import { formatAge, formatWall } from "../../ui/format.ts";
import { Message } from "../../ui/message.tsx";
import type { Pages } from "../../ui/pages.ts";
import { PagedTable } from "../../ui/rows-table.tsx";
import { oneLine } from "../../ui/text.ts";
import type { AttemptAnswer } from "./api.ts";
import { AttemptStatus, classWord, percent } from "./signs.tsx";

const linkTo = (attempt: AttemptAnswer): JSX.Element => (
  <a class="row-link ellipsis captured" href={`/mender/${attempt.id}`}>
    {oneLine(attempt.scenario_title || attempt.scenario_slug, 200)}
  </a>
);

function Card({ attempt, now }: { attempt: AttemptAnswer; now: number }): JSX.Element {
  return (
    <div class="list-two" role="cell">
      <div class="list-two-top">
        <AttemptStatus attempt={attempt} />
        {linkTo(attempt)}
        <span class="dim" title={formatWall(attempt.created_at)}>
          {formatAge(attempt.created_at, now)}
        </span>
      </div>
      <div class="dim ellipsis captured">{oneLine(attempt.summary, 200)}</div>
    </div>
  );
}

const columnsAt = (now: number): Column<AttemptAnswer>[] => [
  { head: "Status", width: "124px", cell: (attempt) => <AttemptStatus attempt={attempt} /> },
  { head: "Scenario", width: "minmax(140px, 1fr)", cellClass: "ellipsis", cell: linkTo },
  {
    head: "What broke",
    width: "minmax(0, 2fr)",
    cellClass: "dim ellipsis captured",
    title: ({ summary }) => oneLine(summary, 400),
    cell: ({ summary }) => oneLine(summary, 300),
  },
  {
    head: "Kind",
    width: "132px",
    cell: ({ classification, stage }) => (stage === "diagnosing" ? "" : classWord(classification)),
  },
  {
    head: "Sure",
    width: "56px",
    class: "num",
    cellClass: "dim",
    cell: ({ confidence, stage }) => (stage === "diagnosing" ? "" : percent(confidence)),
  },
  {
    head: "Age",
    width: "48px",
    class: "num",
    cellClass: "dim",
    title: ({ created_at }) => formatWall(created_at),
    cell: ({ created_at }) => formatAge(created_at, now),
  },
];

function Empty({ isFiltered }: { isFiltered: boolean }): JSX.Element {
  if (isFiltered)
    return (
      <Message title="No fix is like this.">
        <button type="button" class="button" onClick={() => setQuery({ status: null, scenario: null })}>
          Show all fixes
        </button>
      </Message>
    );
  return (
    <Message title="Nothing was looked at yet.">
      <p class="dim">
        When a scenario with a <code>mender</code> block fails, what broke is looked at here, and where the
        product has only changed, a fix of the scenario is proposed. <a href="/docs/mender">How that works</a>
      </p>
    </Message>
  );
}

export function AttemptTable(props: {
  pages: Pages<AttemptAnswer>;
  active: Signal<number>;
  isFiltered: boolean;
  now: number;
}): JSX.Element {
  return (
    <PagedTable
      label="Fixes"
      class="runs-row"
      columns={columnsAt(props.now)}
      cardHeight={54}
      pages={props.pages}
      active={props.active.value}
      empty={<Empty isFiltered={props.isFiltered} />}
      card={(attempt) => <Card attempt={attempt} now={props.now} />}
    />
  );
}
