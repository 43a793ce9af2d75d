import { useEffect, useRef } from "preact/hooks";
import { followNews } from "./news.ts";
import type { Pages } from "./pages.ts";

const SETTLE_MS = 1000;

/** Calls back some time after traces came, changed or went, while shown. */
export function useTraceNews(onNews: () => void): void {
  const run = useRef(onNews);
  run.current = onNews;
  useEffect(() => followNews("/v1/traces/live", { settleMs: SETTLE_MS, onNews: () => run.current() }), []);
}

/** Keeps a list fresh while shown. */
export function useFreshPages<Item>(pages: Pages<Item>): void {
  useTraceNews(() => void pages.refresh());
  useEffect(() => pages.stop, [pages]);
}
