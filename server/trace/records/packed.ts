import { mkdir, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { openZip, type ZipArchive } from "../../../store/archives/zip.ts";
import type { Files } from "../../../store/files/files.ts";
import { TRACE_FILES } from "../../../store/files/names.ts";
import { createWork } from "../../../store/files/work.ts";
import { describeFile, writeDurably } from "../../../store/files/write.ts";
import type { BlobLocation } from "../../../store/records/blobs.ts";
import type { RecordedArtifact, TraceRecord } from "../../../store/records/trace-record.ts";
import { blobMember, DIRECTORY_MEMBER, type PackDirectory, parsePackDirectory } from "../tiers/pack.ts";
import { findFile } from "./read.ts";

/** Our own packs are as large as the traces they hold. */
const NO_CAPS = { maxMembers: 10_000_000, maxUnpackedBytes: Number.MAX_SAFE_INTEGER };
const LOOSE_FILE = { pack_offset: null, pack_stored_size: null, pack_method: null };

type Contents = Pick<TraceRecord, "artifacts" | "blobs" | "places">;

/** What the records say of a trace whose files lie in a pack: by the pack's own directory. */
export async function packContents(options: {
  tier: "warm" | "cold";
  /** The key of the pack. */
  packKey: string;
  traceId: string;
  /** Get the summary, which stays at hand in every tier. */
  files: Files;
}): Promise<Contents> {
  const { tier, packKey, traceId, files } = options;
  const { path, release } = await files.local(packKey);
  const zip = await openZip(path, NO_CAPS);
  try {
    const directory = await directoryOf(zip, path);
    const pack: RecordedArtifact = {
      kind: "pack",
      path: packKey,
      media_type: "application/zip",
      ...LOOSE_FILE,
      ...(await describeFile(path)),
    };
    const summary = await summaryBeside(zip, directory, files, traceId);
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
          path: packKey,
          pack_offset: offset,
          pack_stored_size: storedSize,
          pack_method: method,
        },
      ];
    });
    return { artifacts: [...beside, ...members], blobs, places: placesIn(zip, directory, packKey) };
  } finally {
    await zip.close();
    release();
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
  files: Files,
  traceId: string,
): Promise<RecordedArtifact | null> {
  const listed = directory.artifacts.find(({ kind }) => kind === "summary");
  const member = listed && zip.get(listed.name);
  if (!listed || !member) return null;
  const { name, ...artifact } = listed;
  const there = await findFile(files, traceId, TRACE_FILES.summary);
  const key = there ?? (await putMember(files, traceId, name, zip.stream(member)));
  return { ...artifact, path: key, ...LOOSE_FILE };
}

async function putMember(
  files: Files,
  traceId: string,
  name: string,
  bytes: ReadableStream<Uint8Array>,
): Promise<string> {
  const path = createWork(files.address.root).path(`rebuild-${traceId}`);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await rm(path, { force: true });
  const { sha256 } = await writeDurably(path, bytes);
  return files.put({ path, traceId, name, sha256 });
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
