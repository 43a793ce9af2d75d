import { computed, signal } from "@preact/signals";
import type { TraceModel } from "../model/model.ts";
import { isBad, type NetworkRow } from "../model/network.ts";
import { filterRows, findRow, sortRows } from "../model/row-list.ts";
import { createScope, perModel } from "../model/scope.ts";
import { spanOf } from "./waterfall.tsx";

export type Sort = "start" | "status" | "size" | "time";

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

/** What of the requests the panel shows, and in which order. */
export const networkState = perModel((model: TraceModel) => {
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

export type NetworkState = ReturnType<typeof networkState>;
