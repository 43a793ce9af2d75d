import type { ByteLocation } from "../../../store/files/files.ts";
import type { Deps } from "../../deps.ts";
import { AppError } from "../../http/errors.ts";
import { counted } from "../format/words.ts";
import { servedType } from "./media-types.ts";
import { parseRange } from "./range.ts";

/** Bytes of the store and how they are told to the client. */
export interface ServedBytes {
  location: ByteLocation;
  /** SHA-256 hex of the content: its entity tag. */
  sha256: string;
  mediaType: string | null;
  fileName: string;
  /** Whether pages of other origins may show it in a frame. */
  mayBeFramed: boolean;
  cacheControl: string;
}

/** Nothing runs, nothing is loaded: captured markup shows its text, its inline styles and pictures. */
const SANDBOX =
  "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; media-src data:";

/** Headers that keep captured content harmless. */
export function sandboxHeaders(mayBeFramed: boolean): Record<string, string> {
  return {
    "content-security-policy": `${SANDBOX}; frame-ancestors ${mayBeFramed ? "*" : "'self'"}`,
    "cross-origin-resource-policy": mayBeFramed ? "cross-origin" : "same-site",
    "x-content-type-options": "nosniff",
    "x-dns-prefetch-control": "off",
    "x-robots-tag": "noindex",
  };
}

/**
 * The bytes as a response, with ranges, entity tag and the headers that keep captured content harmless.
 * @throws AppError `range_not_satisfiable`; BlobDamagedError when the file is gone or cut short
 */
export async function bytesResponse(
  deps: Pick<Deps, "store">,
  request: Request,
  bytes: ServedBytes,
): Promise<Response> {
  const { location } = bytes;
  const etag = `"${bytes.sha256}"`;
  const { contentType, isInline } = servedType(bytes.mediaType);
  const headers: Record<string, string> = {
    etag,
    "accept-ranges": "bytes",
    "cache-control": bytes.cacheControl,
    "content-type": contentType,
    "content-disposition": `${isInline ? "inline" : "attachment"}; filename="${bytes.fileName}"`,
    ...sandboxHeaders(bytes.mayBeFramed),
  };
  if (matches(request.headers.get("if-none-match"), etag))
    return new Response(null, { status: 304, headers });
  const asked = request.headers.get("range");
  const isSame = [null, etag].includes(request.headers.get("if-range"));
  const range = isSame ? parseRange(asked, location.size) : null;
  if (range === "unsatisfiable")
    throw new AppError("range_not_satisfiable", `The file has ${counted(location.size, "byte")}.`, {
      headers: { "content-range": `bytes */${location.size}` },
    });
  const { start, end } = range ?? { start: 0, end: location.size };
  headers["content-length"] = String(end - start);
  if (range) headers["content-range"] = `bytes ${start}-${end - 1}/${location.size}`;
  // Opened before the answer begins: from now on the file may move.
  const stream = await deps.store.files.open(location, { start, end });
  const body = await bodyOf(deps, location, stream, {
    start,
    end,
    isWhole: range === null && asked !== null,
  });
  return new Response(body, { status: range ? 206 : 200, headers });
}

/** Bytes up to this many are read before they are sent. */
const READ_AT_ONCE = 1 << 20;

/**
 * What is sent of an open file. Bun tells the length only of bytes and of files that it opens itself, so that a long file
 * is opened once more, in the moment that the answer begins.
 */
async function bodyOf(
  { store }: Pick<Deps, "store">,
  location: ByteLocation,
  stream: ReadableStream<Uint8Array>,
  { start, end, isWhole }: { start: number; end: number; isWhole: boolean },
): Promise<Uint8Array<ArrayBuffer> | Blob | ReadableStream<Uint8Array>> {
  if (end - start <= READ_AT_ONCE) return new Response(stream).bytes();
  // A whole file in answer to a range that does not count goes as a stream, since Bun would cut a file itself.
  const blob = isWhole ? null : store.files.asBlob(location, { start, end });
  if (blob === null) return stream;
  await stream.cancel();
  return blob;
}

/** Whether an If-None-Match header (a list, perhaps of weak tags, or a star) has the tag. */
function matches(header: string | null, etag: string): boolean {
  if (header === null) return false;
  return header.split(",").some((tag) => tag.trim() === "*" || tag.trim().replace(/^W\//, "") === etag);
}

/** What a reader is told of a file of the store that is damaged; the log tells the cause with the answer. */
export function damaged(deps: Pick<Deps, "store">, error: Error): AppError {
  const words = deps.store.files.unrooted(error.message);
  return new AppError("unavailable", `A file of the store is damaged: ${words} See tracedeck doctor.`, {
    cause: error,
  });
}
