import { referenceBlobs, registerLocations } from "../../../store/records/blobs.ts";
import type { NamedBlob } from "../../../store/records/trace-blobs.ts";
import { findTrace } from "../../../store/records/traces.ts";
import type { Deps } from "../../deps.ts";
import { type CommitDeps, commit } from "../../jobs/commit.ts";
import type { NamedBlobs } from "./task.ts";

/** Rows per transaction: some 15 ms, in which nobody else is served. */
const AT_ONCE = 1_500;

/** Blobs that came inside the trace's archive and are not on record as its own yet. */
export function newBlobs(named: NamedBlobs, known: readonly NamedBlob[]): number {
  const hashes = new Set(known.map(({ hash }) => hash));
  return named.archived.filter(({ hash }) => !hashes.has(hash)).length;
}

/**
 * Only blobs whose bytes came with this trace may become its own: a hash that it merely names could be another org's
 * content. Of those on record already, what the events say of their type is added.
 */
function referencesOf(named: NamedBlobs, known: readonly NamedBlob[]) {
  const untyped = new Set(known.filter(({ mediaType }) => mediaType === null).map(({ hash }) => hash));
  const archived = new Set(named.archived.map(({ hash }) => hash));
  return named.references.filter(
    ({ hash, mediaType }) => archived.has(hash) || (untyped.has(hash) && mediaType !== null),
  );
}

/**
 * Notes which blobs a queued trace names and where in its archive they lie. In parts, since a trace may name very many
 * and the records serve nobody else meanwhile; doing it again is fine. @returns false when the trace is no longer queued.
 */
export async function registerBlobs(
  deps: CommitDeps & Pick<Deps, "clock">,
  traceId: string,
  container: string,
  named: NamedBlobs,
  known: readonly NamedBlob[],
): Promise<boolean> {
  const now = deps.clock.now();
  const locations = named.archived.map((blob) => ({ ...blob, container }));
  const references = referencesOf(named, known);
  for (let at = 0; at < Math.max(locations.length, references.length); at += AT_ONCE) {
    const isQueued = await commit(deps, async (within) => {
      if ((await findTrace(within, traceId))?.status !== "queued") return false;
      await registerLocations(within, locations.slice(at, at + AT_ONCE), now);
      await referenceBlobs(within, traceId, references.slice(at, at + AT_ONCE));
      return true;
    });
    if (!isQueued) return false;
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
  return true;
}
