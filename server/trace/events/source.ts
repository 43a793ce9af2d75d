import { DamagedFileError } from "../../../store/events/errors.ts";
import type { EventFile } from "../../../store/events/types.ts";
import type { WholeFile } from "../../../store/events/whole-file.ts";
import { growingKey } from "../../../store/files/keys.ts";
import { artifactLocation } from "../../../store/files/locations.ts";
import type { EventsPlace } from "../../../store/files/stored-events.ts";
import type { EventsLease, PackedFile } from "../../../store/files/warm-events.ts";
import { type ArtifactRow, findArtifact } from "../../../store/records/artifacts.ts";
import type { TraceRow } from "../../../store/records/traces.ts";
import type { Deps } from "../../deps.ts";
import { requireOnline } from "../access.ts";
import { damaged } from "../files/bytes.ts";
import { counted } from "../format/words.ts";

/**
 * Where the events of a trace lie, whatever its tier; null while there are none.
 * @throws AppError `not_hot` for a cold trace
 */
async function locateEvents(deps: Deps, trace: TraceRow): Promise<EventsPlace | null> {
  requireOnline(trace);
  const { records, files } = deps.store;
  const events = await findArtifact(records, trace.id, "ndjson");
  // A trace that is being recorded, or waits for its archive to be read, has no event file at first.
  if (!events) {
    const key = growingKey(trace.id);
    return (await files.size(key)) === null ? null : { key };
  }
  if (events.pack_offset === null) return { key: events.path };
  const index = await findArtifact(records, trace.id, "event_index");
  return {
    traceId: trace.id,
    events: packed(events),
    index: index && index.pack_offset !== null ? packed(index) : null,
  };
}

const packed = (artifact: ArtifactRow): PackedFile => ({
  location: artifactLocation(artifact),
  sha256: artifact.sha256,
});

/**
 * The event file of a trace and its index, for another thread or process; null while there are none.
 * @throws AppError `not_hot` for a cold trace, `unavailable` when the file is damaged
 */
export async function leaseEvents(deps: Deps, trace: TraceRow): Promise<EventsLease | null> {
  const place = await locateEvents(deps, trace);
  return place && orDamaged(deps, deps.store.events.lease(place));
}

/** What a task that reads the events of a trace has to find; those of a running trace may be behind what is known of it. */
export const wholeFile = ({ path, indexPath }: EventsLease, trace: TraceRow): WholeFile => ({
  path,
  indexPath,
  ...(trace.status !== "running" && { count: trace.event_count }),
});

/**
 * The events of a trace, wherever its tier keeps them; null while there are none.
 * @throws AppError `not_hot` for a cold trace, `unavailable` when the file is damaged
 */
export async function openEvents(deps: Deps, trace: TraceRow): Promise<EventFile | null> {
  const place = await locateEvents(deps, trace);
  const file = place && (await orDamaged(deps, deps.store.events.open(place)));
  // A file that was cut at the end of a frame, or to nothing, reads like one that is still growing.
  if (file && trace.status !== "running" && file.info.count < trace.event_count)
    throw damaged(
      deps,
      new DamagedFileError(
        `${deps.store.files.whereabouts("key" in place ? place.key : place.events.location.key)} holds ${file.info.count} of ${counted(trace.event_count, "event")}.`,
      ),
    );
  return file;
}

/** Tells the reader of damage in words. */
export async function orDamaged<Value>(deps: Deps, reading: Promise<Value>): Promise<Value> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof DamagedFileError || isMissing(error)) throw damaged(deps, error as Error);
    throw error;
  }
}

const isMissing = (error: unknown) => error instanceof Error && "code" in error && error.code === "ENOENT";
