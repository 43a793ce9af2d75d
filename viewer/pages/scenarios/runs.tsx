import type { JSX } from "preact";
import type { HistoryItem } from "../../../server/trace/histories/model.ts";
import { failureLine } from "../../ui/failure-line.ts";
import { formatAge, formatDuration, formatWall } from "../../ui/format.ts";
import { isNarrow } from "../../ui/media.ts";
import { RowsTable } from "../../ui/rows-table.tsx";
import { runWords } from "../../ui/run-strip.tsx";
import { Status } from "../../ui/status.tsx";
import { oneLine } from "../../ui/text.ts";

/** What led to the run, as short as it can be said. */
function origin({ pr_number, source, attempt }: HistoryItem): string {
  const from = pr_number === null ? (source ?? "").replace("_", " ") : `PR #${pr_number}`;
  return [from, attempt === null ? "" : `attempt ${attempt}`].filter(Boolean).join(", ");
}

function Cells({ item, now }: { item: HistoryItem; now: number }): JSX.Element {
  const commit = oneLine(item.code_sha ?? "", 40).slice(0, 8);
  const failure = item.failure_message ? failureLine(item.failure_message) : "";
  const link = (
    <a
      class="row-link"
      href={`/traces/${item.id}`}
      aria-label={runWords(item, now)}
      title={formatWall(item.created_at)}
    >
      {formatAge(item.created_at, now)}
    </a>
  );
  if (isNarrow.value)
    return (
      <div class="list-two" role="cell">
        <div class="list-two-top">
          <Status status={item.status} />
          <span class="mono dim captured">{commit}</span>
          <span class="bar-space" />
          <span class="dim">{link}</span>
        </div>
        <div class="dim ellipsis captured">{failure || formatDuration(item.duration_ms)}</div>
      </div>
    );
  return (
    <>
      <div role="cell">
        <Status status={item.status} />
      </div>
      <div role="cell" class="mono ellipsis captured" title={oneLine(item.code_sha ?? "", 200)}>
        {commit}
      </div>
      <div role="cell" class="dim ellipsis">
        {origin(item)}
      </div>
      <div role="cell" class="num">
        {formatDuration(item.duration_ms)}
      </div>
      <div role="cell" class="ellipsis dim captured" title={oneLine(item.failure_message ?? "", 600)}>
        {failure}
      </div>
      <div role="cell" class="num dim">
        {link}
      </div>
    </>
  );
}

const HEADS = [
  ["Outcome", ""],
  ["Commit", ""],
  ["Source", ""],
  ["Duration", "num"],
  ["Failure", ""],
  ["Age", "num"],
] as const;

/** The runs one by one, newest first. */
export function RunTable({
  items,
  active,
  hovered,
}: {
  items: readonly HistoryItem[];
  active: number;
  hovered: string | null;
}): JSX.Element {
  const now = Date.now();
  return (
    <RowsTable
      label="Runs"
      class="run-row"
      heads={HEADS}
      cardHeight={54}
      items={items}
      keyOf={({ id }) => id}
      active={active}
      extras={({ id }) => (id === hovered ? { class: "is-active" } : {})}
      cells={(item) => <Cells item={item} now={now} />}
    />
  );
}
