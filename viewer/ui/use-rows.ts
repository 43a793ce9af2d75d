import { type Signal, useSignal } from "@preact/signals";
import { navigate } from "../router.ts";
import { useKeys } from "./keyboard.ts";

/** The row that the keys have chosen: `j` and `k` move, Enter follows its link. -1 while none is. */
export function useRows(options: {
  count: () => number;
  href: (index: number) => string | undefined;
  what: string;
  onNearEnd?: () => void;
}): Signal<number> {
  const active = useSignal(-1);
  const move = (by: number): boolean => {
    const last = options.count() - 1;
    if (last < 0) return false;
    active.value = Math.max(0, Math.min(last, active.value + by));
    if (active.value > last - 20) options.onNearEnd?.();
    return true;
  };
  useKeys([
    { keys: ["j", "ArrowDown"], label: `Next ${options.what}`, group: "List", run: () => move(1) },
    { keys: ["k", "ArrowUp"], label: `Previous ${options.what}`, group: "List", run: () => move(-1) },
    {
      keys: ["Enter", "o"],
      label: "Open",
      group: "List",
      run: () => {
        const href = active.value < 0 ? undefined : options.href(active.value);
        if (href) navigate(href);
        return href !== undefined;
      },
    },
  ]);
  return active;
}
