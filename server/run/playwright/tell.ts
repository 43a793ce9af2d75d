import type { ApiClient } from "../../platform/api-client.ts";
import type { Frame, Journal } from "./journal.ts";
import type { Told } from "./outcome.ts";
import { type Refusal, readRefusal } from "./refusal.ts";

/** A run that the server knows. */
export interface KnownRun {
  id: string;
  /** Its page. */
  url: string;
}

/** The server's answer was no. `isFinal`: it will say the same of this again. */
export class RefusedError extends Error {
  override name = "RefusedError";
  readonly isFinal: boolean;
  readonly status: number;
  /** Tracedeck said it, and no proxy before it or program in its place. */
  readonly isOwn: boolean;
  constructor({ message, isOwn }: Refusal, status: number) {
    super(message);
    this.status = status;
    this.isOwn = isOwn;
    this.isFinal = isOwn && status >= 400 && status < 500 && ![401, 403, 408, 429].includes(status);
  }
}

/** What goes in one request, at most: the server takes 1000 attempts and 1 MiB. */
const MOST_AT_ONCE = 200;
const MOST_BYTES = 512 * 1024;

/** Begins a run, or meets the one that was begun with the same key. @throws RefusedError, or the network's error */
export async function beginRun(
  client: ApiClient,
  { frame, key }: { frame: Frame; key: string },
  signal?: AbortSignal,
): Promise<KnownRun> {
  const { id, url } = (await call(client, "/v1/test-runs", frame, { signal, key })) as KnownRun;
  return { id, url };
}

/** Tells attempts in as many requests as they need. @throws RefusedError, or the network's error */
export async function tellResults(
  client: ApiClient,
  runId: string,
  results: readonly Told[],
  options: { signal?: AbortSignal | undefined; onTold?: (told: readonly Told[]) => void } = {},
): Promise<void> {
  for (const batch of batchesOf(results)) {
    const path = `/v1/test-runs/${runId}/results`;
    try {
      await call(client, path, { results: batch }, options);
    } catch (error) {
      // A trace that was removed meanwhile: its attempt counts all the same.
      if (!(error instanceof RefusedError) || error.status !== 404 || !error.isOwn) throw error;
      await call(client, path, { results: batch.map(({ trace_id: _, ...rest }) => rest) }, options);
    }
    options.onTold?.(batch);
  }
}

/** Ends a run or its shard. @throws RefusedError, or the network's error */
export async function endRun(
  client: ApiClient,
  runId: string,
  { frame, end }: Pick<Journal, "frame" | "end">,
  signal?: AbortSignal,
): Promise<void> {
  const body = { ...end, ...(frame.shard && { shard: frame.shard }) };
  await call(client, `/v1/test-runs/${runId}/end`, body, { signal });
}

/** Sends a whole journal. @throws RefusedError, or the network's error */
export async function sendJournal(
  client: ApiClient,
  journal: Journal,
  signal?: AbortSignal,
): Promise<KnownRun> {
  const run = await beginRun(client, journal, signal);
  await tellResults(client, run.id, journal.results, { signal });
  await endRun(client, run.id, journal, signal);
  return run;
}

async function call(
  client: ApiClient,
  path: string,
  body: unknown,
  { signal, key }: { signal?: AbortSignal | undefined; key?: string } = {},
): Promise<unknown> {
  const response = await client.request(path, {
    method: "POST",
    headers: { "content-type": "application/json", ...(key && { "idempotency-key": key }) },
    body: JSON.stringify(body),
    ...(signal && { signal }),
  });
  const text = await response.text();
  if (response.ok) return JSON.parse(text);
  throw new RefusedError(readRefusal(response, text), response.status);
}

function* batchesOf(results: readonly Told[]): Generator<Told[]> {
  let batch: Told[] = [];
  let size = 0;
  for (const one of results) {
    const bytes = Buffer.byteLength(JSON.stringify(one));
    if (batch.length === MOST_AT_ONCE || (batch.length > 0 && size + bytes > MOST_BYTES)) {
      yield batch;
      batch = [];
      size = 0;
    }
    batch.push(one);
    size += bytes;
  }
  if (batch.length > 0) yield batch;
}
