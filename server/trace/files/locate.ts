import { join } from "node:path";
import type { ByteLocation } from "../../../store/blobs/blobs.ts";
import type { ArtifactRow } from "../../../store/records/artifacts.ts";
import { type BlobLocation, LOOSE } from "../../../store/records/blobs.ts";
import type { Store } from "../../../store/store.ts";
import type { Config } from "../../config.ts";

interface StoreOf {
  store: Pick<Store, "layout" | "blobs">;
}

/** The folder that packs of cold traces move to. */
export function coldDir(deps: StoreOf & { config: Pick<Config, "settings"> }): string {
  return deps.config.settings.cold_dir ?? join(deps.store.layout.root, "cold");
}

/** Where the bytes of an artifact lie: a file of its own or a member of the trace's pack. */
export function artifactLocation(deps: StoreOf, artifact: ArtifactRow): ByteLocation {
  const { size } = artifact;
  const isPacked = artifact.pack_offset !== null;
  return {
    path: join(deps.store.layout.root, artifact.path),
    offset: artifact.pack_offset ?? 0,
    storedSize: isPacked ? artifact.pack_stored_size! : size,
    size,
    method: artifact.pack_method === 8 ? 8 : 0,
  };
}

/** Where the bytes of a blob lie. */
export function blobLocation(deps: StoreOf, hash: string, place: Omit<BlobLocation, "hash">): ByteLocation {
  const { store } = deps;
  const { container, offset, storedSize, size, method } = place;
  const path = container === LOOSE ? store.blobs.loosePath(hash) : join(store.layout.root, container);
  return { path, offset, storedSize, size, method };
}
