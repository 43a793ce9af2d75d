import { createReadStream } from "node:fs";
import { type ApiClient, createApiClient } from "../../platform/api-client.ts";
import type { Ids } from "../../platform/ids.ts";
import { type Ingested, uploadBundle } from "../../platform/upload.ts";
import type { Connection } from "./connection.ts";
import type { Outbox, OutboxEntry } from "./outbox.ts";
import { readRefusal } from "./refusal.ts";

/** How a try to send an archive ended. */
export type Sent =
  | { kind: "arrived"; traceId: string }
  /** The server cannot take it now; `waitMs` is what it asks for. */
  | { kind: "later"; reason: string; waitMs: number | null }
  /** The server takes nothing of ours: a wrong key, no scope, or a wrong address. */
  | { kind: "denied"; reason: string }
  /** The server will never take this one. */
  | { kind: "refused"; reason: string };

/** Sends an entry of the outbox, as an upload or as the end of a trace that the fixture recorded. Never throws. */
export async function sendEntry(
  { url, apiKey }: Connection,
  outbox: Outbox,
  entry: OutboxEntry,
  { ids, signal }: { ids: Ids; signal: AbortSignal },
): Promise<Sent> {
  if (apiKey === null)
    return { kind: "denied", reason: "no key: set the reporter's apiKey or TRACEDECK_KEY" };
  const client = createApiClient({ url, apiKey });
  try {
    const ended = entry.live && (await endLive(client, outbox, { ...entry, live: entry.live }, signal));
    if (ended) return ended;
    if (!entry.has_archive) return { kind: "refused", reason: "its trace has ended without it" };
    const response = await uploadBundle(client, {
      path: outbox.archiveOf(entry),
      fields: entry.fields,
      boundary: `tracedeck-${ids.secret(24)}`,
      idempotencyKey: entry.idempotency_key,
      signal,
    });
    if (!response.ok) return refusal(response);
    return { kind: "arrived", traceId: ((await response.json()) as Ingested).trace_id };
  } catch (error) {
    return { kind: "later", reason: reasonOf(error), waitMs: null };
  }
}

/** Null when the trace takes nothing more: then the archive becomes a trace of its own. */
async function endLive(
  client: ApiClient,
  outbox: Outbox,
  entry: OutboxEntry & Required<Pick<OutboxEntry, "live">>,
  signal: AbortSignal,
): Promise<Sent | null> {
  const { trace_id, status } = entry.live;
  const root = `/internal/v1/traces/${trace_id}`;
  const archive = (): RequestInit => ({
    method: "PUT",
    body: createReadStream(outbox.archiveOf(entry)) as unknown as ReadableStream,
    ...{ duplex: "half" },
  });
  const end = (): RequestInit => ({
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ status }),
  });
  const calls: [string, () => RequestInit][] = [[`${root}/end`, end]];
  if (entry.has_archive) calls.unshift([`${root}/artifacts/playwright`, archive]);
  for (const [path, init] of calls) {
    const response = await client.request(path, { ...init(), signal });
    if (response.ok) continue;
    const refused = await refusal(response);
    // Of a trace that is gone, or has ended.
    return refused.kind === "refused" && [404, 409].includes(response.status) ? null : refused;
  }
  return { kind: "arrived", traceId: trace_id };
}

/** What a proxy says of the size of one archive holds for that one. */
const TOO_LARGE = 413;

async function refusal(response: Response): Promise<Sent> {
  const { message: reason, isOwn } = readRefusal(response, await response.text());
  const seconds = Number(response.headers.get("retry-after"));
  const waitMs = seconds > 0 ? seconds * 1000 : null;
  if (response.status === 401 || response.status === 403) return { kind: "denied", reason };
  if (response.status === 408 || response.status === 429 || response.status >= 500)
    return { kind: "later", reason, waitMs };
  return { kind: isOwn || response.status === TOO_LARGE ? "refused" : "denied", reason };
}

/** The system's word for it (`ECONNREFUSED`) is the cause of fetch's "fetch failed". */
export function reasonOf(error: unknown): string {
  const cause =
    error instanceof Error ? (error.cause as { code?: unknown; message?: unknown } | undefined) : null;
  if (typeof cause?.code === "string") return cause.code;
  if (typeof cause?.message === "string" && cause.message !== "") return cause.message;
  return error instanceof Error ? error.message : String(error);
}
