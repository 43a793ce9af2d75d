import { rm } from "node:fs/promises";
import { type WrittenFile, writeDurably } from "../../../store/files/write.ts";
import type { Deps } from "../../deps.ts";
import { AppError } from "../../http/errors.ts";
import { CAPTURE_PREFIX } from "../process/work-folder.ts";

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
export type StagedFile = WrittenFile;

export interface StagedMember extends StagedFile {
  /** What it claims to be. */
  hash: string;
}

type StagingDeps = Pick<Deps, "store" | "ids" | "config">;

/**
 * Writes bytes into a file among the work in progress, hands it to `use`, and removes what is left of it.
 * @throws AppError `bundle_too_large` past the plan's upload cap, and what reading them throws
 */
export async function stageFile<T>(
  deps: StagingDeps,
  content: Content,
  use: (file: StagedFile) => Promise<T>,
): Promise<T> {
  const path = stagingPath(deps);
  try {
    return await use(await writeDurably(path, withinCap(deps, content)));
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
      const file = await writeDurably(path, withinCap(deps, bytes, size));
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
      files.push(await writeDurably(path, [bytes]));
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
  store.work.path(`${CAPTURE_PREFIX}${ids.uuid()}`);
