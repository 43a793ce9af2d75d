import { ENDED, findRun, type RunRow } from "../../../store/records/runs.ts";
import { findTrace, type TraceRow } from "../../../store/records/traces.ts";
import type { Deps } from "../../deps.ts";
import { sseResponse } from "../../http/sse.ts";
import { toIso } from "../../platform/clock.ts";
import { openEvents, orDamaged } from "../../trace/events/source.ts";
import { whereItLies } from "../../trace/files/where-it-lies.ts";

/** A picture of a run's page. */
interface Picture {
  /** Of its event. */
  seq: number;
  /** ISO 8601. */
  ts: string;
  /** Path of its bytes. */
  url: string;
}

/**
 * What a run's page looks like, as server-sent events: the newest picture after a seq, then each that is the newest when it
 * can be sent; those between are left out. Ends with the run; 204 when a run that has ended has none left.
 * @throws AppError `not_hot` when the trace of a run that has ended lies in cold storage
 */
export async function pictureStream(
  deps: Deps,
  run: RunRow,
  call: Parameters<typeof sseResponse>[1],
  after: number,
): Promise<Response> {
  if (ENDED.includes(run.status) && !(await newestPicture(deps, run, after)))
    return new Response(null, { status: 204 });
  return sseResponse(deps, call, async function* (signal) {
    for await (const picture of followPictures(deps, run.id, after, signal)) yield JSON.stringify(picture);
  });
}

/** The newest picture of a run after a seq, then each that is the newest when it is asked for, until the run ends. */
export async function* followPictures(
  deps: Deps,
  id: string,
  after: number,
  signal: AbortSignal,
): AsyncIterable<Picture> {
  const stop = new AbortController();
  const heard = AbortSignal.any([signal, stop.signal]);
  let news = Promise.withResolvers<void>();
  const listen = async (topic: "run-logs" | "trace", key: string): Promise<void> => {
    for await (const _ of deps.hub.subscribe(topic, key, heard)) news.resolve();
  };
  heard.addEventListener("abort", () => news.resolve(), { once: true });
  void listen("run-logs", id);
  try {
    let last = after;
    let traceId: string | null = null;
    while (!heard.aborted) {
      // Whatever comes from here on makes another round.
      news = Promise.withResolvers();
      const run = await findRun(deps.store.records, id);
      if (!run) return;
      if (traceId === null && run.trace_id !== null) {
        traceId = run.trace_id;
        void listen("trace", traceId);
      }
      const picture = await newestPicture(deps, run, last);
      if (picture) yield picture;
      last = picture?.seq ?? last;
      if (ENDED.includes(run.status)) return;
      if (!heard.aborted) await news.promise;
    }
  } finally {
    stop.abort();
  }
}

/** @throws AppError `not_hot` when the trace lies in cold storage */
export async function newestPicture(deps: Deps, run: RunRow, after: number): Promise<Picture | null> {
  const trace = run.trace_id === null ? null : await findTrace(deps.store.records, run.trace_id);
  return trace && whereItLies(deps, trace, (now) => pictureOf(deps, now, after));
}

async function pictureOf(deps: Deps, trace: TraceRow, after: number): Promise<Picture | null> {
  const file = await openEvents(deps, trace);
  if (!file) return null;
  const wanted = { kinds: ["screenshot"], fromSeq: after + 1, limit: 1 };
  let { lines, total } = await orDamaged(deps, file.query({ ...wanted, offset: 0 }));
  if (total > 1) ({ lines } = await orDamaged(deps, file.query({ ...wanted, offset: total - 1 })));
  const [line] = lines;
  if (line === undefined) return null;
  const { seq, ts, blob } = JSON.parse(line) as { seq: number; ts: number; blob?: unknown };
  const hash = /^sha256:([0-9a-f]{64})$/.exec(String(blob))?.[1];
  return hash ? { seq, ts: toIso(ts), url: `/v1/traces/${trace.id}/blob/${hash}` } : null;
}
