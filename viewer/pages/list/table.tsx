import { type Signal, useSignal } from "@preact/signals";
import type { CSSProperties, JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { errorText, type TraceListItem } from "../../api.ts";
import { failureLine } from "../../ui/failure-line.ts";
import { formatAge, formatBytes, formatCount, formatDuration, formatWall } from "../../ui/format.ts";
import { Compare, Pin, Upload } from "../../ui/icons.tsx";
import { canHover, isNarrow } from "../../ui/media.ts";
import { Failed, Loading, Message } from "../../ui/message.tsx";
import { Status, TierMark } from "../../ui/status.tsx";
import { TableHead } from "../../ui/table-head.tsx";
import { oneLine } from "../../ui/text.ts";
import { notify } from "../../ui/toast.tsx";
import { VirtualList } from "../../ui/virtual.tsx";
import { clearFilters, filters, isFiltered } from "./filters.ts";
import { isMarked, toggleMark } from "./marked.tsx";
import type { ListModel } from "./model.ts";
import { Preview, type PreviewTarget } from "./preview.tsx";

const ROW = 28;
const NARROW_ROW = 54;
const HOVER_MS = 160;
const AGE_MS = 30_000;

const SOURCE_WORD = { pr: "PR", schedule: "schedule", manual: "manual", shadow_diff: "shadow" };

interface RowProps {
  item: TraceListItem;
  index: number;
  isActive: boolean;
  style: CSSProperties;
  now: number;
  onPin: () => void;
  onHover: (event: PointerEvent | null) => void;
}

function PinButton({ item, onPin }: { item: TraceListItem; onPin: () => void }): JSX.Element {
  return (
    <button
      type="button"
      class={item.pinned ? "icon-button pin is-on" : "icon-button pin"}
      aria-pressed={item.pinned}
      aria-label={item.pinned ? "Pinned" : "Pin"}
      title={item.pinned ? "Pinned: kept past its retention" : "Pin: keep past its retention"}
      tabIndex={-1}
      onClick={onPin}
    >
      <Pin />
    </button>
  );
}

function MarkButton({ item }: { item: TraceListItem }): JSX.Element {
  const isOn = isMarked(item.id);
  return (
    <button
      type="button"
      class={isOn ? "icon-button pin is-on" : "icon-button pin"}
      aria-pressed={isOn}
      aria-label={isOn ? "Marked for comparing" : "Mark for comparing"}
      title={isOn ? "Marked for comparing ( x )" : "Mark for comparing with another trace ( x )"}
      tabIndex={-1}
      onClick={() => toggleMark(item)}
    >
      <Compare />
    </button>
  );
}

function Row({ item, index, isActive, style, now, onPin, onHover }: RowProps): JSX.Element {
  const href = `/traces/${item.id}`;
  const title = oneLine(item.scenario_title || item.scenario_slug, 200);
  const failure = item.failure_message ? failureLine(item.failure_message) : "";
  const isUnsettled = item.status === "queued" || item.status === "running";
  const className = `row ${isNarrow.value ? "list-card" : "list-row"}${isActive ? " is-active" : ""}${isMarked(item.id) ? " is-marked" : ""}`;
  if (isNarrow.value) {
    return (
      <div class={className} role="row" aria-rowindex={index + 2} style={style}>
        <div class="list-two" role="cell">
          <div class="list-two-top">
            <Status status={item.status} />
            <a class="row-link ellipsis captured" href={href}>
              {title}
            </a>
            <span class="dim">{formatAge(item.created_at, now)}</span>
          </div>
          <div class="dim ellipsis captured">
            {failure || `${formatDuration(item.duration_ms)} · ${formatBytes(item.total_size_bytes)}`}
          </div>
        </div>
        <div class="col-pin" role="cell">
          <MarkButton item={item} />
        </div>
      </div>
    );
  }
  return (
    <div
      class={className}
      role="row"
      aria-rowindex={index + 2}
      style={style}
      onPointerEnter={onHover}
      onPointerLeave={() => onHover(null)}
    >
      <div role="cell">
        <Status status={item.status} />
      </div>
      <div role="cell" class="ellipsis">
        <a class="row-link captured" href={href}>
          {title}
        </a>
      </div>
      <div role="cell" class="ellipsis dim captured" title={oneLine(item.failure_message ?? "", 600)}>
        {failure}
      </div>
      <div role="cell" class="num">
        {isUnsettled ? "–" : formatDuration(item.duration_ms)}
      </div>
      <div role="cell" class={item.error_count > 0 ? "num" : "num dim"}>
        {formatCount(item.error_count)}
      </div>
      <div role="cell" class="num dim">
        {formatBytes(item.total_size_bytes)}
      </div>
      <div role="cell" class="col-tier">
        <TierMark tier={item.tier} />
      </div>
      <div role="cell" class="dim col-source">
        {item.source ? SOURCE_WORD[item.source] : ""}
      </div>
      <div role="cell" class="mono dim ellipsis col-commit captured">
        {oneLine(item.code_sha ?? "").slice(0, 8)}
      </div>
      <div role="cell" class="num dim" title={formatWall(item.created_at)}>
        {formatAge(item.created_at, now)}
      </div>
      <div role="cell" class="col-pin">
        <MarkButton item={item} />
        <PinButton item={item} onPin={onPin} />
      </div>
    </div>
  );
}

const HEADS = [
  ["Status", ""],
  ["Scenario", ""],
  ["Failure", ""],
  ["Duration", "num"],
  ["Errors", "num"],
  ["Size", "num"],
  ["Tier", "col-tier"],
  ["Source", "col-source"],
  ["Commit", "col-commit"],
  ["Age", "num"],
] as const;

function Empty({ onUpload }: { onUpload: () => void }): JSX.Element {
  if (isFiltered.value) {
    const q = filters.value.words;
    return (
      <Message
        title={
          q ? `No trace matches “${oneLine(q, 80)}” with these filters.` : "No trace matches these filters."
        }
      >
        <button type="button" class="button" onClick={clearFilters}>
          Clear all filters
        </button>
      </Message>
    );
  }
  return (
    <Message icon={<Upload />} title="No traces yet. Drop a trace.zip or a bundle anywhere on this page.">
      <p>
        <button type="button" class="button is-primary" onClick={onUpload}>
          Choose files…
        </button>
      </p>
      <p class="dim">or from a terminal</p>
      <p>
        <code class="command">tracedeck ingest trace.zip --scenario checkout</code>
      </p>
    </Message>
  );
}

interface ListTableProps {
  model: ListModel;
  active: Signal<number>;
  onUpload: () => void;
}

export function ListTable({ model, active, onUpload }: ListTableProps): JSX.Element {
  const now = useSignal(Date.now());
  const preview = useSignal<PreviewTarget | null>(null);
  const hoverTimer = useRef<ReturnType<typeof setTimeout> | null>(null);
  const items = model.items.value;
  useEffect(() => {
    const timer = setInterval(() => {
      now.value = Date.now();
    }, AGE_MS);
    return () => clearInterval(timer);
  }, []);

  if (model.state.value === "error") {
    return <Failed error={model.error.value} retry={() => void model.load(filters.value)} />;
  }
  if (items.length === 0) {
    return model.state.value === "loading" ? (
      <Loading label="Loading traces" />
    ) : (
      <Empty onUpload={onUpload} />
    );
  }

  const pin = (item: TraceListItem): void => {
    model.setPinned(item, !item.pinned).catch((error) => notify(errorText(error), { isError: true }));
  };
  const hover = (item: TraceListItem, event: PointerEvent | null): void => {
    if (hoverTimer.current) clearTimeout(hoverTimer.current);
    preview.value = null;
    const blob = item.final_screenshot;
    if (!event || !blob || !canHover.value) return;
    const at = { x: event.clientX, y: event.clientY };
    hoverTimer.current = setTimeout(() => {
      preview.value = { item, blob, ...at };
    }, HOVER_MS);
  };
  return (
    <div class="list-table" role="table" aria-label="Traces" aria-rowcount={-1}>
      {!isNarrow.value && (
        <TableHead class="list-row" heads={HEADS} last="Compare and pin" lastClass="col-pin" />
      )}
      <VirtualList
        label="Traces"
        role="rowgroup"
        count={items.length}
        rowHeight={isNarrow.value ? NARROW_ROW : ROW}
        active={active.value}
        onRange={(_, last) => {
          if (last > items.length - 30) void model.loadMore();
        }}
        row={(index, style) => {
          const item = items[index];
          if (!item) return null;
          return (
            <Row
              key={item.id}
              item={item}
              index={index}
              isActive={index === active.value}
              style={style}
              now={now.value}
              onPin={() => pin(item)}
              onHover={(event) => hover(item, event)}
            />
          );
        }}
      />
      <Preview target={preview.value} />
    </div>
  );
}
