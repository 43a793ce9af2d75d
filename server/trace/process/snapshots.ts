import { rmSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { openZip, type ZipArchive } from "../../../store/archives/zip.ts";
import { TRACE_FILES } from "../../../store/files/names.ts";
import {
  createSnapshotGatherer,
  createSnapshotWriter,
  type SnapshotBlocks,
} from "../../../store/snapshots/write-file.ts";
import {
  createSnapshotIndexer,
  type IndexerState,
  readSnapshots,
} from "../format/playwright/snapshot-index.ts";
import type { PlaywrightSource } from "../format/playwright/source.ts";
import { archiveSource } from "./archive-source.ts";
import { describeOutput, type OutputFile } from "./output-files.ts";

/** The page snapshots of an archive whose other members are not there yet. It survives structured clone. */
export interface BegunSnapshots {
  kept: SnapshotBlocks;
  /** Of its contents only the type is known. */
  index: IndexerState;
}

/** Gathers the page snapshots while the archive is still under way. */
export function createSnapshotsAhead() {
  const gatherer = createSnapshotGatherer();
  const unknown = { offset: 0, stored_size: 0, size: 0, method: 0 } as const;
  const indexer = createSnapshotIndexer({ keep: gatherer.keep, member: () => unknown });
  return {
    line: indexer.take,
    finish: (): BegunSnapshots => ({ kept: gatherer.finish(), index: indexer.state }),
  };
}

/** Whether the archive has all that they name. */
export const hasContents = ({ index }: BegunSnapshots, archive: Pick<ZipArchive, "get">): boolean =>
  index.members.every((names) => names.some((name) => archive.get(name)));

/**
 * Keeps the page snapshots of an archive in a file of their own.
 * @param begun those that were gathered before, where `hasContents` says that the archive has what they name
 */
export function createSnapshotKeeper(archive: ZipArchive, folder: string, begun?: BegunSnapshots) {
  const path = join(folder, TRACE_FILES.snapshots);
  const writer = createSnapshotWriter(path, begun?.kept);
  const place = (name: string) => {
    const member = archive.get(name);
    if (!member) return null;
    const { offset, storedSize, size, method } = member;
    return { offset, stored_size: storedSize, size, method };
  };
  for (const [at, [name, otherwise]] of begun?.index.members.entries() ?? [])
    Object.assign(begun!.index.contents[at]!, place(name) ?? place(otherwise));
  const indexer = createSnapshotIndexer({ keep: writer.keep, member: place }, begun?.index);
  return {
    /** Looks on while somebody else reads the archive. */
    line: indexer.take,
    /** Reads what is needed itself. */
    read: (source: PlaywrightSource) => readSnapshots(source, indexer),
    abort: () => writer.abort(),
    /**
     * The file, which can be read from now on, once it is on the disk; null when the archive has no snapshots.
     * @throws when it cannot be written
     */
    finish(): Promise<OutputFile> | null {
      const index = indexer.finish();
      if (index.frames.length === 0) {
        writer.abort();
        rmSync(path);
        return null;
      }
      return writer.finish(index).then(() =>
        describeOutput(folder, {
          kind: "snapshots",
          name: TRACE_FILES.snapshots,
          mediaType: "application/octet-stream",
        }),
      );
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
