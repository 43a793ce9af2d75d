import type { ArtifactRow } from "../../../store/records/artifacts.ts";
import { artifactsOf } from "../../../store/records/artifacts.ts";
import type { BlobLocation } from "../../../store/records/blobs.ts";
import { LOOSE } from "../../../store/records/blobs.ts";
import { blobsOf, locationsWithin, type NamedBlob } from "../../../store/records/trace-blobs.ts";
import type { TraceRow } from "../../../store/records/traces.ts";
import type { Deps } from "../../deps.ts";

/** A blob that lies inside one of the trace's own artifacts (a Playwright archive), by its place there. */
export interface InsideBlob {
  hash: string;
  kind: string;
  /** From the artifact's first byte. */
  offset: number;
  storedSize: number;
  size: number;
  method: 0 | 8;
}

/** Everything that a trace keeps, wherever it lies. */
export interface Contents {
  trace: TraceRow;
  /** Without the pack itself. */
  artifacts: ArtifactRow[];
  blobs: NamedBlob[];
  inside: InsideBlob[];
}

/** What the records say that a trace keeps. */
export async function contentsOf(deps: Pick<Deps, "store">, trace: TraceRow): Promise<Contents> {
  const { records } = deps.store;
  const all = await artifactsOf(records, trace.id);
  const artifacts = all.filter(({ kind }) => kind !== "pack");
  const locations = await locationsWithin(records, trace.id);
  const inside = locations.flatMap((location) => {
    const artifact = artifacts.find((one) => contains(one, location));
    if (!artifact) return [];
    const { hash, storedSize, size, method } = location;
    const offset = location.offset - (artifact.pack_offset ?? 0);
    return [{ hash, kind: artifact.kind, offset, storedSize, size, method }];
  });
  return { trace, artifacts, blobs: await blobsOf(records, trace.id), inside };
}

function contains(artifact: ArtifactRow, location: BlobLocation): boolean {
  if (artifact.path !== location.container || artifact.pack_method === 8) return false;
  const start = artifact.pack_offset ?? 0;
  return location.offset >= start && location.offset + location.storedSize <= start + artifact.size;
}

/** Whether artifacts are as they were: nothing has rewritten one meanwhile. */
export function areSame(before: readonly ArtifactRow[], now: readonly ArtifactRow[]): boolean {
  const key = ({ kind, path, sha256, pack_offset }: ArtifactRow) =>
    `${kind} ${path} ${sha256} ${pack_offset}`;
  const known = new Set(before.map(key));
  const others = now.filter(({ kind }) => kind !== "pack");
  return others.length === known.size && others.every((artifact) => known.has(key(artifact)));
}

/** The place of a blob's bytes that a pack is filled from: the loose file, or any other. */
export const anyPlace = (blob: NamedBlob) =>
  blob.places.find(({ container }) => container === LOOSE) ?? blob.places[0];
