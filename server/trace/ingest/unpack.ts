import { closeSync, constants, copyFileSync, openSync, readSync, renameSync } from "node:fs";
import { join } from "node:path";
import { unreadable } from "../../../store/archives/errors.ts";
import { createDurability, type Durability, fsyncFolder } from "../../../store/blobs/sync.ts";
import { TRACE_FILES } from "../../../store/files/names.ts";
import { describeFile } from "../../../store/files/write.ts";
import { isDiskFull } from "../../../store/storage-faults.ts";
import { AppError } from "../../http/errors.ts";
import { describeBytes, uploadForm } from "../format/media.ts";
import { createBudget } from "./budget.ts";
import { unpackBundle } from "./bundle.ts";
import { checkPlaywright } from "./playwright.ts";
import type { Unpacked, UnpackInput } from "./staged.ts";

const HEAD_BYTES = 512;

/**
 * The task `ingest.unpack`: checks an upload by its bytes and takes it apart into the staging folder.
 * @throws ArchiveError or AppError whose `kind` is the answer's code; nothing outside the staging folder is touched.
 */
export async function unpackUpload(input: UnpackInput): Promise<Unpacked> {
  try {
    const head = readHead(input.upload);
    const form = uploadForm(head);
    if (form === null)
      throw unreadable(
        `The file is ${describeBytes(head)}; a zstd-compressed tar or a Playwright trace.zip is taken.`,
      );
    const durability = createDurability();
    try {
      return form === "bundle" ? await unpackBundle(input, durability) : await takeArchive(input, durability);
    } finally {
      // Also after a failure: nothing may be at work in a folder that is about to go.
      await durability.settled();
      await fsyncFolder(input.trace);
    }
  } catch (error) {
    throw withKind(error);
  }
}

/** A bare Playwright archive: it becomes the only artifact, and post-processing makes the events. */
async function takeArchive(input: UnpackInput, durability: Durability): Promise<Unpacked> {
  const path = join(input.trace, TRACE_FILES.playwright);
  if (input.isOwned) renameSync(input.upload, path);
  else copyFileSync(input.upload, path, constants.COPYFILE_FICLONE);
  // What the disk does of its own and what is looked at do not wait for each other.
  durability.add(path);
  const archive = await checkPlaywright(path, createBudget(input.maxUnpackedBytes), []);
  const { size, sha256 } = input.sha256
    ? { size: Bun.file(path).size, sha256: input.sha256 }
    : await describeFile(path);
  return {
    manifest: null,
    artifacts: [
      { kind: "playwright", name: TRACE_FILES.playwright, size, sha256, mediaType: "application/zip" },
    ],
    blobs: [],
    references: [],
    archived: [],
    finalScreenshot: null,
    eventCount: 0,
    warnings: archive.warnings,
  };
}

function readHead(path: string): Uint8Array {
  const file = openSync(path, "r");
  try {
    const head = new Uint8Array(HEAD_BYTES);
    return head.subarray(0, readSync(file, head, 0, HEAD_BYTES, 0));
  } finally {
    closeSync(file);
  }
}

/** A full disk is nobody's fault but must be told as what it is. */
export function withKind(error: unknown): unknown {
  const isTooLarge = error instanceof Error && "code" in error && error.code === "EFBIG";
  if (!isTooLarge && !isDiskFull(error)) return error;
  return new AppError("unavailable", "The server's disk is full; nothing was stored.");
}
