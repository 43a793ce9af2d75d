import { type Static, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { type NewMember, type WrittenZip, writeZip } from "../../../store/archives/zip-writer.ts";
import { artifactLocation, blobLocation } from "../../../store/files/locations.ts";
import type { NamedBlob } from "../../../store/records/trace-blobs.ts";
import type { Deps } from "../../deps.ts";
import { artifactFileName } from "../files/links.ts";
import { anyPlace, type Contents } from "./contents.ts";

const DIRECTORY = "pack.json";
const Hash = Type.String({ pattern: "^[0-9a-f]{64}$" });
const Size = Type.Integer({ minimum: 0 });

/** `pack.json`: what the records said of a trace, so that a pack can be taken in again without them. */
const PackDirectory = Type.Object({
  version: Type.Literal(1),
  trace_id: Type.String(),
  artifacts: Type.Array(
    Type.Object({
      kind: Type.String(),
      name: Type.String(),
      size: Size,
      media_type: Type.String(),
      sha256: Hash,
    }),
  ),
  references: Type.Array(Type.Object({ hash: Hash, media_type: Type.Union([Type.String(), Type.Null()]) })),
  blobs: Type.Array(Type.Object({ hash: Hash, size: Size })),
  inside: Type.Array(
    Type.Object({
      hash: Hash,
      kind: Type.String(),
      offset: Size,
      stored_size: Size,
      size: Size,
      method: Type.Union([Type.Literal(0), Type.Literal(8)]),
    }),
  ),
});
export type PackDirectory = Static<typeof PackDirectory>;

export const DIRECTORY_MEMBER = DIRECTORY;
export const blobMember = (hash: string) => `blobs/${hash}`;

/** @throws Error when the text is not a pack's directory */
export function parsePackDirectory(text: string): PackDirectory {
  const directory: unknown = JSON.parse(text);
  if (!Value.Check(PackDirectory, directory)) throw new Error(`${DIRECTORY} is not that of a pack.`);
  return directory;
}

/**
 * Writes a trace's artifacts and the given blobs into one archive, fsynced.
 * @throws MemberMismatchError or BlobDamagedError when something to pack is damaged
 */
export async function writePack(
  deps: Pick<Deps, "store">,
  path: string,
  contents: Contents,
  blobs: readonly NamedBlob[],
): Promise<WrittenZip> {
  const { store } = deps;
  const artifacts = contents.artifacts.map((artifact) => ({
    row: artifact,
    name: artifactFileName(artifact),
  }));
  const placed = blobs.flatMap((blob) => {
    const place = anyPlace(blob);
    return place ? [{ hash: blob.hash, place }] : [];
  });
  const directory: PackDirectory = {
    version: 1,
    trace_id: contents.trace.id,
    artifacts: artifacts.map(({ row: { kind, size, media_type, sha256 }, name }) => ({
      kind,
      name,
      size,
      media_type,
      sha256,
    })),
    references: contents.blobs.map(({ hash, mediaType }) => ({ hash, media_type: mediaType })),
    blobs: placed.map(({ hash, place }) => ({ hash, size: place.size })),
    inside: contents.inside.map(({ storedSize, ...rest }) => ({ ...rest, stored_size: storedSize })),
  };
  const members: NewMember[] = [
    ...artifacts.map(({ row, name }) => ({
      name,
      size: row.size,
      sha256: row.sha256,
      bytes: () => store.files.stream(artifactLocation(row)),
    })),
    ...placed.map(({ hash, place }) => ({
      name: blobMember(hash),
      size: place.size,
      sha256: hash,
      bytes: () => store.files.stream(blobLocation(hash, place)),
    })),
    textMember(DIRECTORY, JSON.stringify(directory)),
  ];
  return writeZip(path, members);
}

function textMember(name: string, text: string): NewMember {
  const bytes = Buffer.from(text);
  const sha256 = new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
  return { name, size: bytes.length, sha256, bytes: () => bytes };
}
