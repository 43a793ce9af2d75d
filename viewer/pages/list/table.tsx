import { type Signal, useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { hasEnded, type TraceListItem } from "../../api/answers.ts";
import { errorText } from "../../api/request.ts";
import { failureLine } from "../../ui/failure-line.ts";
import { formatAge, formatBytes, formatCount, formatDuration, formatWall } from "../../ui/format.ts";
import { Compare, Pin, Upload } from "../../ui/icons.tsx";
import { canHover, isNarrow } from "../../ui/media.ts";
import { Message } from "../../ui/message.tsx";
import { PagedTable } from "../../ui/rows-table.tsx";
import { Status, TierMark } from "../../ui/status.tsx";
import { oneLine } from "../../ui/text.ts";
import { notify } from "../../ui/toast.tsx";
import { clearFilters, filters, isFiltered } from "./filters.ts";
import { isMarked, toggleMark } from "./marked.tsx";
import type { ListModel } from "./model.ts";
import { Preview, type PreviewTarget } from "./preview.tsx";

const HOVER_MS = 160;
const AGE_MS = 30_000;

const SOURCE_WORD = { pr: "PR", schedule: "schedule", manual: "manual", shadow_diff: "shadow" };

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

interface CellsProps {
  item: TraceListItem;
  now: number;
  onPin: () => void;
}

function Cells({ item, now, onPin }: CellsProps): JSX.Element {
  const href = `/traces/${item.id}`;
  const title = oneLine(item.scenario_title || item.scenario_slug, 200);
  const failure = item.headline ?? (item.failure_message ? failureLine(item.failure_message) : "");
  if (isNarrow.value) {
    return (
      <>
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
      </>
    );
  }
  return (
    <>
      <div role="cell">
        <Status status={item.status} />
      </div>
      <div role="cell" class="ellipsis">
        <a class="row-link captured" href={href}>
          {title}
        </a>
      </div>
      <div
        role="cell"
        class="ellipsis dim captured"
        title={oneLine(item.headline ?? item.failure_message ?? "", 600)}
      >
        {failure}
      </div>
      <div role="cell" class="num">
        {hasEnded(item) ? formatDuration(item.duration_ms) : "–"}
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
    </>
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
  useEffect(() => {
    const timer = setInterval(() => {
      now.value = Date.now();
    }, AGE_MS);
    return () => clearInterval(timer);
  }, []);

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
    <>
      <PagedTable
        label="Traces"
        class="list-row"
        heads={HEADS}
        last="Compare and pin"
        lastClass="col-pin"
        cardHeight={54}
        pages={model.rows}
        active={active.value}
        empty={<Empty onUpload={onUpload} />}
        extras={(item) => ({
          class: isMarked(item.id) ? "is-marked" : "",
          onPointerEnter: (event) => hover(item, event),
          onPointerLeave: () => hover(item, null),
        })}
        cells={(item) => <Cells item={item} now={now.value} onPin={() => pin(item)} />}
      />
      <Preview target={preview.value} />
    </>
  );
}
