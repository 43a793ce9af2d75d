import type { CSSProperties, JSX } from "preact";
import type { HistoryItem } from "../../../server/trace/histories/model.ts";
import { failureLine } from "../../ui/failure-line.ts";
import { formatAge, formatDuration, formatWall } from "../../ui/format.ts";
import { isNarrow } from "../../ui/media.ts";
import { runWords } from "../../ui/run-strip.tsx";
import { Status } from "../../ui/status.tsx";
import { TableHead } from "../../ui/table-head.tsx";
import { oneLine } from "../../ui/text.ts";
import { VirtualList } from "../../ui/virtual.tsx";

const ROW = 28;
const NARROW_ROW = 54;

/** What led to the run, as short as it can be said. */
function origin({ pr_number, source, attempt }: HistoryItem): string {
  const from = pr_number === null ? (source ?? "").replace("_", " ") : `PR #${pr_number}`;
  return [from, attempt === null ? "" : `attempt ${attempt}`].filter(Boolean).join(", ");
}

function Row({
  item,
  index,
  style,
  isActive,
  now,
}: {
  item: HistoryItem;
  index: number;
  style: CSSProperties;
  isActive: boolean;
  now: number;
}): JSX.Element {
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
  const className = `row ${isNarrow.value ? "list-card" : "run-row"}${isActive ? " is-active" : ""}`;
  if (isNarrow.value)
    return (
      <div class={className} role="row" aria-rowindex={index + 2} style={style}>
        <div class="list-two" role="cell">
          <div class="list-two-top">
            <Status status={item.status} />
            <span class="mono dim captured">{commit}</span>
            <span class="bar-space" />
            <span class="dim">{link}</span>
          </div>
          <div class="dim ellipsis captured">{failure || formatDuration(item.duration_ms)}</div>
        </div>
      </div>
    );
  return (
    <div class={className} role="row" aria-rowindex={index + 2} style={style}>
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
    </div>
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
    <div class="list-table" role="table" aria-label="Runs" aria-rowcount={items.length + 1}>
      {!isNarrow.value && <TableHead class="run-row" heads={HEADS} />}
      <VirtualList
        label="Runs"
        role="rowgroup"
        count={items.length}
        rowHeight={isNarrow.value ? NARROW_ROW : ROW}
        active={active}
        row={(index, style) => {
          const item = items[index];
          if (!item) return null;
          return (
            <Row
              key={item.id}
              item={item}
              index={index}
              style={style}
              isActive={index === active || item.id === hovered}
              now={now}
            />
          );
        }}
      />
    </div>
  );
}
