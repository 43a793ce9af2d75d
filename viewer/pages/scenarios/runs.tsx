import type { JSX } from "preact";
import type { HistoryEntry } from "../../../server/trace/histories/model.ts";
import type { Column } from "../../ui/columns.ts";
import { causeLine } from "../../ui/failure-line.ts";
import { formatAge, formatDuration, formatWall } from "../../ui/format.ts";
import { RowsTable } from "../../ui/rows-table.tsx";
import { hrefOf, runWords } from "../../ui/run-strip.tsx";
import { Status } from "../../ui/status.tsx";
import { oneLine } from "../../ui/text.ts";
import { useNow } from "../../ui/use-now.ts";

/** What led to the run, as short as it can be said. */
function origin({ pr_number, source, attempt }: HistoryEntry): string {
  const from = pr_number === null ? (source ?? "").replace("_", " ") : `PR #${pr_number}`;
  return [from, attempt === null ? "" : `attempt ${attempt}`].filter(Boolean).join(", ");
}

const commitOf = ({ code_sha }: HistoryEntry): string => oneLine(code_sha ?? "", 40).slice(0, 8);

const failureOf = ({ headline, failure_message }: HistoryEntry): string =>
  causeLine(headline, failure_message);

function Link({ item, now }: { item: HistoryEntry; now: number }): JSX.Element {
  return (
    <a
      class="row-link"
      href={hrefOf(item)}
      aria-label={runWords(item, now)}
      title={formatWall(item.created_at)}
    >
      {formatAge(item.created_at, now)}
    </a>
  );
}

function Card({ item, now }: { item: HistoryEntry; now: number }): JSX.Element {
  return (
    <div class="list-two" role="cell">
      <div class="list-two-top">
        <Status status={item.status} />
        <span class="mono dim captured">{commitOf(item)}</span>
        <span class="bar-space" />
        <span class="dim">
          <Link item={item} now={now} />
        </span>
      </div>
      <div class="dim ellipsis captured">{failureOf(item) || formatDuration(item.duration_ms)}</div>
    </div>
  );
}

const columnsAt = (now: number): Column<HistoryEntry>[] => [
  { head: "Outcome", width: "78px", cell: ({ status }) => <Status status={status} /> },
  {
    head: "Commit",
    width: "72px",
    cellClass: "mono ellipsis captured",
    has: ({ code_sha }) => !!code_sha,
    title: ({ code_sha }) => oneLine(code_sha ?? "", 200),
    cell: commitOf,
  },
  {
    head: "Source",
    width: "minmax(60px, 130px)",
    cellClass: "dim ellipsis",
    has: (item) => origin(item) !== "",
    cell: origin,
  },
  { head: "Duration", width: "68px", class: "num", cell: ({ duration_ms }) => formatDuration(duration_ms) },
  {
    head: "Failure",
    width: "minmax(0, 1fr)",
    cellClass: "ellipsis dim captured",
    title: ({ headline, failure_message }) => oneLine(headline ?? failure_message ?? "", 600),
    cell: failureOf,
  },
  {
    head: "Age",
    width: "48px",
    class: "num",
    cellClass: "dim",
    cell: (item) => <Link item={item} now={now} />,
  },
];

/** The runs one by one, newest first. */
export function RunTable({
  items,
  active,
  hovered,
}: {
  items: readonly HistoryEntry[];
  active: number;
  hovered: string | null;
}): JSX.Element {
  const now = useNow(false);
  return (
    <RowsTable
      label="Runs"
      class="run-row"
      columns={columnsAt(now)}
      cardHeight={54}
      items={items}
      keyOf={({ id }) => id}
      active={active}
      extras={({ id }) => (id === hovered ? { class: "is-active" } : {})}
      card={(item) => <Card item={item} now={now} />}
    />
  );
}
