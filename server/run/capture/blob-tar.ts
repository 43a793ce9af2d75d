import { writeTar } from "../../../store/archives/tar-writer.ts";
import type { CapturedBlob } from "./sink.ts";

/** Blobs as the one body in which the capture API takes several: a tar archive, each member named by its hash. */
export async function blobTar(blobs: readonly CapturedBlob[]): Promise<Uint8Array<ArrayBuffer>> {
  async function* files() {
    for (const { hash, bytes } of blobs) yield { name: hash, size: bytes.length, bytes: () => [bytes] };
  }
  // Runs in Node 20 too, which has no Array.fromAsync.
  const pieces: Uint8Array[] = [];
  for await (const piece of writeTar(files())) pieces.push(piece);
  return Buffer.concat(pieces);
}
