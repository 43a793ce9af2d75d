import { open, rm } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { extract } from "tar-stream";
import { quote } from "../../../store/archives/policy.ts";
import type { Deps } from "../../deps.ts";
import { AppError, invalid } from "../../http/errors.ts";
import { CAPTURE_PREFIX } from "../process/work-folder.ts";

/** A sender that says nothing for so long has gone. */
const SILENCE_MS = 60_000;
const HEAD_BYTES = 16;
/** Of one tar archive. */
const MOST_MEMBERS = 1000;

/** A body on disk, fsynced. */
export interface ReceivedFile {
  path: string;
  size: number;
  /** SHA-256 hex. */
  sha256: string;
  /** The first 16 bytes, or all where there are fewer. */
  head: Uint8Array;
}

/**
 * Streams a request's body into a file below `<data>/tmp`, hands it to `use`, and removes what is left of it.
 * @throws AppError `bundle_too_large` past the plan's upload cap, `invalid_request` for a body that ends early or stalls.
 */
export async function receiveFile<T>(
  deps: Pick<Deps, "store" | "ids" | "clock" | "config">,
  request: Request,
  use: (file: ReceivedFile) => Promise<T>,
): Promise<T> {
  const path = stagingPath(deps);
  try {
    return await use(await stage(boundedChunks(deps, request), path));
  } finally {
    await rm(path, { force: true });
  }
}

/** Writes bytes to files below `<data>/tmp`, fsynced, hands these to `use`, and removes what is left of them. */
export async function stageBytes<T>(
  deps: Pick<Deps, "store" | "ids">,
  contents: readonly Uint8Array[],
  use: (files: ReceivedFile[]) => Promise<T>,
): Promise<T> {
  const paths: string[] = [];
  try {
    const files: ReceivedFile[] = [];
    for (const bytes of contents) {
      const path = stagingPath(deps);
      paths.push(path);
      files.push(await stage([bytes], path));
    }
    return await use(files);
  } finally {
    await Promise.all(paths.map((path) => rm(path, { force: true })));
  }
}

/** A member of a tar archive on disk. */
export interface ReceivedMember extends ReceivedFile {
  name: string;
}

/**
 * The same for a body that is a tar archive: every member in a file of its own, all of them there before `use` is called.
 * @throws AppError as `receiveFile` does, and `bundle_unreadable` for what is no tar archive, is cut short, has other
 * members than files or more than `MOST_MEMBERS`.
 */
export async function receiveMembers<T>(
  deps: Pick<Deps, "store" | "ids" | "clock" | "config">,
  request: Request,
  use: (members: ReceivedMember[]) => Promise<T>,
): Promise<T> {
  const paths: string[] = [];
  try {
    return await use(await stageMembers(deps, request, paths));
  } finally {
    await Promise.all(paths.map((path) => rm(path, { force: true })));
  }
}

async function stageMembers(
  deps: Pick<Deps, "store" | "ids" | "clock" | "config">,
  request: Request,
  paths: string[],
): Promise<ReceivedMember[]> {
  const entries = extract();
  // What is wrong with the body itself is told below, when the loop over the members has ended with it.
  const reading = pipeline(Readable.from(boundedChunks(deps, request)), entries).then(
    () => null,
    (error: unknown) => error,
  );
  const members: ReceivedMember[] = [];
  try {
    for await (const entry of entries) {
      const { name, type } = entry.header;
      if (type !== "file") throw unreadable(`The member ${quote(name)} is no file.`);
      if (members.length >= MOST_MEMBERS) throw unreadable(`There are more than ${MOST_MEMBERS} members.`);
      const path = stagingPath(deps);
      paths.push(path);
      // A streamx stream is iterable; its types do not say so.
      members.push({ name, ...(await stage(entry as unknown as AsyncIterable<Uint8Array>, path)) });
    }
  } catch (error) {
    entries.destroy();
    const first = (await reading) ?? error;
    throw isNamed(first) ? first : isNamed(error) ? error : notATar(first);
  }
  const late = await reading;
  if (late !== null) throw isNamed(late) ? late : notATar(late);
  return members;
}

/** Ours, or the system's: a full disk is no fault of the body. */
const isNamed = (error: unknown): boolean =>
  error instanceof AppError || (error instanceof Error && "errno" in error);

const unreadable = (message: string) => new AppError("bundle_unreadable", message);
const notATar = (error: unknown) =>
  unreadable(`The body is no whole tar archive: ${error instanceof Error ? error.message : String(error)}.`);

const stagingPath = ({ store, ids }: Pick<Deps, "store" | "ids">): string =>
  join(store.layout.tmp, `${CAPTURE_PREFIX}${ids.uuid()}`);

/** Writes a file, hashed, and fsyncs it. */
async function stage(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  path: string,
): Promise<ReceivedFile> {
  const hasher = new Bun.CryptoHasher("sha256");
  const head = new Uint8Array(HEAD_BYTES);
  const file = await open(path, "wx", 0o600);
  let size = 0;
  try {
    for await (const chunk of chunks) {
      if (size < HEAD_BYTES) head.set(chunk.subarray(0, HEAD_BYTES - size), size);
      size += chunk.byteLength;
      hasher.update(chunk);
      await file.writeFile(chunk);
    }
    await file.sync();
  } finally {
    await file.close();
  }
  return { path, size, sha256: hasher.digest("hex"), head: head.slice(0, size) };
}

/** The bytes of a body. @throws AppError past the plan's upload cap and when it ends before its announced length */
async function* boundedChunks(
  deps: Pick<Deps, "clock" | "config">,
  request: Request,
): AsyncGenerator<Uint8Array> {
  const cap = deps.config.limits.uploadCapBytes;
  const declared = Number(request.headers.get("content-length") ?? 0);
  if (declared > cap) throw tooLarge(cap);
  let size = 0;
  for await (const chunk of chunksOf(deps, request)) {
    size += chunk.byteLength;
    if (size > cap) throw tooLarge(cap);
    yield chunk;
  }
  if (size < declared) throw invalid("The body ended early.");
}

async function* chunksOf(deps: Pick<Deps, "clock">, request: Request): AsyncGenerator<Uint8Array> {
  const reader = request.body?.getReader();
  if (!reader) return;
  try {
    for (;;) {
      const waited = new AbortController();
      const next = reader.read().catch(() => {
        throw invalid("The body ended early.");
      });
      const silence = deps.clock.sleep(SILENCE_MS, waited.signal).then(() => null);
      const result = await Promise.race([next, silence]).finally(() => waited.abort());
      if (result === null)
        throw new AppError("invalid_request", "The body stalled for a minute.", { status: 408 });
      if (result.done) return;
      yield result.value;
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

function tooLarge(cap: number): AppError {
  return new AppError("bundle_too_large", `The body is larger than ${cap} bytes, the plan's upload cap.`);
}
