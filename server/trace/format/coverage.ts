import type { TraceEvent } from "./event.ts";

const MOST_PATHS = 5000;
const LONGEST_PATH = 1000;

/** Collects what the pages of a trace used, from its `script.coverage` events. */
export function createCoverage() {
  const paths = new Set<string>();
  let isRecorded = false;

  return {
    add({ kind, entries }: TraceEvent): void {
      if (kind !== "script.coverage" || !Array.isArray(entries)) return;
      isRecorded = true;
      for (const entry of entries as unknown[]) {
        const { url, used } = (entry ?? {}) as { url?: unknown; used?: unknown };
        const path = typeof url === "string" && used !== 0 ? URL.parse(url)?.pathname : undefined;
        if (path && path.length <= LONGEST_PATH && paths.size < MOST_PATHS) paths.add(path);
      }
    },
    /** Paths of addresses, in order; null when the trace says nothing of them. */
    finish: (): string[] | null => (isRecorded ? [...paths].sort() : null),
  };
}
