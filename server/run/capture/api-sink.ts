import type { ApiClient } from "../../platform/api-client.ts";
import type { Clock } from "../../platform/clock.ts";
import { RunnerError } from "../runner/failure.ts";
import type { CaptureSink } from "./sink.ts";

const LONGEST_WAIT_MS = 30_000;

/** Sends a recording to a server as any recorder outside of it would (`/internal/v1/traces`). */
export function createApiSink(client: ApiClient, clock: Clock): CaptureSink {
  let root = "";

  async function send(path: string, init: RequestInit): Promise<Response> {
    for (;;) {
      const response = await client.request(path, init);
      if (response.ok) return response;
      const seconds = Number(response.headers.get("retry-after"));
      if (response.status === 429 && seconds > 0 && seconds * 1000 <= LONGEST_WAIT_MS) {
        await clock.sleep(seconds * 1000);
        continue;
      }
      throw new RunnerError(
        "recording_lost",
        `The recording was refused (${response.status}): ${await response.text()}`,
      );
    }
  }
  const json = (body: unknown): RequestInit => ({
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });

  return {
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
      for (const { hash, bytes } of blobs)
        await send(`${root}/blobs/${hash}`, { method: "PUT", body: bytes as Uint8Array<ArrayBuffer> });
    },
    async artifact(kind, bytes) {
      await send(`${root}/artifacts/${kind}`, { method: "PUT", body: bytes });
    },
    async end(status, endedAt) {
      await send(`${root}/end`, json({ status, ended_at: endedAt }));
    },
  };
}
