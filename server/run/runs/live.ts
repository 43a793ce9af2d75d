import { ENDED, type RunRow, readRunLogs } from "../../../store/records/runs.ts";
import type { Deps } from "../../deps.ts";
import { AppError } from "../../http/errors.ts";
import { sseResponse } from "../../http/sse.ts";
import { merge } from "../../platform/merge.ts";
import { followLog } from "./logs.ts";
import { followPictures, newestPicture } from "./pictures.ts";

/** What a reader has already. */
interface Known {
  /** Seq of the last line of the log. */
  line: number;
  /** Seq of the last picture. */
  picture: number;
}

/**
 * All that a run tells, as one stream of server-sent events: that it changed, its log, what its page looks like. A browser has six
 * connections to a server, and three for each window would be used up by two. Ends with the run; 204 when a run that has
 * ended has nothing left.
 */
export async function liveStream(
  deps: Deps,
  run: RunRow,
  call: Parameters<typeof sseResponse>[1],
  known: Known,
): Promise<Response> {
  if (ENDED.includes(run.status) && !(await hasMore(deps, run, known)))
    return new Response(null, { status: 204 });
  return sseResponse(deps, call, (signal) => follow(deps, run, known, signal));
}

async function hasMore(deps: Deps, run: RunRow, { line, picture }: Known): Promise<boolean> {
  const lines = await readRunLogs(deps.store.records, run.id, { after: line, limit: 1 });
  if (lines.length > 0) return true;
  try {
    return (await newestPicture(deps, run, picture)) !== null;
  } catch (error) {
    // Of a cold trace there are none.
    if (error instanceof AppError) return false;
    throw error;
  }
}

async function* follow(
  deps: Deps,
  { id, org_id }: RunRow,
  known: Known,
  signal: AbortSignal,
): AsyncIterable<string> {
  const stop = new AbortController();
  const heard = AbortSignal.any([signal, stop.signal]);
  const over = new AbortController();
  async function* changes(): AsyncIterable<string> {
    for await (const news of deps.hub.subscribe("runs", org_id, AbortSignal.any([heard, over.signal])))
      if (news.id === id) yield JSON.stringify(news);
  }
  async function* lines(): AsyncIterable<string> {
    for await (const line of followLog(deps, id, known.line, heard))
      yield JSON.stringify({ type: "line", line });
    // The log ends with the run, and so does its news.
    over.abort();
  }
  async function* pictures(): AsyncIterable<string> {
    try {
      for await (const picture of followPictures(deps, id, known.picture, heard))
        yield JSON.stringify({ type: "picture", picture });
    } catch (error) {
      // Whoever follows the log is told of it all the same.
      if (!(error instanceof AppError)) throw error;
    }
  }
  try {
    yield* merge([changes(), lines(), pictures()]);
  } finally {
    stop.abort();
  }
}
