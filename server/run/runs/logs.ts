import { ENDED, findRun, type RunLogRow, type RunRow, readRunLogs } from "../../../store/records/runs.ts";
import type { Deps } from "../../deps.ts";
import { sseResponse } from "../../http/sse.ts";
import { toIso } from "../../platform/clock.ts";

const BATCH = 500;

/**
 * A run's log as server-sent events: what is stored after a seq, then what comes. Ends with the run; 204 when a run that
 * has ended has nothing left.
 */
export async function logStream(
  deps: Deps,
  run: RunRow,
  call: Parameters<typeof sseResponse>[1],
  after: number,
): Promise<Response> {
  if (ENDED.includes(run.status)) {
    const [next] = await readRunLogs(deps.store.records, run.id, { after, limit: 1 });
    if (!next) return new Response(null, { status: 204 });
  }
  return sseResponse(deps, call, async function* (signal) {
    for await (const line of followLog(deps, run.id, after, signal)) yield JSON.stringify(line);
  });
}

/** The lines of a run's log after a seq, until it ends. */
export async function* followLog(
  deps: Deps,
  id: string,
  after: number,
  signal: AbortSignal,
): AsyncIterable<LogLine> {
  // Listening begins before reading, so that no line falls between the two.
  const stop = new AbortController();
  const news = deps.hub
    .subscribe("run-logs", id, AbortSignal.any([signal, stop.signal]))
    [Symbol.asyncIterator]();
  try {
    let next = news.next();
    let last = after;
    while (!signal.aborted) {
      const run = await findRun(deps.store.records, id);
      for (;;) {
        const lines = await readRunLogs(deps.store.records, id, { after: last, limit: BATCH });
        for (const line of lines) yield toLine(line);
        last = lines.at(-1)?.seq ?? last;
        if (lines.length < BATCH) break;
      }
      if (!run || ENDED.includes(run.status)) return;
      if ((await next).done) return;
      next = news.next();
    }
  } finally {
    stop.abort();
  }
}

type LogLine = ReturnType<typeof toLine>;

const toLine = ({ seq, ts, level, message, step_id }: RunLogRow) => ({
  seq,
  ts: toIso(ts),
  level,
  message,
  ...(step_id !== null && { step_id }),
});
