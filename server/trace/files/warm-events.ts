import { mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { DamagedFileError } from "../../../store/events/errors.ts";
import { TRACE_FILES } from "../../../store/files/names.ts";
import { type ArtifactRow, findArtifact } from "../../../store/records/artifacts.ts";
import type { Store } from "../../../store/store.ts";
import type { Ids } from "../../platform/ids.ts";
import { artifactLocation } from "./locate.ts";
import type { WorkFolder } from "./work-folder.ts";
import { writeDurably } from "./write-file.ts";

interface Unpacked {
  path: string;
  indexPath: string;
}

/** Event files of warm traces, taken out of their packs: reading at random needs files of their own. */
export interface WarmEvents {
  /**
   * The event file and its index. The few that were read last are kept until the process ends.
   * @throws DamagedFileError when the pack does not hold what the records say
   */
  unpacked(events: ArtifactRow): Promise<Unpacked>;
}

const MOST_KEPT = 8;

export function createWarmEvents(options: {
  store: Store;
  ids: Pick<Ids, "uuid">;
  workFolder: WorkFolder;
}): WarmEvents {
  const { store, ids, workFolder } = options;
  const kept = new Map<string, Promise<Unpacked>>();

  async function unpack(events: ArtifactRow, folder: string): Promise<Unpacked> {
    const draft = `${folder}.${ids.uuid()}`;
    await mkdir(draft, { mode: 0o700 });
    const index = await findArtifact(store.records, events.trace_id, "event_index");
    await take(events, join(draft, TRACE_FILES.events));
    if (index?.pack_offset) await take(index, join(draft, TRACE_FILES.eventIndex));
    await rm(folder, { recursive: true, force: true });
    await rename(draft, folder);
    return { path: join(folder, TRACE_FILES.events), indexPath: join(folder, TRACE_FILES.eventIndex) };
  }

  async function take(artifact: ArtifactRow, path: string): Promise<void> {
    const location = artifactLocation({ store }, artifact);
    const sha256 = await writeDurably(path, store.blobs.stream(location));
    if (sha256 !== artifact.sha256)
      throw new DamagedFileError(`${location.path} does not hold the ${artifact.kind} that it should.`);
  }

  async function discard(files: Unpacked): Promise<void> {
    store.events.invalidate(files.path);
    await rm(join(files.path, ".."), { recursive: true, force: true });
  }

  return {
    unpacked(events) {
      const key = `${events.trace_id}-${events.sha256}`;
      const unpacking = kept.get(key) ?? unpack(events, join(workFolder.root(), key));
      kept.delete(key);
      kept.set(key, unpacking);
      unpacking.catch(() => kept.delete(key));
      for (const [oldest, unpacked] of kept) {
        if (kept.size <= MOST_KEPT) break;
        kept.delete(oldest);
        unpacked.then(discard).catch(() => {});
      }
      return unpacking;
    },
  };
}
