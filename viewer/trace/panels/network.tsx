import type { JSX } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import { Failed, Loading, Message } from "../../ui/message.tsx";
import { useModel } from "../model/model.ts";
import { FRAME, type NetworkRow } from "../model/network.ts";
import { findRow, type RowList, rowOfSeq } from "../model/row-list.ts";
import { useEvent } from "../model/use-event.ts";
import { ListWithDetail } from "./detail.tsx";
import { networkState } from "./network-state.ts";
import { NetworkTable } from "./network-table.tsx";
import { NetworkToolbar } from "./network-toolbar.tsx";
import { RequestDetail } from "./request.tsx";

/** The exchange that one of these events belongs to. */
const exchangeOf = (rows: RowList<NetworkRow>, seq: number): NetworkRow | undefined =>
  rowOfSeq(rows, seq) ?? findRow(rows, (row) => row.responseSeq === seq);

/** Every request of the trace, and under the table what is known of the one that is open. */
export function NetworkPanel(): JSX.Element {
  const model = useModel();
  const state = networkState(model);
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
      <NetworkToolbar state={state} />
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
