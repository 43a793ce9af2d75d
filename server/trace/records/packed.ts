import { existsSync, statSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { openZip, type ZipArchive } from "../../../store/archives/zip.ts";
import { fsyncFolder } from "../../../store/blobs/sync.ts";
import { TRACE_FILES } from "../../../store/files/names.ts";
import type { BlobLocation } from "../../../store/records/blobs.ts";
import type { RecordedArtifact, TraceRecord } from "../../../store/records/trace-record.ts";
import { writeDurably } from "../files/write-file.ts";
import { hashFile } from "../ingest/staged.ts";
import { blobMember, DIRECTORY_MEMBER, type PackDirectory, parsePackDirectory } from "../tiers/pack.ts";

/** Our own packs are as large as the traces they hold. */
const NO_CAPS = { maxMembers: 10_000_000, maxUnpackedBytes: Number.MAX_SAFE_INTEGER };
const LOOSE_FILE = { pack_offset: null, pack_stored_size: null, pack_method: null };

type Contents = Pick<TraceRecord, "artifacts" | "blobs" | "places">;

/** What the records say of a trace whose files lie in a pack: by the pack's own directory. */
export async function packContents(options: {
  tier: "warm" | "cold";
  packPath: string;
  /** Relative to the data folder, or to the cold folder. */
  packName: string;
  /** Of the trace; gets the summary, which stays at hand in every tier. */
  folder: string;
}): Promise<Contents> {
  const { tier, packPath, packName, folder } = options;
  const zip = await openZip(packPath, NO_CAPS);
  try {
    const directory = await directoryOf(zip, packPath);
    const pack: RecordedArtifact = {
      kind: "pack",
      path: packName,
      media_type: "application/zip",
      ...LOOSE_FILE,
      ...(await hashFile(packPath)),
    };
    const summary = await summaryBeside(zip, directory, folder);
    const beside = summary ? [summary, pack] : [pack];
    const blobs = directory.references;
    if (tier === "cold") return { artifacts: beside, blobs, places: [] };
    const members = directory.artifacts.flatMap(({ name, ...artifact }): RecordedArtifact[] => {
      const member = zip.get(name);
      if (!member || artifact.kind === "summary") return [];
      const { offset, storedSize, method } = member;
      return [
        {
          ...artifact,
          path: packName,
          pack_offset: offset,
          pack_stored_size: storedSize,
          pack_method: method,
        },
      ];
    });
    return { artifacts: [...beside, ...members], blobs, places: placesIn(zip, directory, packName) };
  } finally {
    await zip.close();
  }
}

async function directoryOf(zip: ZipArchive, path: string): Promise<PackDirectory> {
  const member = zip.get(DIRECTORY_MEMBER);
  if (!member) throw new Error(`${path} has no ${DIRECTORY_MEMBER}.`);
  return parsePackDirectory(Buffer.from(await zip.read(member)).toString());
}

async function summaryBeside(
  zip: ZipArchive,
  directory: PackDirectory,
  folder: string,
): Promise<RecordedArtifact | null> {
  const listed = directory.artifacts.find(({ kind }) => kind === "summary");
  const member = listed && zip.get(listed.name);
  if (!listed || !member) return null;
  const path = join(folder, TRACE_FILES.summary);
  if (!existsSync(path)) {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeDurably(path, zip.stream(member));
    await fsyncFolder(folder);
    await fsyncFolder(dirname(folder));
  }
  const { name: _, ...artifact } = listed;
  return { ...artifact, path: `traces/${basename(folder)}/${TRACE_FILES.summary}`, ...LOOSE_FILE };
}

/** Where a pack holds the blobs that it was given, and those inside its artifacts. */
function placesIn(zip: ZipArchive, directory: PackDirectory, container: string): BlobLocation[] {
  const names = new Map(directory.artifacts.map(({ kind, name }) => [kind, name]));
  const members = directory.blobs.flatMap(({ hash }): BlobLocation[] => {
    const member = zip.get(blobMember(hash));
    if (!member) return [];
    const { offset, storedSize, size, method } = member;
    return [{ hash, container, offset, storedSize, size, method }];
  });
  const inside = directory.inside.flatMap(({ kind, stored_size, ...blob }): BlobLocation[] => {
    const member = zip.get(names.get(kind) ?? "");
    if (!member) return [];
    return [{ ...blob, container, storedSize: stored_size, offset: member.offset + blob.offset }];
  });
  return [...inside, ...members];
}

/** Whether a file is there with so many bytes. */
export function isWhole(path: string, size: number): boolean {
  return statSync(path, { throwIfNoEntry: false })?.size === size;
}
