import { type Signal, useSignal } from "@preact/signals";
import { useLayoutEffect } from "preact/hooks";
import { navigate } from "../router.ts";
import { useKeys } from "./keyboard.ts";
import type { Pages } from "./pages.ts";

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
      label: `Open the ${options.what}`,
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

/**
 * The same for a paged list. `asked` is the question that it answers: another one loads it anew and chooses no row.
 * The chosen row stays chosen wherever new rows move it.
 */
export function usePagedRows<Item>(options: {
  pages: Pages<Item>;
  asked: string;
  href: (item: Item) => string;
  what: string;
}): Signal<number> {
  const { pages, asked, href, what } = options;
  const active = useRows({
    what,
    count: () => pages.items.value.length,
    href: (index) => {
      const item = pages.items.value[index];
      return item && href(item);
    },
    onNearEnd: () => void pages.loadMore(),
  });
  // Before the rows can be seen: what is chosen among them then stays chosen.
  useLayoutEffect(() => {
    active.value = -1;
    void pages.load();
  }, [pages, asked]);
  useLayoutEffect(() => {
    let shown = pages.items.peek();
    return pages.items.subscribe((items) => {
      const chosen = shown[active.peek()];
      shown = items;
      if (!chosen) return;
      const key = pages.keyOf(chosen);
      active.value = items.findIndex((item) => pages.keyOf(item) === key);
    });
  }, [pages]);
  return active;
}
