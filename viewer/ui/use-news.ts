import type { Signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { Pages } from "./pages.ts";

/** Traces come in bursts: what is shown is read anew once they settle. */
const SETTLE_MS = 1000;

/** Calls back some time after traces came, changed or went, while shown. The browser reconnects by itself. */
export function useTraceNews(onNews: () => void): void {
  const run = useRef(onNews);
  run.current = onNews;
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | null = null;
    let wasLost = false;
    const stream = new EventSource("/v1/traces/live");
    const note = (): void => {
      timer ??= setTimeout(() => {
        timer = null;
        run.current();
      }, SETTLE_MS);
    };
    stream.onmessage = note;
    stream.onerror = () => {
      wasLost = true;
    };
    stream.onopen = () => {
      // What happened meanwhile is not told again.
      if (wasLost) note();
      wasLost = false;
    };
    return () => {
      stream.close();
      if (timer) clearTimeout(timer);
    };
  }, []);
}

/** Keeps a list fresh, and the chosen row chosen wherever it goes. */
export function useFreshPages<Item>(pages: Pages<Item>, active: Signal<number>): void {
  useTraceNews(async () => {
    const chosen = pages.items.peek()[active.peek()];
    await pages.refresh();
    if (!chosen) return;
    const key = pages.keyOf(chosen);
    active.value = pages.items.peek().findIndex((item) => pages.keyOf(item) === key);
  });
}
