import { type Signal, useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useRef } from "preact/hooks";
import { hasEnded, type TraceListItem } from "../../api/answers.ts";
import { errorText } from "../../api/request.ts";
import type { Column } from "../../ui/columns.ts";
import { causeLine } from "../../ui/failure-line.ts";
import { formatAge, formatBytes, formatCount, formatDuration, formatWall } from "../../ui/format.ts";
import { Compare, Pin, Upload } from "../../ui/icons.tsx";
import { canHover } from "../../ui/media.ts";
import { Message } from "../../ui/message.tsx";
import { PagedTable } from "../../ui/rows-table.tsx";
import { Status, TierMark } from "../../ui/status.tsx";
import { LongName, linesOfName, nameOf, ownName, placeOf, testColumns } from "../../ui/test-name.tsx";
import { oneLine } from "../../ui/text.ts";
import { notify } from "../../ui/toast.tsx";
import { useNow } from "../../ui/use-now.ts";
import { WatchFirst } from "../../ui/watch-first.tsx";
import { clearFilters, filters, isFiltered } from "./filters.ts";
import { isMarked, toggleMark } from "./marked.tsx";
import type { ListModel } from "./model.ts";
import { Preview, type PreviewTarget } from "./preview.tsx";

const HOVER_MS = 160;

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

const failureOf = ({ headline, failure_message }: TraceListItem): string =>
  causeLine(headline ?? null, failure_message);

const named = (item: TraceListItem) => ({
  slug: item.scenario_slug,
  title: item.scenario_title,
  test: item.test,
});

/** Of a title, what a line has room for on an ordinary window. */
const LETTERS = 56;

/** A long title takes more lines, what failed one of its own. */
const linesOf = (item: TraceListItem): number =>
  linesOfName(named(item), LETTERS) + (failureOf(item) === "" ? 0 : 1);

function Title({ item }: { item: TraceListItem }): JSX.Element {
  const failure = failureOf(item);
  return (
    <>
      <a class="row-link ellipsis captured" href={`/traces/${item.id}`}>
        <LongName {...named(item)} letters={LETTERS} />
      </a>
      {failure && (
        <div
          class="row-why ellipsis dim captured"
          title={oneLine(item.headline ?? item.failure_message ?? "", 600)}
        >
          {failure}
        </div>
      )}
    </>
  );
}

function Card({ item, now }: { item: TraceListItem; now: number }): JSX.Element {
  return (
    <>
      <div class="list-two" role="cell">
        <div class="list-two-top">
          <Status status={item.status} />
          <a class="row-link ellipsis captured" href={`/traces/${item.id}`} title={nameOf(named(item))}>
            {ownName(named(item))}
          </a>
          <span class="dim">{formatAge(item.created_at, now)}</span>
        </div>
        <div class="dim ellipsis captured">
          {failureOf(item) ||
            [
              formatDuration(item.duration_ms),
              item.test ? placeOf(item.test) : formatBytes(item.total_size_bytes),
              item.test?.project,
            ]
              .filter(Boolean)
              .join(" · ")}
        </div>
      </div>
      <div class="col-pin" role="cell">
        <MarkButton item={item} />
      </div>
    </>
  );
}

const columnsAt = (
  now: number,
  items: readonly TraceListItem[],
  pin: (item: TraceListItem) => void,
): Column<TraceListItem>[] => [
  { head: "Status", width: "78px", cell: ({ status }) => <Status status={status} /> },
  { head: "Scenario", width: "minmax(120px, 1fr)", cell: (item) => <Title item={item} /> },
  ...testColumns(items, ({ test }) => test),
  {
    head: "Duration",
    width: "64px",
    class: "num",
    cell: (item) => (hasEnded(item) ? formatDuration(item.duration_ms) : "–"),
  },
  {
    head: "Errors",
    width: "46px",
    class: "num",
    has: ({ error_count }) => error_count > 0,
    cell: ({ error_count }) => (error_count > 0 ? formatCount(error_count) : ""),
  },
  {
    head: "Size",
    width: "60px",
    class: "num",
    cellClass: "dim",
    cell: ({ total_size_bytes }) => formatBytes(total_size_bytes),
  },
  {
    head: "Tier",
    width: "44px",
    class: "col-tier",
    has: ({ tier }) => tier !== "hot",
    isExtra: true,
    cell: ({ tier }) => <TierMark tier={tier} />,
  },
  {
    head: "Source",
    width: "62px",
    class: "col-source",
    cellClass: "dim",
    has: ({ source }) => source !== null && source !== "manual",
    isExtra: true,
    cell: ({ source }) => (source ? SOURCE_WORD[source] : ""),
  },
  {
    head: "Commit",
    width: "66px",
    class: "col-commit",
    cellClass: "mono dim ellipsis captured",
    has: ({ code_sha }) => !!code_sha,
    isExtra: true,
    cell: ({ code_sha }) => oneLine(code_sha ?? "").slice(0, 8),
  },
  {
    head: "Age",
    width: "48px",
    class: "num",
    cellClass: "dim",
    title: ({ created_at }) => formatWall(created_at),
    cell: ({ created_at }) => formatAge(created_at, now),
  },
  {
    head: "Compare and pin",
    isHeadHidden: true,
    width: "52px",
    class: "col-pin",
    cell: (item) => (
      <>
        <MarkButton item={item} />
        <PinButton item={item} onPin={() => pin(item)} />
      </>
    ),
  },
];

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
      <p class="dim">Nothing recorded yet?</p>
      <WatchFirst />
    </Message>
  );
}

interface ListTableProps {
  model: ListModel;
  active: Signal<number>;
  onUpload: () => void;
}

export function ListTable({ model, active, onUpload }: ListTableProps): JSX.Element {
  const now = useNow(false);
  const preview = useSignal<PreviewTarget | null>(null);
  const hoverTimer = useRef<ReturnType<typeof setTimeout> | null>(null);

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
        columns={columnsAt(now, model.rows.items.value, pin)}
        linesOf={linesOf}
        cardHeight={54}
        pages={model.rows}
        active={active.value}
        empty={<Empty onUpload={onUpload} />}
        extras={(item) => ({
          class: isMarked(item.id) ? "is-marked" : "",
          onPointerEnter: (event) => hover(item, event),
          onPointerLeave: () => hover(item, null),
        })}
        card={(item) => <Card item={item} now={now} />}
      />
      <Preview target={preview.value} />
    </>
  );
}
