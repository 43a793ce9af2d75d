import type { ApiClient } from "../../platform/api-client.ts";
import type { Clock } from "../../platform/clock.ts";
import { RunnerError } from "../errors.ts";
import { blobTar } from "./blob-tar.ts";
import type { CaptureSink } from "./sink.ts";

const LONGEST_WAIT_MS = 30_000;
/** A server that does not answer at all, as while it is started anew, is tried again for so long. */
const PATIENCE_MS = 5000;
const RETRY_MS = 500;
/** A server that took a request and says nothing has gone too. */
const LONGEST_ANSWER_MS = 60_000;

/**
 * Sends a recording to a server as any recorder outside of it would (`/internal/v1/traces`).
 * Its calls throw a RunnerError `recording_lost` when the server refuses or cannot be reached any more.
 */
export function createApiSink(client: ApiClient, clock: Clock): CaptureSink {
  let root = "";
  let gone: RunnerError | null = null;

  async function reach(path: string, init: RequestInit): Promise<Response> {
    const started = clock.monotonic();
    for (;;) {
      if (gone) throw gone;
      try {
        return await client.request(path, { ...init, signal: AbortSignal.timeout(LONGEST_ANSWER_MS) });
      } catch (error) {
        // Without an id there is nothing to go on with: a second beginning would be a second trace.
        if (root !== "" && clock.monotonic() - started < PATIENCE_MS) {
          await clock.sleep(RETRY_MS);
          continue;
        }
        const why = error instanceof Error ? error.message : String(error);
        gone = new RunnerError(
          "recording_lost",
          `The recording cannot be kept: the server does not answer (${why}).`,
          error,
        );
      }
    }
  }

  async function send(path: string, init: RequestInit): Promise<Response> {
    for (;;) {
      const response = await reach(path, init);
      if (response.ok) return response;
      const seconds = Number(response.headers.get("retry-after"));
      if (response.status === 429 && seconds > 0 && seconds * 1000 <= LONGEST_WAIT_MS) {
        await clock.sleep(seconds * 1000);
        continue;
      }
      throw new RunnerError("recording_lost", `The recording was refused: ${await reasonOf(response)}`);
    }
  }
  const json = (body: unknown): RequestInit => ({
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });

  return {
    // Within the default limit of 120 writes a minute, also for two runs at once.
    pace: { eventsMs: 1000, blobsMs: 2000 },
    async begin(manifest) {
      const answer = (await (await send("/internal/v1/traces", json(manifest))).json()) as {
        trace_id: string;
        short_id: string;
      };
      root = `/internal/v1/traces/${answer.trace_id}`;
      return { traceId: answer.trace_id, shortId: answer.short_id };
    },
    async chunk(n, bytes) {
      await send(`${root}/chunks?n=${n}`, {
        method: "POST",
        headers: { "content-type": "application/zstd" },
        body: bytes as Uint8Array<ArrayBuffer>,
      });
    },
    async blobs(blobs) {
      await send(`${root}/blobs`, {
        method: "POST",
        headers: { "content-type": "application/x-tar" },
        body: await blobTar(blobs),
      });
    },
    async artifact(kind, bytes) {
      await send(`${root}/artifacts/${kind}`, { method: "PUT", body: bytes });
    },
    async end(status, endedAt) {
      await send(`${root}/end`, json({ status, ended_at: endedAt }));
    },
  };
}

/** What a server says of a refusal, in its own words where it has any. */
async function reasonOf(response: Response): Promise<string> {
  const text = await response.text();
  try {
    const { message } = JSON.parse(text) as { message?: unknown };
    if (typeof message === "string") return message;
  } catch {
    // Something in between answered: its status says most.
  }
  return `status ${response.status}`;
}
