import { join } from "node:path";
import { openZip, type ZipArchive } from "../../../store/archives/zip.ts";
import { createEventWriter } from "../../../store/events/writer.ts";
import { TRACE_FILES } from "../../../store/files/names.ts";
import type { TraceEvent } from "../format/event.ts";
import { readPlaywright } from "../format/playwright/read.ts";
import type { PlaywrightResult, PlaywrightSink } from "../format/playwright/source.ts";
import { counted } from "../format/words.ts";
import type { HashesByPlace } from "../hashes-by-place.ts";
import { type ArchivedBlob, hashMembers, isResource } from "./archive-hashes.ts";
import { archiveSource } from "./archive-source.ts";
import { goOn } from "./begun.ts";
import { mediaTypeOfName } from "./media-types.ts";
import { describeOutput, type OutputFile } from "./output-files.ts";
import { createSnapshotKeeper } from "./snapshots.ts";

export interface Converted {
  result: PlaywrightResult;
  /** Once they are on the disk, which all else of a conversion need not wait for. That of the pages can be read before. */
  files: Promise<OutputFile[]>;
  /** The place in the archive of a hash that the events name. */
  locate(hash: string): ArchivedBlob | null;
  /** By the member's name, for hashes whose event says nothing. */
  mediaTypeOf(hash: string): string | null;
  warnings: string[];
}

interface ArchiveInput {
  archive: string;
  folder: string;
  /** What has been hashed of it already. */
  known: HashesByPlace;
  /** What has been read of it already: see `beginConversion`. */
  begun: Uint8Array | null;
}

/**
 * Turns a Playwright archive into an event file in the work folder, each member unpacked once.
 * @param each sees every event with its line, as it is written.
 * @throws ArchiveError or PlaywrightRefusal (`bundle_unreadable`) when there is nothing to be read.
 */
export async function convertPlaywright(
  input: ArchiveInput,
  each: (event: TraceEvent, line: string) => void | Promise<void>,
  onWork: () => void,
): Promise<Converted> {
  const archive = await openZip(input.archive);
  try {
    return await convert(archive, input, each, onWork);
  } finally {
    await archive.close();
  }
}

async function convert(
  archive: ZipArchive,
  { folder, known, begun: bytes }: ArchiveInput,
  each: (event: TraceEvent, line: string) => void | Promise<void>,
  onWork: () => void,
): Promise<Converted> {
  const hashes = await hashMembers(archive, isResource, onWork, known);
  const begun = bytes && goOn(bytes, archive, hashes);
  const names = new Map<string, string>();
  const warnings: string[] = archive.lost === null ? [] : [archive.lost];
  const snapshots = createSnapshotKeeper(archive, folder, begun?.snapshots);
  const writer = await createEventWriter({
    path: join(folder, TRACE_FILES.events),
    indexPath: join(folder, TRACE_FILES.eventIndex),
  }).catch((error) => {
    snapshots.abort();
    throw error;
  });
  try {
    const sink: PlaywrightSink = {
      event(event) {
        const line = JSON.stringify(event);
        onWork();
        const appended = writer.append(line, event);
        return appended ? appended.then(() => each(event, line)) : each(event, line);
      },
      resource(name) {
        const hash = hashes.of(name);
        if (hash !== null && !names.has(hash)) names.set(hash, name);
        return hash;
      },
      line: snapshots.line,
      warn: (sentence) => void warnings.push(sentence),
    };
    const result = await readPlaywright(archiveSource(archive), sink, begun?.reading);
    if (hashes.damaged.length > 0)
      warnings.push(
        `${counted(hashes.damaged.length, "damaged member")} of the archive cannot be shown, the first is ${JSON.stringify(hashes.damaged[0])}.`,
      );
    const pages = snapshots.finish();
    const files = finish(pages);
    // Told to whoever awaits it, which may be later than the runtime likes.
    files.catch(() => {});
    return {
      result,
      files,
      locate: hashes.locate,
      mediaTypeOf: (hash) => mediaTypeOfName(names.get(hash) ?? ""),
      warnings,
    };
  } catch (error) {
    await abort();
    throw error;
  }

  async function finish(pages: Promise<OutputFile> | null): Promise<OutputFile[]> {
    // Told below, which may be later than the runtime likes.
    pages?.catch(() => {});
    try {
      await writer.finish();
      const events = await describeOutput(folder, {
        kind: "ndjson",
        name: TRACE_FILES.events,
        mediaType: "application/zstd",
      });
      const index = await describeOutput(folder, {
        kind: "event_index",
        name: TRACE_FILES.eventIndex,
        mediaType: "application/octet-stream",
      });
      return pages ? [events, index, await pages] : [events, index];
    } catch (error) {
      await abort();
      throw error;
    }
  }

  async function abort(): Promise<void> {
    snapshots.abort();
    await writer.abort();
  }
}
