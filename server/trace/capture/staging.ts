import { open, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Deps } from "../../deps.ts";
import { AppError } from "../../http/errors.ts";
import { CAPTURE_PREFIX } from "../process/work-folder.ts";

const HEAD_BYTES = 16;
/** Of one request or call. */
const MOST_MEMBERS = 1000;

/** The bytes of one file: whole, or as they come. Nothing is read of what comes before it is wanted. */
export type Content = Uint8Array | AsyncIterable<Uint8Array>;

/** A file among several, and the SHA-256 hex that it claims to have. */
export interface Member {
  hash: string;
  bytes: Content;
}
export type Members = Iterable<Member> | AsyncIterable<Member>;

/** A file on disk, fsynced. */
export interface StagedFile {
  path: string;
  size: number;
  /** SHA-256 hex. */
  sha256: string;
  /** The first 16 bytes, or all where there are fewer. */
  head: Uint8Array;
}

export interface StagedMember extends StagedFile {
  /** What it claims to be. */
  hash: string;
}

type StagingDeps = Pick<Deps, "store" | "ids" | "config">;

/**
 * Writes bytes into a file below `<data>/tmp`, hands it to `use`, and removes what is left of it.
 * @throws AppError `bundle_too_large` past the plan's upload cap, and what reading them throws
 */
export async function stageFile<T>(
  deps: StagingDeps,
  content: Content,
  use: (file: StagedFile) => Promise<T>,
): Promise<T> {
  const path = stagingPath(deps);
  try {
    return await use(await stage(withinCap(deps, content), path));
  } finally {
    await rm(path, { force: true });
  }
}

/**
 * The same for several, each in a file of its own, all of them there before `use` is called.
 * @throws AppError `bundle_too_large` when all together are past the plan's upload cap, `bundle_unreadable` for more than
 * `MOST_MEMBERS`, and what reading them throws
 */
export async function stageMembers<T>(
  deps: StagingDeps,
  members: Members,
  use: (members: StagedMember[]) => Promise<T>,
): Promise<T> {
  const paths: string[] = [];
  const staged: StagedMember[] = [];
  let size = 0;
  try {
    for await (const { hash, bytes } of members) {
      if (staged.length >= MOST_MEMBERS)
        throw new AppError("bundle_unreadable", `There are more than ${MOST_MEMBERS} members.`);
      const path = stagingPath(deps);
      paths.push(path);
      const file = await stage(withinCap(deps, bytes, size), path);
      size += file.size;
      staged.push({ hash, ...file });
    }
    return await use(staged);
  } finally {
    await Promise.all(paths.map((path) => rm(path, { force: true })));
  }
}

/** Writes strings of events to files, as `stageFile` does. Their chunk was bounded as a whole. */
export async function stageBytes<T>(
  deps: Pick<Deps, "store" | "ids">,
  contents: readonly Uint8Array[],
  use: (files: StagedFile[]) => Promise<T>,
): Promise<T> {
  const paths: string[] = [];
  try {
    const files: StagedFile[] = [];
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

/** Passes bytes on. @param before bytes that count too. @throws AppError `bundle_too_large` past the plan's upload cap */
export async function* withinCap(
  { config }: Pick<Deps, "config">,
  content: Content,
  before = 0,
): AsyncGenerator<Uint8Array> {
  let size = before;
  for await (const chunk of content instanceof Uint8Array ? [content] : content) {
    size += chunk.byteLength;
    if (size > config.limits.uploadCapBytes) throw tooLarge(config.limits.uploadCapBytes);
    yield chunk;
  }
}

export function tooLarge(cap: number): AppError {
  return new AppError("bundle_too_large", `The body is larger than ${cap} bytes, the plan's upload cap.`);
}

const stagingPath = ({ store, ids }: Pick<Deps, "store" | "ids">): string =>
  join(store.layout.tmp, `${CAPTURE_PREFIX}${ids.uuid()}`);

/** Writes a file, hashed, and fsyncs it. */
async function stage(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  path: string,
): Promise<StagedFile> {
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
