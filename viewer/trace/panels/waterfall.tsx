import type { JSX } from "preact";
import { formatDuration } from "../../ui/format.ts";
import { isBad, type NetworkRow, phasesOf } from "../model/network.ts";
import type { RowList } from "../model/row-list.ts";

/** The span of time that bars are drawn on: epoch ms. */
export interface Span {
  from: number;
  to: number;
}

/** From the first request to the end of the last one. */
export function spanOf(rows: RowList<NetworkRow>): Span {
  let from = Number.POSITIVE_INFINITY;
  let to = Number.NEGATIVE_INFINITY;
  for (const row of rows) {
    from = Math.min(from, row.ts);
    to = Math.max(to, row.ts + (row.durationMs ?? 0));
  }
  return Number.isFinite(from) ? { from, to: Math.max(to, from + 1) } : { from: 0, to: 1 };
}

const percent = (share: number): string => `${Math.min(100, Math.max(0, share * 100))}%`;

/** When a request was sent, waited for and received, beside all others. */
export function Bar({ row, span }: { row: NetworkRow; span: Span }): JSX.Element {
  const length = span.to - span.from;
  const took = Math.max(0, row.durationMs ?? 0);
  const phases = took > 0 ? phasesOf(row) : null;
  return (
    <span
      class={`bar-track${isBad(row) ? " is-bad" : ""}`}
      title={
        phases
          ? `${formatDuration(phases.sentMs)} until sent, ${formatDuration(phases.waitMs)} waiting, ${formatDuration(Math.max(0, took - phases.sentMs - phases.waitMs))} receiving`
          : undefined
      }
      aria-hidden="true"
    >
      <span
        class="bar-whole"
        style={{ left: percent((row.ts - span.from) / length), width: percent(took / length) }}
      >
        {phases && (
          <>
            <span class="bar-sent" style={{ width: percent(phases.sentMs / took) }} />
            <span class="bar-wait" style={{ width: percent(phases.waitMs / took) }} />
          </>
        )}
      </span>
    </span>
  );
}
