import { fitsGlob } from "../model/glob.ts";
import type { Injection, Mark } from "../model/marks.ts";
import type { TraceModel } from "../model/model.ts";
import type { NetworkRow } from "../model/network.ts";
import { filterRows, type RowList } from "../model/row-list.ts";
import { type Trouble, troubles } from "./lanes.ts";

/** What followed an injected fault, as far as the trace tells. */
export interface Tie {
  injection: Mark;
  /** Requests to its addresses that bear its mark: its status, or its delay. */
  requests: RowList<NetworkRow>;
  /** What else went wrong afterwards. */
  errors: readonly Trouble[];
}

function wasHit({ kind, url, value }: Injection, row: NetworkRow): boolean {
  if (!fitsGlob(url, row.url)) return false;
  if (kind === "latency") return value === null || (row.durationMs ?? Number.POSITIVE_INFINITY) >= value;
  return value === null ? row.hasError || (row.status ?? 0) >= 400 : row.status === value;
}

/** Ties an injected fault to the requests it hit and to what went wrong after it; null for any other event. */
export function tieOf(model: TraceModel, mark: Mark): Tie | null {
  const { injection, ts } = mark;
  if (!injection) return null;
  const requests = filterRows(model.network.rows.value, (row) => row.ts >= ts && wasHit(injection, row));
  return {
    injection: mark,
    requests,
    errors: (troubles(model) ?? []).filter((trouble) => trouble.ts >= ts),
  };
}

/** All injected faults of the trace, in the order of time. */
export const injectionsOf = (model: TraceModel): readonly Mark[] =>
  model.marks.world.rows.value.filter((mark) => mark.injection).sort((a, b) => a.ts - b.ts);
