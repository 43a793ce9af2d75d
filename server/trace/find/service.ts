import { BlobDamagedError } from "../../../store/files/files.ts";
import { artifactLocation, blobLocation } from "../../../store/files/locations.ts";
import type { EventsLease } from "../../../store/files/warm-events.ts";
import { findArtifact } from "../../../store/records/artifacts.ts";
import { blobsOf } from "../../../store/records/trace-blobs.ts";
import { findTrace, type TraceRow } from "../../../store/records/traces.ts";
import type { Deps } from "../../deps.ts";
import { invalid } from "../../http/errors.ts";
import { TaskError } from "../../platform/tasks.ts";
import { leaseEvents, wholeFile } from "../events/source.ts";
import { damaged } from "../files/bytes.ts";
import { whereItLies } from "../files/where-it-lies.ts";
import { type Margins, SHOWN } from "./match.ts";
import type { FindAnswer, FindQuery, Place } from "./model.ts";
import { DAMAGED, type FindInput } from "./task.ts";

const DEFAULT_LIMIT = 100;
const TEXT = /^text\/|json|xml|javascript|ecmascript|typescript|graphql|x-www-form-urlencoded|yaml|csv|html/i;

const NOTHING: FindAnswer = {
  hits: [],
  searched: 0,
  total: 0,
  pages_searched: 0,
  pages_total: 0,
  too_large: 0,
  unreadable: 0,
  next: null,
};

function readPlace(text: string): Place {
  const [kind, at] = text.split(".");
  return { kind: kind === "bodies" ? kind : "pages", at: Number(at) };
}

/**
 * Where the pages of a trace's Playwright archive, and the bodies that its events name (what was sent and answered, pages,
 * attachments), hold a text. Answers after a bounded look, with where to look on.
 * @param signal ends the work when the client goes
 * @param margins what stands around a match in the answer
 * @throws AppError `not_hot`, `unavailable` when the events are damaged
 */
export async function findInBodies(
  deps: Deps,
  trace: TraceRow,
  query: FindQuery,
  signal: AbortSignal,
  margins: Margins = SHOWN,
): Promise<FindAnswer> {
  if (query.q.includes("\0")) throw invalid('The query parameter "q" must not hold NUL characters.');
  return whereItLies(deps, trace, async (now, isAgain) => {
    const answer = await find(deps, now, { ...query, margins }, signal);
    if (answer.unreadable > 0 && !isAgain) await requireUnmoved(deps, now);
    return answer;
  });
}

/** @throws BlobDamagedError when the trace has moved meanwhile: what could not be read may lie elsewhere by now */
async function requireUnmoved({ store }: Deps, { id, tier }: TraceRow): Promise<void> {
  if ((await findTrace(store.records, id))?.tier !== tier)
    throw new BlobDamagedError(`The trace ${id} moved while it was searched.`);
}

type Wanted = FindQuery & { margins: Margins };

async function find(deps: Deps, trace: TraceRow, query: Wanted, signal: AbortSignal): Promise<FindAnswer> {
  const events = await leaseEvents(deps, trace);
  if (events === null) return NOTHING;
  try {
    return await findWithin(deps, trace, query, events, signal);
  } finally {
    events.release();
  }
}

async function findWithin(
  deps: Deps,
  trace: TraceRow,
  query: Wanted,
  events: EventsLease,
  signal: AbortSignal,
): Promise<FindAnswer> {
  const artifactAt = async (kind: "manifest" | "snapshots") => {
    const artifact = await findArtifact(deps.store.records, trace.id, kind);
    return artifact && artifactLocation(artifact);
  };
  const input: FindInput = {
    files: deps.store.files.address,
    events: wholeFile(events, trace),
    manifest: await artifactAt("manifest"),
    pages: await artifactAt("snapshots"),
    blobs: new Map(),
    text: query.q,
    after: readPlace(query.after ?? "pages.0"),
    limit: query.limit ?? DEFAULT_LIMIT,
    margins: query.margins,
  };
  for (const { hash, mediaType, places } of await blobsOf(deps.store.records, trace.id)) {
    const place = places[0];
    if (!place || (mediaType !== null && !TEXT.test(mediaType))) continue;
    input.blobs.set(hash, { location: blobLocation(hash, place), mediaType });
  }
  try {
    return await deps.tasks.run<FindAnswer>("trace.find", input, { signal });
  } catch (error) {
    if (error instanceof TaskError && error.kind === DAMAGED) throw damaged(deps, error);
    throw error;
  }
}
