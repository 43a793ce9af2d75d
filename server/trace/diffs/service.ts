import { artifactLocation, blobLocation } from "../../../store/files/locations.ts";
import type { EventsLease } from "../../../store/files/warm-events.ts";
import { artifactsOf, findArtifact } from "../../../store/records/artifacts.ts";
import { blobsOf } from "../../../store/records/trace-blobs.ts";
import type { TraceRow } from "../../../store/records/traces.ts";
import type { Deps } from "../../deps.ts";
import type { Actor } from "../../identity/actor.ts";
import { TaskError } from "../../platform/tasks.ts";
import { requireOnline, requireTrace } from "../access.ts";
import { leaseEvents, wholeFile } from "../events/source.ts";
import { damaged } from "../files/bytes.ts";
import { whereItLies } from "../files/where-it-lies.ts";
import type { Dimension } from "../format/diff/types.ts";
import { isFinal } from "../model.ts";
import { createAnswerCache } from "./answer-cache.ts";
import type { DiffQuery } from "./model.ts";
import { DAMAGED, type DiffInput, type DiffResults, type DiffSource, LARGEST_PAGE } from "./task.ts";

/** What the events of these dimensions refer to is read too. */
const READS_BLOBS = new Set<Dimension>(["overview", "network", "dom"]);
const COMPARED_TYPE = /json|html/i;

/** Characters of answers about finished traces that are kept in memory: a page that compares asks for all dimensions. */
const MOST_KEPT = 16 * 1024 * 1024;

export interface Diffs {
  /**
   * What differs between two traces of the actor's org, as JSON. Traces that are finished are compared once, as long as
   * their answer is remembered; the overview brings the answers of all dimensions.
   * @param signal ends the work when the client goes, unless another one waits for it
   * @throws AppError `not_found`, `wrong_org`, `not_hot`, `unavailable` when a file is damaged
   */
  show(actor: Pick<Actor, "orgId">, query: DiffQuery, signal: AbortSignal): Promise<string>;
}

interface Asked {
  dimension: Dimension;
  isRaw: boolean;
}

export function createDiffs(deps: Deps): Diffs {
  const kept = createAnswerCache(MOST_KEPT);

  async function compare(a: TraceRow, b: TraceRow, asked: Asked, signal: AbortSignal) {
    const { dimension, isRaw } = asked;
    const leases: EventsLease[] = [];
    try {
      const input: DiffInput = {
        files: deps.store.files.address,
        dimension,
        isRaw,
        a: await sourceOf(deps, a, dimension, leases),
        b: await sourceOf(deps, b, dimension, leases),
      };
      return await deps.tasks.run<DiffResults>("trace.diff", input, { signal });
    } catch (error) {
      if (error instanceof TaskError && error.kind === DAMAGED) throw damaged(deps, error);
      throw error;
    } finally {
      for (const { release } of leases) release();
    }
  }

  return {
    async show(actor, query, signal) {
      const dimension = query.dimension ?? "overview";
      const isRaw = query.raw === "true" || query.raw === "1";
      const [a, b] = [await requireTrace(deps, actor, query.a), await requireTrace(deps, actor, query.b)];
      for (const trace of [a, b]) requireOnline(trace);
      const [left, right] = [await versionOf(deps, a), await versionOf(deps, b)];
      const nameOf = (one: string) => `${left} ${right} ${isRaw ? "raw " : ""}${one}`;
      const compute = async (until: AbortSignal) => {
        const found = await whereItLies(deps, a, (now) =>
          whereItLies(deps, b, (other) => compare(now, other, { dimension, isRaw }, until)),
        );
        const results = Object.entries(found);
        return new Map(
          results.map(([one, result]) => [
            nameOf(one),
            JSON.stringify({ a: a.id, b: b.id, dimension: one, ...result }),
          ]),
        );
      };
      if (left === null || right === null) return (await compute(signal)).get(nameOf(dimension))!;
      return kept.take(nameOf(dimension), { signal, among: [nameOf("overview")], compute });
    },
  };
}

/** Names what a trace holds, which changes no more once it is finished; null before. */
async function versionOf(deps: Deps, trace: TraceRow): Promise<string | null> {
  if (!isFinal(trace.status)) return null;
  const events = await findArtifact(deps.store.records, trace.id, "ndjson");
  return events && `${trace.id}@${events.sha256}`;
}

/** @param leases gets what the task holds while it reads */
async function sourceOf(
  deps: Deps,
  trace: TraceRow,
  dimension: Dimension,
  leases: EventsLease[],
): Promise<DiffSource> {
  const events = await leaseEvents(deps, trace);
  if (events) leases.push(events);
  const source: DiffSource = {
    events: events && wholeFile(events, trace),
    blobs: new Map(),
    snapshots: null,
  };
  if (!READS_BLOBS.has(dimension)) return source;
  const snapshots = (await artifactsOf(deps.store.records, trace.id)).find(
    ({ kind }) => kind === "snapshots",
  );
  if (snapshots) source.snapshots = artifactLocation(snapshots);
  for (const { hash, mediaType, places } of await blobsOf(deps.store.records, trace.id)) {
    const place = places[0];
    if (!place || place.size > LARGEST_PAGE || (mediaType !== null && !COMPARED_TYPE.test(mediaType)))
      continue;
    source.blobs.set(hash, blobLocation(hash, place));
  }
  return source;
}
