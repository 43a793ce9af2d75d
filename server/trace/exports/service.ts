import { pipeline, Readable } from "node:stream";
import { constants, createZstdCompress } from "node:zlib";
import { type TarFile, writeTar } from "../../../store/archives/tar-writer.ts";
import type { ByteLocation } from "../../../store/files/files.ts";
import { artifactLocation, blobLocation } from "../../../store/files/locations.ts";
import { findArtifact } from "../../../store/records/artifacts.ts";
import { findTraceBlob } from "../../../store/records/blobs.ts";
import type { NamedBlob } from "../../../store/records/trace-blobs.ts";
import type { TraceRow } from "../../../store/records/traces.ts";
import type { Deps } from "../../deps.ts";
import { conflict, notFound } from "../../http/errors.ts";
import type { Actor } from "../../identity/actor.ts";
import { toIso } from "../../platform/clock.ts";
import { requireOnline, requireTrace } from "../access.ts";
import { artifactFileName } from "../files/links.ts";
import { whereItLies } from "../files/where-it-lies.ts";
import { isFinal } from "../model.ts";
import { anyPlace, contentsOf } from "../tiers/contents.ts";

/** What a bundle has besides events and blobs (decisions, section 5). */
const BUNDLED_KINDS = ["ndjson", "video", "playwright", "rrweb", "summary", "report"];

/** Nearly all of a bundle is compressed already. */
const LEVEL = 1;

export interface Bundle {
  fileName: string;
  body: ReadableStream<Uint8Array>;
}

/**
 * A finished trace as a bundle (tar.zst) that ingest takes back, made while it is read: memory stays flat. Blobs inside
 * its Playwright archive are not repeated. A file that turns out damaged ends the stream early.
 * @throws AppError `not_found`, `wrong_org`, `not_hot`; `conflict` for a trace that has not ended
 */
export async function exportBundle(deps: Deps, actor: Actor, id: string): Promise<Bundle> {
  const trace = await requireTrace(deps, actor, id);
  requireOnline(trace);
  if (!isFinal(trace.status))
    throw conflict("This trace has not ended yet: it can be exported once its status is final.");
  const zstd = createZstdCompress({ params: { [constants.ZSTD_c_compressionLevel]: LEVEL } });
  pipeline(Readable.from(writeTar(bundleFiles(deps, trace)), { objectMode: false }), zstd, (error) => {
    if (error && !isCancelled(error)) deps.log.error("an export was cut short", { trace: trace.id, error });
  });
  return {
    fileName: `trace-${trace.short_id}.tar.zst`,
    body: Readable.toWeb(zstd) as unknown as ReadableStream<Uint8Array>,
  };
}

const isCancelled = (error: Error & { code?: string }) =>
  error.code === "ERR_STREAM_PREMATURE_CLOSE" || error.name === "AbortError";

async function* bundleFiles(deps: Deps, trace: TraceRow): AsyncGenerator<TarFile> {
  const { artifacts, blobs, inside } = await contentsOf(deps, trace);
  yield textFile("manifest.json", JSON.stringify(manifestOf(trace), null, 2));
  for (const { kind } of artifacts) {
    if (!BUNDLED_KINDS.includes(kind)) continue;
    yield* openedFile(deps, trace, async (now) => {
      requireOnline(now);
      const artifact = await findArtifact(deps.store.records, trace.id, kind);
      if (!artifact) throw notFound(`A file "${kind}" of this trace`);
      return { name: artifactFileName(artifact), location: artifactLocation(artifact) };
    });
  }
  const archived = new Set(inside.map(({ hash }) => hash));
  for (const blob of blobs) {
    const place = anyPlace(blob);
    if (!place || archived.has(blob.hash)) continue;
    yield* openedFile(deps, trace, async (now) => {
      requireOnline(now);
      const found = await findTraceBlob(deps.store.records, trace.id, blob.hash);
      return {
        name: blob.hash === trace.final_screenshot ? finalName(blob) : `blobs/${blob.hash}`,
        location: blobLocation(blob.hash, found ?? place),
      };
    });
  }
}

/** A file of the bundle, looked up and opened when its turn comes: the trace may move while the bundle is made. */
async function* openedFile(
  deps: Deps,
  trace: TraceRow,
  look: (now: TraceRow) => Promise<{ name: string; location: ByteLocation }>,
): AsyncGenerator<TarFile> {
  const { name, size, bytes } = await whereItLies(deps, trace, async (now) => {
    const found = await look(now);
    return {
      name: found.name,
      size: found.location.size,
      bytes: await deps.store.files.open(found.location),
    };
  });
  try {
    yield { name, size, bytes: () => bytes };
  } finally {
    // Of a bundle that nobody reads on; the stream of a file that was read is at its end.
    if (!bytes.locked) await bytes.cancel();
  }
}

function finalName(blob: NamedBlob): string {
  const extension = { "image/jpeg": "jpg", "image/webp": "webp", "image/png": "png" }[blob.mediaType ?? ""];
  return extension ? `screenshots/final.${extension}` : `blobs/${blob.hash}`;
}

function textFile(name: string, text: string): TarFile {
  const bytes = Buffer.from(text);
  return { name, size: bytes.length, bytes: () => [bytes] };
}

function manifestOf(trace: TraceRow) {
  return {
    version: 1,
    scenario: { slug: trace.scenario_slug, title: trace.scenario_title },
    status: trace.status,
    ...(trace.started_at === null ? {} : { started_at: toIso(trace.started_at) }),
    ...(trace.ended_at === null ? {} : { ended_at: toIso(trace.ended_at) }),
    ...(trace.code_sha === null ? {} : { code_sha: trace.code_sha }),
    ...(trace.source === null ? {} : { source: trace.source }),
    ...(trace.pr_number === null ? {} : { pr_number: trace.pr_number }),
    ...(trace.run_id === null ? {} : { run_id: trace.run_id }),
    ...(trace.attempt === null ? {} : { attempt: trace.attempt }),
    ...(trace.region === null ? {} : { region: trace.region }),
    env: JSON.parse(trace.env) as Record<string, unknown>,
  };
}
