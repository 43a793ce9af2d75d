import { deserialize, serialize } from "node:v8";
import type { GrowingZip } from "../../../store/archives/growing.ts";
import type { ZipArchive } from "../../../store/archives/zip.ts";
import type { ZipMember } from "../../../store/archives/zip-member.ts";
import { type BegunReading, beginReading, canGoOn } from "../format/playwright/begun.ts";
import { placeOf } from "../hashes-by-place.ts";
import type { ArchiveHashes } from "./archive-hashes.ts";
import { archiveSource } from "./archive-source.ts";
import { type BegunSnapshots, createSnapshotsAhead, hasContents } from "./snapshots.ts";

/** The conversion of an archive, as far as its first trace files go. */
export interface BegunConversion {
  /** Of the members that were read, by name. */
  places: Map<string, string>;
  reading: BegunReading;
  snapshots: BegunSnapshots;
}

/** What is kept between two tasks; a recording of 20,000 events takes some 2 MB. */
const MOST_BYTES = 32 * 1024 * 1024;

/**
 * Reads the trace files among these members of an archive that is still under way.
 * @param seed see `beginReading`
 * @returns null for what is read from its beginning once it is whole
 * @throws ArchiveError or PlaywrightRefusal, which the whole archive may not deserve
 */
export async function beginConversion(
  archive: Pick<GrowingZip, "stream">,
  members: readonly ZipMember[],
  seed: string,
): Promise<Uint8Array | null> {
  const byName = new Map(members.map((member) => [member.name, member]));
  if (byName.size < members.length) return null;
  const source = archiveSource({
    members: [...members],
    get: (name) => byName.get(name),
    partial: null,
    stream: archive.stream,
  });
  const snapshots = createSnapshotsAhead();
  const reading = await beginReading(source, { seed, line: snapshots.line });
  if (reading === null) return null;
  const places = new Map(members.map((member) => [member.name, placeOf(member)]));
  const begun: BegunConversion = { places, reading, snapshots: snapshots.finish() };
  const bytes = serialize(begun);
  return bytes.length > MOST_BYTES ? null : bytes;
}

/** What was begun of an archive that is whole now; null where going on from there would come to something else than reading it. */
export function goOn(
  bytes: Uint8Array,
  archive: ZipArchive,
  hashes: Pick<ArchiveHashes, "of">,
): BegunConversion | null {
  const begun = deserialize(bytes) as BegunConversion;
  const isSame = [...begun.places].every(([name, place]) => {
    const member = archive.get(name);
    return member !== undefined && placeOf(member) === place;
  });
  const fits =
    isSame &&
    archive.partial === null &&
    canGoOn(begun.reading, archiveSource(archive), (name) => hashes.of(name) !== null) &&
    hasContents(begun.snapshots, archive);
  return fits ? begun : null;
}
