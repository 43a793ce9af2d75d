import { artifactsOf } from "../../../store/records/artifacts.ts";
import { blobsOf } from "../../../store/records/trace-blobs.ts";
import type { TraceRow } from "../../../store/records/traces.ts";
import type { Deps } from "../../deps.ts";
import type { Actor } from "../../identity/actor.ts";
import { TaskError } from "../../platform/tasks.ts";
import { locateEvents } from "../events/source.ts";
import { damaged } from "../files/bytes.ts";
import { artifactLocation, blobLocation } from "../files/locate.ts";
import type { DiffResult, Dimension } from "../format/diff/types.ts";
import { requireTrace } from "../traces/access.ts";
import type { DiffQuery } from "./model.ts";
import { DAMAGED, type DiffInput, type DiffSource, LARGEST_PAGE } from "./task.ts";

/** What the events of these dimensions refer to is read too. */
const READS_BLOBS = new Set<Dimension>(["overview", "network", "dom"]);
const COMPARED_TYPE = /json|html/i;

/**
 * What differs between two traces of the actor's org.
 * @param signal ends the work when the client goes
 * @throws AppError `not_found`, `wrong_org`, `not_hot`, `unavailable` when a file is damaged
 */
export async function showDiff(
  deps: Deps,
  actor: Pick<Actor, "orgId">,
  query: DiffQuery,
  signal: AbortSignal,
): Promise<{ a: string; b: string; dimension: Dimension } & DiffResult> {
  const dimension = query.dimension ?? "overview";
  const [a, b] = [await requireTrace(deps, actor, query.a), await requireTrace(deps, actor, query.b)];
  const input: DiffInput = {
    dataDir: deps.store.layout.root,
    dimension,
    a: await sourceOf(deps, a, dimension),
    b: await sourceOf(deps, b, dimension),
  };
  try {
    const result = await deps.tasks.run<DiffResult>("trace.diff", input, { signal });
    return { a: a.id, b: b.id, dimension, ...result };
  } catch (error) {
    if (error instanceof TaskError && error.kind === DAMAGED) throw damaged(deps, error);
    throw error;
  }
}

async function sourceOf(deps: Deps, trace: TraceRow, dimension: Dimension): Promise<DiffSource> {
  const source: DiffSource = { events: await locateEvents(deps, trace), blobs: new Map(), snapshots: null };
  if (!READS_BLOBS.has(dimension)) return source;
  const snapshots = (await artifactsOf(deps.store.records, trace.id)).find(
    ({ kind }) => kind === "snapshots",
  );
  if (snapshots) source.snapshots = artifactLocation(deps, snapshots);
  for (const { hash, mediaType, places } of await blobsOf(deps.store.records, trace.id)) {
    const place = places[0];
    if (!place || place.size > LARGEST_PAGE || (mediaType !== null && !COMPARED_TYPE.test(mediaType)))
      continue;
    source.blobs.set(hash, blobLocation(deps, hash, place));
  }
  return source;
}
