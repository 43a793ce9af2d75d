import { type FileHandle, open } from "node:fs/promises";
import type { Readable } from "node:stream";
import busboy from "busboy";
import { AppError, invalid } from "../../http/errors.ts";
import type { Clock } from "../../platform/clock.ts";
import { uploadForm } from "../format/media.ts";
import { free } from "./free.ts";
import { stalled } from "./stalled.ts";

/** The parts of a multipart upload, its file written to disk. */
export interface Upload {
  /** Of the names that the form knows; others are refused. */
  fields: Map<string, string>;
  file: StagedFile;
}

export interface StagedFile {
  path: string;
  size: number;
  /** SHA-256 hex; null when nobody needs it (a tar.zst without an Idempotency-Key). */
  sha256: string | null;
}

interface StageOptions {
  form: UploadFields;
  path: string;
  capBytes: number;
  /** Also for files whose form does not need it. */
  alwaysHash: boolean;
  /** Told how many bytes of the file are written, and what its first bytes say it is. */
  onWritten?: (size: number, form: ReturnType<typeof uploadForm>) => void;
}

/** The parts that a form may have. */
export interface UploadFields {
  /** Of the file. */
  file: string;
  /** Of the texts beside it. */
  fields: readonly string[];
}

export const BUNDLE_FORM: UploadFields = {
  file: "bundle",
  fields: [
    "scenario_slug",
    "scenario_title",
    "source",
    "commit_sha",
    "pr_number",
    "run_id",
    "attempt",
    "env",
  ],
};
/** What a multipart body holds beside the file, generously. */
const ENVELOPE_BYTES = 1024 * 1024;
const LONGEST_FIELD = 64 * 1024;
const MOST_PARTS = 1000;
/** Small chunks are written together: each write is a trip to another thread. */
const WRITE_BYTES = 256 * 1024;
/** Chunks that wait for their file to be written so far. */
const MOST_HELD = 64;
/** What is kept goes to the disk on the way, so that less is left to wait for at the end. Each time costs a commit of the journal. */
const SYNC_BYTES = 32 * 1024 * 1024;

/**
 * Reads a multipart/form-data body (RFC 7578) part by part, the file straight to `path`: memory stays flat whatever the
 * size, and back-pressure reaches the client.
 * @throws AppError `unsupported_media_type`, `bundle_too_large`, or `invalid_request` naming the field, also for a body
 * that ends early and for one that stalls (status 408).
 */
export async function receiveUpload(
  request: Request,
  options: StageOptions & { clock: Clock; onBytes: (bytes: number) => void },
): Promise<Upload> {
  const type = request.headers.get("content-type") ?? "";
  if (!/^multipart\/form-data\s*(;|$)/i.test(type))
    throw new AppError(
      "unsupported_media_type",
      `The body must be multipart/form-data with the file in the field \`${options.form.file}\`.`,
    );
  const declared = Number(request.headers.get("content-length") ?? 0);
  if (declared > options.capBytes + ENVELOPE_BYTES) throw tooLarge(options.capBytes);
  if (!request.body) throw invalid("The body is empty; it must be multipart/form-data.");
  const chunks = createChunks();
  const parts = collectParts(type, {
    ...options,
    onWritten(size, form) {
      chunks.written(size);
      options.onWritten?.(size, form);
    },
  });
  const body = request.body.getReader();
  const settled = new AbortController();
  let received = 0;

  async function pump() {
    for (;;) {
      const { done, value } = await body.read().catch(() => {
        throw endedEarly();
      });
      if (done) break;
      received += value.length;
      options.onBytes(value.length);
      if (received > options.capBytes + ENVELOPE_BYTES) throw tooLarge(options.capBytes);
      chunks.add(value, received);
      await parts.write(value);
    }
    if (declared > 0 && received < declared) throw endedEarly();
    return await parts.finish();
  }

  try {
    const waiting = stalled(options.clock, () => received, settled.signal);
    return await Promise.race([pump(), parts.failed, waiting.then(gaveUp)]);
  } catch (error) {
    await body.cancel().catch(() => {});
    await parts.abandon();
    throw error;
  } finally {
    settled.abort();
  }
}

/** The chunks of a body, each freed when the file within it has been written that far. */
function createChunks() {
  const held: { chunk: Uint8Array<ArrayBuffer>; end: number }[] = [];
  return {
    /** @param end where it ends in the body, which is beyond where it ends in the file: a part's head comes first */
    add(chunk: Uint8Array<ArrayBuffer>, end: number): void {
      held.push({ chunk, end });
      // What stands behind the file is not written anywhere.
      if (held.length > MOST_HELD) held.shift();
    },
    /** So many bytes of the file. */
    written(size: number): void {
      while (held.length > 0 && held[0]!.end <= size) free(held.shift()!.chunk);
    },
  };
}

function collectParts(type: string, options: StageOptions) {
  const fields = new Map<string, string>();
  let file: Promise<StagedFile> | null = null;
  let isOver = false;
  const { promise: failed, reject } = Promise.withResolvers<never>();
  failed.catch(() => {});
  const parser = startParser(type);
  const { file: fileField, fields: known } = options.form;
  const unknownField = (name: string) =>
    invalid(`\`${quotable(name)}\` is no field of an upload; there are ${[fileField, ...known].join(", ")}.`);

  parser.on("field", (name, value, info) => {
    if (name === fileField) return reject(invalid(`\`${fileField}\` must be a file, not a text field.`));
    if (!known.includes(name)) return reject(unknownField(name));
    if (info.valueTruncated) return reject(invalid(`\`${name}\` is longer than ${LONGEST_FIELD} bytes.`));
    if (fields.has(name)) return reject(repeated(name));
    fields.set(name, value);
  });
  parser.on("file", (name, stream) => {
    // That the form ends within it is told by whoever reads it, and by the parser; it may end before anybody does.
    stream.on("error", () => {});
    if (name !== fileField) {
      reject(
        known.includes(name) ? invalid(`\`${name}\` must be a text field, not a file.`) : unknownField(name),
      );
      stream.resume();
      return;
    }
    if (file) {
      stream.resume();
      return reject(repeated(name));
    }
    file = stageFile(stream, options);
    file.catch(reject);
  });
  parser.on("partsLimit", () => reject(invalid(`The body has more than ${MOST_PARTS} parts.`)));
  const closed = new Promise<void>((resolve) => parser.on("close", resolve));
  parser.on("error", () => reject(endedEarly()));

  return {
    failed,
    async write(chunk: Uint8Array) {
      if (!parser.write(chunk)) await new Promise<void>((resolve) => parser.once("drain", resolve));
    },
    async finish(): Promise<Upload> {
      parser.end();
      await closed;
      isOver = true;
      if (!file) throw invalid(`\`${fileField}\` is missing: the file to ingest.`);
      return { fields, file: await file };
    },
    async abandon() {
      if (!isOver) parser.destroy();
      await file?.catch(() => {});
    },
  };
}

function startParser(type: string): busboy.Busboy {
  try {
    return busboy({
      headers: { "content-type": type },
      defParamCharset: "utf8",
      limits: { fieldSize: LONGEST_FIELD, parts: MOST_PARTS, headerPairs: 100 },
    });
  } catch {
    throw invalid("The content-type multipart/form-data has no usable boundary.");
  }
}

async function stageFile(stream: Readable, options: StageOptions): Promise<StagedFile> {
  const target = await open(options.path, "wx", 0o600);
  let hasher: Bun.CryptoHasher | null = null;
  let form: ReturnType<typeof uploadForm> = null;
  let size = 0;
  let gathered: Uint8Array[] = [];
  let gatheredSize = 0;
  let writing: Promise<void> = Promise.resolve();
  const syncing = createSyncing(target);

  /** One write is under way while the next is gathered; a failed one is told by the next call. */
  async function flush() {
    await writing;
    const end = size;
    writing = writeAll(target, gathered, gatheredSize).then(() => {
      // Nothing of a bundle is kept as it comes.
      if (form === "playwright") syncing.written(end);
      options.onWritten?.(end, form);
    });
    // Told by whoever awaits it, which may be later than the runtime likes.
    writing.catch(() => {});
    gathered = [];
    gatheredSize = 0;
  }

  try {
    for await (const chunk of stream as AsyncIterable<Uint8Array>) {
      if (size === 0) form = uploadForm(chunk);
      // The first chunk holds the magic bytes unless the client sends byte by byte; then the hash is made anyway.
      if (size === 0 && (options.alwaysHash || chunk.length < 4 || form === "playwright"))
        hasher = new Bun.CryptoHasher("sha256");
      size += chunk.length;
      if (size > options.capBytes) throw tooLarge(options.capBytes);
      hasher?.update(chunk);
      gathered.push(chunk);
      gatheredSize += chunk.length;
      if (gatheredSize >= WRITE_BYTES) await flush();
    }
    await flush();
    await writing;
  } finally {
    await writing.catch(() => {});
    await syncing.over();
    await target.close();
  }
  syncing.check();
  return { path: options.path, size, sha256: hasher?.digest("hex") ?? null };
}

/** The system tells a failed sync once, to whoever asked for it: the one at the end would know nothing of it. */
function createSyncing(target: FileHandle) {
  let running: Promise<void> | null = null;
  let synced = 0;
  let failure: { error: unknown } | null = null;
  return {
    written(end: number): void {
      if (running || end - synced < SYNC_BYTES) return;
      synced = end;
      running = target
        .datasync()
        .catch((error) => {
          failure = { error };
        })
        .finally(() => {
          running = null;
        });
    },
    /** Resolves when none is under way. */
    async over(): Promise<void> {
      await running;
    },
    /** @throws when one failed */
    check(): void {
      if (failure) throw failure.error;
    },
  };
}

/** Several chunks in one call. A disk that is nearly full takes a part without an error; the next write tells. */
async function writeAll(target: FileHandle, chunks: Uint8Array[], size: number): Promise<void> {
  if (size === 0) return;
  const { bytesWritten } = await target.writev(chunks);
  if (bytesWritten === size) return;
  const rest = Buffer.concat(chunks).subarray(bytesWritten);
  for (let at = 0; at < rest.length; ) at += (await target.write(rest, at, rest.length - at)).bytesWritten;
}

/** A name comes from the client, and may be anything. */
const quotable = (name: string) => name.replace(/[^\w.-]/g, "?").slice(0, 64);
const gaveUp = (why: string): never => {
  throw new AppError("invalid_request", `The upload ${why}.`, { status: 408 });
};
const repeated = (name: string) => invalid(`\`${name}\` is given more than once.`);
const endedEarly = () => invalid("The body ended before its last part did; nothing was stored.");
const tooLarge = (capBytes: number) =>
  new AppError(
    "bundle_too_large",
    `The bundle is larger than ${capBytes} bytes, the upload cap of the plan.`,
  );
