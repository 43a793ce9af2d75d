import { existsSync } from "node:fs";
import { join } from "node:path";
import { DamagedFileError } from "../../../store/events/errors.ts";
import type { EventFile } from "../../../store/events/types.ts";
import { eventIndexPath, TRACE_FILES } from "../../../store/files/names.ts";
import { findArtifact } from "../../../store/records/artifacts.ts";
import type { TraceRow } from "../../../store/records/traces.ts";
import type { Deps } from "../../deps.ts";
import { requireOnline } from "../access.ts";
import { damaged } from "../files/bytes.ts";
import { counted } from "../format/words.ts";

/**
 * Where the event file of a trace and its index lie, whatever its tier; null while there are none.
 * @throws AppError `not_hot` for a cold trace, `unavailable` when the file is damaged
 */
export async function locateEvents(
  deps: Deps,
  trace: TraceRow,
): Promise<{ path: string; indexPath: string } | null> {
  requireOnline(trace);
  const { store } = deps;
  const artifact = await findArtifact(store.records, trace.id, "ndjson");
  const path = artifact
    ? join(store.layout.root, artifact.path)
    : join(store.layout.trace(trace.id), TRACE_FILES.events);
  const place = artifact?.pack_offset
    ? await orDamaged(deps, deps.traceState.warmEvents.unpacked(artifact))
    : { path, indexPath: eventIndexPath(path) };
  // A trace that is being recorded, or waits for its archive to be read, has no event file at first.
  return artifact || existsSync(place.path) ? place : null;
}

/**
 * The events of a trace, wherever its tier keeps them; null while there are none.
 * @throws AppError `not_hot` for a cold trace, `unavailable` when the file is damaged
 */
export async function openEvents(deps: Deps, trace: TraceRow): Promise<EventFile | null> {
  const place = await locateEvents(deps, trace);
  const file = place && (await orDamaged(deps, deps.store.events.open(place.path, place.indexPath)));
  // A file that was cut at the end of a frame, or to nothing, reads like one that is still growing.
  if (file && trace.status !== "running" && file.info.count < trace.event_count)
    throw damaged(
      deps,
      new DamagedFileError(
        `${place.path} holds ${file.info.count} of ${counted(trace.event_count, "event")}.`,
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
