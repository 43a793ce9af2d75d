import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { constants, createGzip } from "node:zlib";
import { artifactLocation } from "../../../store/files/locations.ts";
import { findArtifact } from "../../../store/records/artifacts.ts";
import type { TraceRow } from "../../../store/records/traces.ts";
import type { Deps } from "../../deps.ts";
import { notFound } from "../../http/errors.ts";
import { requireOnline } from "../access.ts";
import { whereItLies } from "../files/where-it-lies.ts";

/**
 * The DOM recording of a trace, unpacked on its way: NDJSON, one event of rrweb's format a line, in the order in which
 * it was recorded. Packed with gzip where the client takes that. Nothing is held but what is on its way, so the length of
 * the recording does not matter; one that is damaged ends there, in the middle of the answer.
 * @throws AppError `not_found` when the trace has no recording, `not_hot` for a cold trace
 */
export async function recordingResponse(
  deps: Pick<Deps, "store">,
  request: Request,
  trace: TraceRow,
): Promise<Response> {
  const stored = await whereItLies(deps, trace, async (now) => {
    requireOnline(now);
    const artifact = await findArtifact(deps.store.records, now.id, "rrweb");
    if (!artifact) throw notFound("A DOM recording of this trace");
    return deps.store.files.open(artifactLocation(artifact));
  });
  // Bun knows "zstd"; the types of the web do not yet.
  const unpack = new DecompressionStream("zstd" as CompressionFormat) as unknown as TransformStream<
    Uint8Array,
    Uint8Array
  >;
  const lines = stored.pipeThrough(unpack);
  const isPacked = takesGzip(request.headers.get("accept-encoding") ?? "");
  return new Response(isPacked ? gzipped(lines) : lines, {
    headers: {
      "content-type": "application/x-ndjson",
      ...(isPacked ? { "content-encoding": "gzip" } : {}),
      vary: "accept-encoding",
      "cache-control": "private, no-store",
      "content-security-policy": "sandbox; default-src 'none'",
      "x-content-type-options": "nosniff",
    },
  });
}

const takesGzip = (accepted: string): boolean => /(^|[\s,])gzip(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i.test(accepted);

/** Packed off the main thread, quickly rather than well. */
function gzipped(bytes: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const gzip = createGzip({ level: constants.Z_BEST_SPEED });
  const packed = Readable.toWeb(gzip) as unknown as ReadableStream<Uint8Array>;
  // A failure reaches the reader through the stream itself, as an answer that ends early.
  pipeline(Readable.from(bytes), gzip).catch(() => {});
  return packed;
}
