import type { JSX } from "preact";
import { formatDuration } from "../../ui/format.ts";
import { isBad, type NetworkRow } from "../model/network.ts";

/** The span of time that bars are drawn on: epoch ms. */
export interface Span {
  from: number;
  to: number;
}

/** From the first request to the end of the last one. */
export function spanOf(rows: readonly NetworkRow[]): Span {
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
  const { sentMs, waitMs } = row;
  const hasPhases = sentMs !== null && waitMs !== null && took > 0;
  return (
    <span
      class={`bar-track${isBad(row) ? " is-bad" : ""}`}
      title={
        hasPhases
          ? `${formatDuration(sentMs)} until sent, ${formatDuration(waitMs)} waiting, ${formatDuration(Math.max(0, took - sentMs - waitMs))} receiving`
          : undefined
      }
      aria-hidden="true"
    >
      <span
        class="bar-whole"
        style={{ left: percent((row.ts - span.from) / length), width: percent(took / length) }}
      >
        {hasPhases && (
          <>
            <span class="bar-sent" style={{ width: percent(sentMs / took) }} />
            <span class="bar-wait" style={{ width: percent(waitMs / took) }} />
          </>
        )}
      </span>
    </span>
  );
}
