import type { DiffItem } from "../../../server/trace/format/diff/types.ts";
import { navigate, setQuery } from "../../router.ts";
import { useKeys } from "../../ui/keyboard.ts";
import { type CompareAddress, chooseItem, goTo, itemId, TABS } from "./address.ts";
import { swapSides } from "./heads.tsx";
import { instantPath } from "./links.ts";
import type { First } from "./model.ts";
import { toggleView } from "./moment.tsx";
import type { Row } from "./rows.ts";

interface Shown {
  a: string;
  b: string;
  address: CompareAddress;
  rows: readonly Row[];
  chosen: DiffItem | null;
  first: First | null;
  toggleSame: () => void;
}

type ItemRow = Extract<Row, { kind: "item" }>;

/** The keys of the page that compares. */
export function useCompareKeys({ a, b, address, rows, chosen, first, toggleSame }: Shown): void {
  const move = (by: 1 | -1, fits: (row: ItemRow) => boolean): boolean => {
    const at = chosen ? rows.findIndex(({ id }) => id === itemId(chosen)) : -1;
    const from = by > 0 ? rows.slice(at + 1) : rows.slice(0, Math.max(at, 0)).reverse();
    const next = from.find((row): row is ItemRow => row.kind === "item" && fits(row));
    if (next) chooseItem(next.id);
    return rows.length > 0;
  };
  const isDifferent = ({ item }: ItemRow) => item.change !== "same";
  const open = (side: "a" | "b"): boolean => {
    const shown = chosen?.[side];
    if (!shown) return false;
    navigate(instantPath(side === "a" ? a : b, address.dimension, shown, null));
    return true;
  };
  const done = (run: () => void) => () => {
    run();
    return true;
  };
  useKeys([
    { keys: ["j", "n"], label: "Next difference", group: "Differences", run: () => move(1, isDifferent) },
    {
      keys: ["k", "N"],
      label: "Previous difference",
      group: "Differences",
      run: () => move(-1, isDifferent),
    },
    { keys: ["ArrowDown"], label: "Next row", group: "Differences", run: () => move(1, () => true) },
    { keys: ["ArrowUp"], label: "Previous row", group: "Differences", run: () => move(-1, () => true) },
    {
      keys: ["g g"],
      label: "Go to the first divergence",
      group: "Differences",
      run: () => {
        if (first) goTo(first.dimension, itemId(first));
        return first !== null;
      },
    },
    { keys: ["s"], label: "Show what is the same", group: "Differences", run: done(toggleSame) },
    {
      keys: ["r"],
      label: "Tell ids, times and query values as well",
      group: "Differences",
      run: done(() => setQuery({ raw: address.isRaw ? null : "1", item: null }, { replace: true })),
    },
    {
      keys: ["/"],
      label: "Filter what is compared",
      group: "Differences",
      run: done(() => document.getElementById("compare-filter")?.focus()),
    },
    { keys: ["v"], label: "The pages, or their screenshots", group: "Differences", run: done(toggleView) },
    { keys: ["x"], label: "Swap the sides", group: "Traces", run: done(() => swapSides(a, b)) },
    { keys: ["a"], label: "Open A at this instant", group: "Traces", run: () => open("a") },
    { keys: ["b"], label: "Open B at this instant", group: "Traces", run: () => open("b") },
    {
      keys: ["Escape"],
      label: "Back one level: the filter, the chosen difference",
      group: "Differences",
      run: () => {
        if (address.q || address.changes.length > 0) setQuery({ q: null, change: null }, { replace: true });
        else if (address.item) chooseItem(null);
        else return false;
        return true;
      },
    },
    ...TABS.map(({ id, title }, index) => ({
      keys: [String(index + 1)],
      label: title,
      group: "Differences",
      run: done(() => goTo(id)),
    })),
  ]);
}
