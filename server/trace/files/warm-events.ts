import { mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { DamagedFileError } from "../../../store/events/errors.ts";
import { TRACE_FILES } from "../../../store/layout.ts";
import { type ArtifactRow, findArtifact } from "../../../store/records/artifacts.ts";
import type { Deps } from "../../deps.ts";
import { artifactLocation } from "./locate.ts";
import { workRoot } from "./work-folder.ts";
import { writeDurably } from "./write-file.ts";

interface Unpacked {
  path: string;
  indexPath: string;
}

const MOST_KEPT = 8;
const kept = new WeakMap<Deps["store"], Map<string, Promise<Unpacked>>>();

/**
 * The event file of a warm trace and its index, taken out of the pack: reading at random needs files of their own. The
 * few that were read last are kept until the process ends.
 */
export function unpackedEvents(deps: Deps, events: ArtifactRow): Promise<Unpacked> {
  const cache = kept.get(deps.store) ?? new Map<string, Promise<Unpacked>>();
  kept.set(deps.store, cache);
  const key = `${events.trace_id}-${events.sha256}`;
  const unpacking = cache.get(key) ?? unpack(deps, events, join(workRoot(deps), key));
  cache.delete(key);
  cache.set(key, unpacking);
  unpacking.catch(() => cache.delete(key));
  for (const [oldest, unpacked] of cache) {
    if (cache.size <= MOST_KEPT) break;
    cache.delete(oldest);
    unpacked.then((files) => discard(deps, files)).catch(() => {});
  }
  return unpacking;
}

async function unpack(deps: Deps, events: ArtifactRow, folder: string): Promise<Unpacked> {
  const draft = `${folder}.${deps.ids.uuid()}`;
  await mkdir(draft, { mode: 0o700 });
  const index = await findArtifact(deps.store.records, events.trace_id, "event_index");
  await take(deps, events, join(draft, TRACE_FILES.events));
  if (index?.pack_offset) await take(deps, index, join(draft, TRACE_FILES.eventIndex));
  await rm(folder, { recursive: true, force: true });
  await rename(draft, folder);
  return { path: join(folder, TRACE_FILES.events), indexPath: join(folder, TRACE_FILES.eventIndex) };
}

/** @throws DamagedFileError when the pack does not hold what the records say */
async function take(deps: Deps, artifact: ArtifactRow, path: string): Promise<void> {
  const location = artifactLocation(deps, artifact);
  const sha256 = await writeDurably(path, deps.store.blobs.stream(location));
  if (sha256 !== artifact.sha256)
    throw new DamagedFileError(`${location.path} does not hold the ${artifact.kind} that it should.`);
}

async function discard(deps: Deps, files: Unpacked): Promise<void> {
  deps.store.events.invalidate(files.path);
  await rm(join(files.path, ".."), { recursive: true, force: true });
}
