import { computed, type Signal, signal } from "@preact/signals";
import type { CSSProperties, JSX } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import { formatBytes, formatDuration, formatOffset } from "../../ui/format.ts";
import { ArrowDown, ArrowUp, CrossCircle, Download, Search } from "../../ui/icons.tsx";
import { Failed, Loading, Message } from "../../ui/message.tsx";
import { oneLine, shortUrl } from "../../ui/text.ts";
import { VirtualList } from "../../ui/virtual.tsx";
import { type TraceModel, useModel } from "../model/model.ts";
import { FRAME, isBad, type NetworkRow } from "../model/network.ts";
import { filterRows, findRow, type RowList, rowOfSeq, sortRows } from "../model/row-list.ts";
import { useEvent } from "../model/use-event.ts";
import { ListWithDetail } from "./detail.tsx";
import { RequestDetail } from "./request.tsx";
import { createScope, perModel } from "./scope.ts";
import { StepToggle } from "./step-toggle.tsx";
import { Bar, type Span, spanOf } from "./waterfall.tsx";

const ROW = 26;
const SORTS = ["start", "status", "size", "time"] as const;
type Sort = (typeof SORTS)[number];

const SORT_VALUE: Record<Sort, (row: NetworkRow) => number> = {
  start: (row) => row.ts,
  status: (row) => row.status ?? 999,
  size: (row) => row.size ?? -1,
  time: (row) => row.durationMs ?? -1,
};

/** What the status filter offers, and what each means. */
const OUTCOMES: readonly (readonly [string, string, (row: NetworkRow) => boolean])[] = [
  ["failed", "Failed", isBad],
  ["1", "1xx", (row) => classOf(row) === 1],
  ["2", "2xx", (row) => classOf(row) === 2],
  ["3", "3xx", (row) => classOf(row) === 3],
  ["4", "4xx", (row) => classOf(row) === 4],
  ["5", "5xx", (row) => classOf(row) === 5],
  ["error", "No connection", (row) => row.hasError],
  ["open", "No answer", (row) => row.responseSeq === null],
];
const classOf = (row: NetworkRow): number => Math.floor((row.status ?? 0) / 100);

const panelState = perModel((model: TraceModel) => {
  const scope = createScope(model);
  const words = signal("");
  const type = signal("");
  const outcome = signal("");
  const sort = signal<{ by: Sort; isFalling: boolean }>({ by: "start", isFalling: false });
  const types = computed(() => {
    const found = new Set<string>();
    for (const row of model.network.rows.value) if (row.type) found.add(row.type);
    return [...found].sort();
  });
  const isNamed = computed(() => {
    const text = words.value.trim().toLowerCase();
    if (text === "") return null;
    return (row: NetworkRow): boolean =>
      row.url.toLowerCase().includes(text) ||
      `${row.status ?? ""} ${row.method}`.toLowerCase().includes(text);
  });
  const rows = computed(() => {
    const includes = scope.includes.value;
    const isWanted = OUTCOMES.find(([id]) => id === outcome.value)?.[2];
    const kept = filterRows(
      model.network.rows.value,
      (row) =>
        includes(row, row.durationMs ?? 0) &&
        (!isWanted || isWanted(row)) &&
        (type.value === "" || row.type === type.value) &&
        (isNamed.value?.(row) ?? true),
    );
    const { by, isFalling } = sort.value;
    return sortRows(kept, SORT_VALUE[by], isFalling);
  });
  const outcomes = computed(() =>
    OUTCOMES.filter(([, , isOf]) => findRow(model.network.rows.value, isOf) !== undefined),
  );
  const span = computed(() => spanOf(rows.value));
  return { scope, words, type, outcome, outcomes, sort, types, rows, span };
});

type State = ReturnType<typeof panelState>;

function Toolbar({ state }: { state: State }): JSX.Element {
  const model = useModel();
  const total = model.network.rows.value.length;
  const { read, total: events } = model.network.progress.value;
  const isLoading = model.network.state.value === "loading";
  return (
    <div class="toolbar net-toolbar">
      <Search />
      <input
        class="bare-input"
        type="search"
        aria-label="Filter requests"
        placeholder="Filter"
        value={state.words.value}
        spellcheck={false}
        onInput={(event) => {
          state.words.value = event.currentTarget.value;
        }}
      />
      <select
        class="select"
        aria-label="Type"
        value={state.type.value}
        onChange={(event) => {
          state.type.value = event.currentTarget.value;
        }}
      >
        <option value="">All types</option>
        {state.types.value.map((type) => (
          <option key={type} value={type}>
            {oneLine(type, 24)}
          </option>
        ))}
      </select>
      <select
        class="select"
        aria-label="Status"
        value={state.outcome.value}
        onChange={(event) => {
          state.outcome.value = event.currentTarget.value;
        }}
      >
        <option value="">Any status</option>
        {state.outcomes.value.map(([id, title]) => (
          <option key={id} value={id}>
            {title}
          </option>
        ))}
      </select>
      <StepToggle isOn={state.scope.isStepOnly} />
      <span class="dim num" role="status">
        {isLoading
          ? `${Math.round((read / Math.max(1, events)) * 100)} %`
          : `${state.rows.value.length} of ${total}`}
      </span>
      {model.source.harUrl && total > 0 && (
        <a
          class="icon-button"
          href={model.source.harUrl}
          download
          aria-label="Download as HAR"
          title="Download as HAR"
        >
          <Download />
        </a>
      )}
    </div>
  );
}

function SortHead({
  by,
  title,
  sort,
}: {
  by: Sort;
  title: string;
  sort: Signal<{ by: Sort; isFalling: boolean }>;
}): JSX.Element {
  const isOn = sort.value.by === by;
  return (
    <div
      role="columnheader"
      class={by === "status" ? "" : by === "start" ? "num col-start" : "num"}
      aria-sort={isOn ? (sort.value.isFalling ? "descending" : "ascending") : "none"}
    >
      <button
        type="button"
        class="head-button"
        onClick={() => {
          sort.value = { by, isFalling: isOn ? !sort.value.isFalling : false };
        }}
      >
        {title}
        {isOn && by !== "start" && (sort.value.isFalling ? <ArrowDown /> : <ArrowUp />)}
      </button>
    </div>
  );
}

function RequestRow({
  row,
  index,
  span,
  isActive,
  style,
}: {
  row: NetworkRow;
  index: number;
  span: Span;
  isActive: boolean;
  style: CSSProperties;
}): JSX.Element {
  const model = useModel();
  const { host, path } = shortUrl(row.url);
  const bad = isBad(row);
  return (
    <div
      class={`row net-row${isActive ? " is-active" : ""}${bad ? " is-bad" : ""}`}
      role="row"
      aria-rowindex={index + 2}
      aria-selected={isActive}
      style={style}
    >
      <div role="cell" class={bad ? "is-failed net-status" : "net-status"}>
        {bad && <CrossCircle label="Failed" />}
        {row.hasError && !row.status ? "error" : (row.status ?? "…")}
      </div>
      <div role="cell" class="mono dim">
        {oneLine(row.method, 8)}
      </div>
      <div role="cell" class="ellipsis">
        <button
          type="button"
          class="row-link ellipsis captured"
          title={oneLine(row.url, 600)}
          onClick={() => model.openEvent("network", isActive ? null : row.seq)}
        >
          {path || (host ? "" : "(no address)")}
          <span class="dim net-host"> {host}</span>
        </button>
      </div>
      <div role="cell" class="dim ellipsis col-type captured">
        {oneLine(row.type, 24)}
      </div>
      <div role="cell" class="num dim col-size">
        {row.size === null ? "" : formatBytes(row.size)}
      </div>
      <div role="cell" class="num">
        {row.durationMs === null ? "" : formatDuration(row.durationMs)}
      </div>
      <div role="cell" class="num dim col-start">
        {formatOffset(model.elapsed(row.ts))}
      </div>
      <div role="cell" class="col-bar">
        <Bar row={row} span={span} />
      </div>
    </div>
  );
}

function NetworkTable({ state, open }: { state: State; open: NetworkRow | undefined }): JSX.Element {
  const rows = state.rows.value;
  const span = state.span.value;
  const active = useMemo(() => (open ? placeOf(rows, open.seq) : -1), [rows, open?.seq]);
  return (
    <div class="table" role="table" aria-label="Requests" aria-rowcount={rows.length + 1}>
      <div class="row net-row table-head" role="row" aria-rowindex={1}>
        <SortHead by="status" title="Status" sort={state.sort} />
        <div role="columnheader">Method</div>
        <div role="columnheader">Address</div>
        <div role="columnheader" class="col-type">
          Type
        </div>
        <div role="columnheader" class="num col-size">
          <SizeHead state={state} />
        </div>
        <SortHead by="time" title="Took" sort={state.sort} />
        <SortHead by="start" title="Start" sort={state.sort} />
        <div role="columnheader" class="num col-bar">
          <button
            type="button"
            class="head-button"
            title="In the order of time. The bars span the time from the first to the last of these requests."
            onClick={() => {
              state.sort.value = { by: "start", isFalling: false };
            }}
          >
            {rows.length > 0 ? formatDuration(span.to - span.from) : "Time"}
          </button>
        </div>
      </div>
      <VirtualList
        label="Requests"
        role="rowgroup"
        count={rows.length}
        rowHeight={ROW}
        active={active}
        row={(index, style) => {
          const row = rows.at(index);
          return row ? (
            <RequestRow
              key={row.seq}
              row={row}
              index={index}
              span={span}
              isActive={index === active}
              style={style}
            />
          ) : null;
        }}
      />
    </div>
  );
}

function SizeHead({ state }: { state: State }): JSX.Element {
  const isOn = state.sort.value.by === "size";
  return (
    <button
      type="button"
      class="head-button"
      onClick={() => {
        state.sort.value = { by: "size", isFalling: isOn ? !state.sort.value.isFalling : true };
      }}
    >
      Size
    </button>
  );
}

/** Where the row of a sequence number stands, whatever their order; -1 when it is not among them. */
function placeOf(rows: RowList<NetworkRow>, seq: number): number {
  let place = 0;
  for (const row of rows) {
    if (row.seq === seq) return place;
    place += 1;
  }
  return -1;
}

/** The exchange that one of these events belongs to. */
const exchangeOf = (rows: RowList<NetworkRow>, seq: number): NetworkRow | undefined =>
  rowOfSeq(rows, seq) ?? findRow(rows, (row) => row.responseSeq === seq);

/** Every request of the trace, and under the table what is known of the one that is open. */
export function NetworkPanel(): JSX.Element {
  const model = useModel();
  const state = panelState(model);
  useEffect(() => model.network.ensure(), [model]);
  const rows = state.rows.value;
  const { state: loading } = model.network;
  const selected = model.eventSeq.value;
  const all = model.network.rows.value;
  const own = useMemo(() => (selected === null ? undefined : exchangeOf(all, selected)), [all, selected]);
  // A message over a WebSocket is shown in its exchange.
  const other = useEvent(model, own || loading.value !== "ready" ? null : selected).data;
  const open = useMemo(
    () =>
      own ?? (other?.kind === FRAME ? findRow(all, (row) => row.requestId === other.request_id) : undefined),
    [own, other, all],
  );

  if (loading.value === "error")
    return <Failed error={model.network.error.value} retry={model.network.ensure} />;
  const body = (): JSX.Element => {
    if (rows.length > 0) return <NetworkTable state={state} open={open} />;
    if (loading.value !== "ready") return <Loading label="Loading requests" />;
    return (
      <Message
        title={model.network.rows.value.length > 0 ? "No request matches." : "No requests were recorded."}
      />
    );
  };
  return (
    <div class="panel-column">
      <Toolbar state={state} />
      <ListWithDetail
        id="request"
        label="Height of the request's details"
        initial={340}
        list={body()}
        detail={open ? <RequestDetail key={open.seq} row={open} /> : null}
      />
    </div>
  );
}
