import { plainText } from "./error-text.ts";
import type { TraceEvent } from "./event.ts";

/** The text of one trace in the columns of `traces_fts`. */
export interface SearchText {
  title: string;
  failure: string;
  console: string;
  requests: string;
  assertions: string;
  thoughts: string;
  /** Titles of steps. */
  steps: string;
  /** Of the events, the most frequent first. */
  kinds: string[];
}

/** Kinds that a trace can be found by. */
const MAX_KINDS = 200;
const MAX_KIND = 100;

/** What a trace's summary tells of its steps and events, for the search. */
export function stepsAndKinds(summary: {
  steps: readonly { title: string }[];
  counts: Record<string, number>;
}): Pick<SearchText, "steps" | "kinds"> {
  const titles = new Set<string>();
  let size = 0;
  for (const { title } of summary.steps) {
    const line = plainText(title, MAX_LINE);
    if (titles.has(line)) continue;
    size += Buffer.byteLength(line) + 1;
    if (size > MAX_COLUMN) break;
    titles.add(line);
  }
  const kinds = Object.entries(summary.counts)
    .filter(([kind, count]) => count > 0 && kind.length <= MAX_KIND)
    .sort(([, a], [, b]) => b - a)
    .slice(0, MAX_KINDS)
    .map(([kind]) => kind);
  return { steps: [...titles].join("\n"), kinds };
}

type Column = "console" | "requests" | "assertions" | "thoughts";

/** Bytes of text kept per column; a line that would not fit any more is left out. */
const MAX_COLUMN = 256 * 1024;
const MAX_LINE = 4_096;

/** Collects what a search should find, each line once, bounded whatever the size of the trace. */
export function createSearchText(): {
  add(event: TraceEvent): void;
  finish(trace: { title: string; failure: string | null }): Omit<SearchText, "steps" | "kinds">;
} {
  const columns: Record<Column, { lines: Set<string>; size: number }> = {
    console: { lines: new Set(), size: 0 },
    requests: { lines: new Set(), size: 0 },
    assertions: { lines: new Set(), size: 0 },
    thoughts: { lines: new Set(), size: 0 },
  };

  function put(name: Column, value: unknown) {
    const column = columns[name];
    if (typeof value !== "string" || value === "" || column.size >= MAX_COLUMN) return;
    const line = plainText(value, MAX_LINE);
    if (column.lines.has(line)) return;
    const size = Buffer.byteLength(line) + 1;
    if (column.size + size > MAX_COLUMN) return;
    column.lines.add(line);
    column.size += size;
  }

  function add(event: TraceEvent) {
    switch (event.kind) {
      case "console.error":
        return put("console", event.text);
      case "agent.thought":
        return put("thoughts", event.text);
      case "assertion":
        return put("assertions", event.message);
      case "network.request":
      case "network.response":
        if (typeof event.url === "string" && !/^(?:data|blob):/i.test(event.url)) put("requests", event.url);
    }
  }

  return {
    add,
    finish: ({ title, failure }) => ({
      title: plainText(title, MAX_LINE),
      failure: plainText(failure ?? "", MAX_LINE * 4),
      console: [...columns.console.lines].join("\n"),
      requests: [...columns.requests.lines].join("\n"),
      assertions: [...columns.assertions.lines].join("\n"),
      thoughts: [...columns.thoughts.lines].join("\n"),
    }),
  };
}
