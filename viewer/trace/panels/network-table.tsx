import type { CSSProperties, JSX } from "preact";
import { useMemo } from "preact/hooks";
import { formatBytes, formatDuration, formatOffset } from "../../ui/format.ts";
import { ArrowDown, ArrowUp, CrossCircle } from "../../ui/icons.tsx";
import { oneLine, shortUrl } from "../../ui/text.ts";
import { VirtualList } from "../../ui/virtual.tsx";
import { useModel } from "../model/model.ts";
import { isBad, type NetworkRow } from "../model/network.ts";
import type { RowList } from "../model/row-list.ts";
import type { NetworkState, Sort } from "./network-state.ts";
import { Bar, type Span } from "./waterfall.tsx";

const ROW = 26;

function SortHead({ by, title, sort }: { by: Sort; title: string; sort: NetworkState["sort"] }): JSX.Element {
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

function SizeHead({ state }: { state: NetworkState }): JSX.Element {
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

/** The requests that are listed, one row each, with their bars. */
export function NetworkTable({
  state,
  open,
}: {
  state: NetworkState;
  open: NetworkRow | undefined;
}): JSX.Element {
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
