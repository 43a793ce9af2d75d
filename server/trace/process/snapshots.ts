import { rm } from "node:fs/promises";
import { join } from "node:path";
import { openZip, type ZipArchive } from "../../../store/archives/zip.ts";
import { TRACE_FILES } from "../../../store/files/names.ts";
import { createSnapshotWriter } from "../../../store/snapshots/write-file.ts";
import { createSnapshotIndexer, readSnapshots } from "../format/playwright/snapshot-index.ts";
import type { PlaywrightSource } from "../format/playwright/source.ts";
import { archiveSource } from "./archive-source.ts";
import { describeOutput, type OutputFile } from "./output-files.ts";

/** Keeps the page snapshots of an archive in a file of their own. */
export function createSnapshotKeeper(archive: ZipArchive, folder: string) {
  const path = join(folder, TRACE_FILES.snapshots);
  const writer = createSnapshotWriter(path);
  const indexer = createSnapshotIndexer({
    keep: writer.keep,
    member(name) {
      const member = archive.get(name);
      if (!member) return null;
      const { offset, storedSize, size, method } = member;
      return { offset, stored_size: storedSize, size, method };
    },
  });
  return {
    /** Looks on while somebody else reads the archive. */
    line: indexer.take,
    /** Reads what is needed itself. */
    read: (source: PlaywrightSource) => readSnapshots(source, indexer),
    abort: () => writer.abort(),
    /** The finished file; null when the archive has no snapshots. */
    async finish(): Promise<OutputFile | null> {
      const index = indexer.finish();
      writer.finish(index);
      if (index.frames.length > 0)
        return describeOutput(folder, {
          kind: "snapshots",
          name: TRACE_FILES.snapshots,
          mediaType: "application/octet-stream",
        });
      await rm(path);
      return null;
    },
  };
}

/**
 * The page snapshots of an archive whose events were recorded apart. One that cannot be read costs the snapshots, not
 * the trace.
 */
export async function extractSnapshots(
  path: string,
  folder: string,
): Promise<{ file: OutputFile | null; warning: string | null }> {
  try {
    return { file: await snapshotsOf(path, folder), warning: null };
  } catch (error) {
    if (!isUnreadable(error)) throw error;
    await rm(join(folder, TRACE_FILES.snapshots), { force: true });
    return { file: null, warning: `The pages in the Playwright archive cannot be shown: ${error.message}` };
  }
}

async function snapshotsOf(path: string, folder: string): Promise<OutputFile | null> {
  const archive = await openZip(path);
  try {
    const keeper = createSnapshotKeeper(archive, folder);
    try {
      await keeper.read(archiveSource(archive));
    } catch (error) {
      keeper.abort();
      throw error;
    }
    return await keeper.finish();
  } finally {
    await archive.close();
  }
}

/** What an archive itself is to blame for. */
const isUnreadable = (error: unknown): error is Error =>
  error instanceof Error &&
  "kind" in error &&
  (error.kind === "bundle_unreadable" || error.kind === "bundle_bomb");
