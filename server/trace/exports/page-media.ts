import type { ByteLocation } from "../../../store/files/files.ts";
import { artifactLocation } from "../../../store/files/locations.ts";
import type { ArtifactRow } from "../../../store/records/artifacts.ts";
import type { Deps } from "../../deps.ts";
import { isLost } from "../files/where-it-lies.ts";
import type { MediaInPage, PageMeta } from "../format/page-data.ts";
import { type PackedPart, type PartFile, pack, sizeInPage } from "./page-parts.ts";

const MIB = 1024 * 1024;
/** Of a longer recording, unpacked, a tab that plays it from a file would have too much to hold. */
const LONGEST_RECORDING = 128 * MIB;
const LARGEST_VIDEO = 200 * MIB;
/** What one of them may take of the room that is left. */
const SHARE = 0.5;

interface Media {
  artifacts: readonly ArtifactRow[];
  parts: PartFile;
  meta: PageMeta;
  /** Bytes that all parts together may take. */
  room: number;
  /** The script that plays DOM recordings. */
  player: string;
  /** The page is made a second time: what cannot be read now is left out. Before, it may only have moved. */
  isAgain: boolean;
}

/**
 * Puts the DOM recording, with the script that plays it, and then the video into the page, each as far as it takes no more
 * than half of the room that is left. `meta` is told what is in and what is left out.
 */
export async function putMedia(deps: Deps, media: Media): Promise<void> {
  const { artifacts, meta } = media;
  const of = (kind: string) => artifacts.find((one) => one.kind === kind);
  const [recording, video] = [of("rrweb"), of("video")];
  if (recording) meta.recording = told(meta, recording, await putRecording(deps, media, recording));
  if (video) meta.video = told(meta, video, await putVideo(deps, media, video));
}

function told(meta: PageMeta, { size }: ArtifactRow, isIn: boolean): MediaInPage {
  if (!isIn) {
    meta.left_out.count += 1;
    meta.left_out.bytes += size;
  }
  return { bytes: size, is_in: isIn };
}

const roomFor = ({ parts, room }: Media) => (room - parts.size) * SHARE;

async function putRecording(deps: Deps, media: Media, artifact: ArtifactRow): Promise<boolean> {
  const unpack = new DecompressionStream("zstd" as CompressionFormat) as unknown as TransformStream<
    Uint8Array,
    Uint8Array
  >;
  const stored = deps.store.files.stream(artifactLocation(artifact));
  const lines = await readAtMost(deps, media, stored.pipeThrough(unpack), LONGEST_RECORDING);
  if (!lines) return false;
  const player = await pack(Buffer.from(media.player));
  const recording = await pack(lines);
  if (sizeInPage(recording.bytes.length) + sizeInPage(player.bytes.length) > roomFor(media)) return false;
  await media.parts.put("player", player);
  await media.parts.put("recording", recording);
  return true;
}

async function putVideo(deps: Deps, media: Media, artifact: ArtifactRow): Promise<boolean> {
  const location: ByteLocation = artifactLocation(artifact);
  if (artifact.size > LARGEST_VIDEO || sizeInPage(artifact.size) > roomFor(media)) return false;
  const bytes = await readAtMost(deps, media, deps.store.files.stream(location), artifact.size);
  if (!bytes) return false;
  const packed: PackedPart = { bytes, method: 0 };
  await media.parts.put("video", packed, artifact.media_type);
  return true;
}

/** All of a stream; null when it is longer than that, or cannot be read: a page is made without it. */
async function readAtMost(
  deps: Deps,
  { isAgain }: Media,
  stream: ReadableStream<Uint8Array>,
  most: number,
): Promise<Buffer | null> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of stream) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > most) return null;
    }
  } catch (error) {
    if (!isAgain && isLost(error)) throw error;
    deps.log.warn("a file is left out of an export: it cannot be read", { error });
    return null;
  }
  return Buffer.concat(chunks, size);
}
