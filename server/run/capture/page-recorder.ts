/// <reference lib="dom" />
import { record } from "rrweb";

/**
 * Runs in every page of a run (not in its frames), before the page's own code: records its DOM with rrweb and hands the events over in
 * batches. `__tracedeck_binding__` is replaced by the name of the function that takes them.
 */
const FLUSH_MS = 100;

// What the page may replace later, above all by a clock of its own.
const later = window.setTimeout.bind(window);
const take = (window as unknown as Record<string, (batch: string) => void>).__tracedeck_binding__;

function start(): void {
  let batch: unknown[] = [];
  let isWaiting = false;
  const flush = () => {
    isWaiting = false;
    if (batch.length === 0) return;
    const text = batch.map((event) => JSON.stringify(event)).join("\n");
    batch = [];
    take?.(text);
  };
  record({
    emit(event) {
      batch.push(event);
      if (isWaiting) return;
      isWaiting = true;
      later(flush, FLUSH_MS);
    },
    maskInputOptions: { password: true },
    inlineStylesheet: true,
    inlineImages: false,
    collectFonts: false,
    recordCanvas: false,
    sampling: { mousemove: 100, scroll: 150, input: "last" },
    slimDOMOptions: { script: true, comment: true, headMetaSocial: true, headMetaRobots: true },
  });
  addEventListener("pagehide", flush);
}

if (take) start();
