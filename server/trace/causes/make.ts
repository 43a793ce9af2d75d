import type { ByteLocation, Lease } from "../../../store/files/files.ts";
import { artifactLocation, blobLocation } from "../../../store/files/locations.ts";
import { artifactsOf } from "../../../store/records/artifacts.ts";
import { findLastPass, findLastPasses } from "../../../store/records/baselines.ts";
import { causesWithout, putCause } from "../../../store/records/causes.ts";
import type { Trx } from "../../../store/records/db.ts";
import { blobsOf, type NamedBlob } from "../../../store/records/trace-blobs.ts";
import type { TraceRow } from "../../../store/records/traces.ts";
import type { Deps } from "../../deps.ts";
import { AppError } from "../../http/errors.ts";
import type { After } from "../../jobs/commit.ts";
import type { KeptLease } from "../../jobs/lease.ts";
import { leaseEvents } from "../events/source.ts";
import { CAUSE_ENGINE } from "../format/cause/find-cause.ts";
import { causeOfSummary, type SummaryFacts } from "../format/cause/from-summary.ts";
import { type FoundCause, MOST_PASSES } from "../format/cause/types.ts";
import { FIND_CAUSE } from "../kinds.ts";
import { type CauseInput, isTelling, type RunSource } from "./source.ts";
import type { CauseAndLoss } from "./task.ts";

/** A cause, and the newest pass that it was compared with. */
export interface MadeCause {
  baselineId: string | null;
  found: FoundCause;
}

type Release = Pick<Lease, "release">;

/** Newest passes among which those of the run's own region are looked for. */
const MOST_CANDIDATES = 12;
/** Of the passes together; one is read whatever its size. */
const MOST_EVENTS = 100_000;

/**
 * Looks for the cause of a trace that failed, off the main thread, against the newest passes before it.
 * @returns null for a trace whose files cannot be read now
 */
export async function makeCause(deps: Deps, trace: TraceRow, kept: KeptLease): Promise<MadeCause | null> {
  return withCauseInput(deps, trace, async (input, baselineId) => {
    const told = await deps.tasks.run<CauseAndLoss>("trace.cause", input, kept);
    return { baselineId, found: withoutLoss(deps, trace.id, told) };
  });
}

/** What was found; what could not be looked at goes to the log. */
export function withoutLoss(
  { log }: Pick<Deps, "log">,
  traceId: string,
  { unread, faults, ...found }: CauseAndLoss,
): FoundCause {
  if (unread > 0) log.warn("a cause is told without what cannot be read", { trace_id: traceId, unread });
  if (faults.length > 0)
    log.error("a cause is told without parts of the engine that failed", { trace_id: traceId, faults });
  return found;
}

/**
 * Leases what is read to find why a trace failed, for as long as `use` reads.
 * @returns null for a trace whose files cannot be read now
 */
export async function withCauseInput<Result>(
  deps: Deps,
  trace: TraceRow,
  use: (input: CauseInput, baselineId: string | null) => Promise<Result>,
): Promise<Result | null> {
  const leases: Release[] = [];
  try {
    const run = await sourceOf(deps, trace, leases);
    const summary = await summaryOf(deps, trace);
    if (!run || !summary) return null;
    const { passes, baselineId } = await leasePasses(deps, trace, leases);
    return await use({ files: deps.store.files.address, run, summary, passes }, baselineId);
  } finally {
    for (const { release } of leases) release();
  }
}

/**
 * The passes that a trace is compared with, newest first.
 * @param leases gets what is held while they are read
 */
export async function leasePasses(
  deps: Deps,
  trace: TraceRow,
  leases: Release[],
): Promise<{ passes: RunSource[]; baselineId: string | null }> {
  const before = await passesBefore(deps, trace);
  return { passes: await sourcesOf(deps, before, leases), baselineId: before[0]?.id ?? null };
}

async function sourcesOf(deps: Deps, before: readonly TraceRow[], leases: Release[]): Promise<RunSource[]> {
  const passes: RunSource[] = [];
  let events = 0;
  for (const pass of before) {
    events += pass.event_count;
    if (pass.tier === "cold" || (passes.length > 0 && events > MOST_EVENTS)) continue;
    const source = await passSource(deps, pass, leases);
    if (source) passes.push(source);
  }
  return passes;
}

/**
 * The newest pass, then those of the run's region before others, newest first: what differs from region to region (zone,
 * language, prices) is then not taken for news.
 */
async function passesBefore({ store }: Deps, trace: TraceRow): Promise<TraceRow[]> {
  const most = trace.region === null ? MOST_PASSES : MOST_CANDIDATES;
  const [newest, ...others] = await findLastPasses(store.records, trace, most);
  if (!newest) return [];
  const [near, far] = [true, false].map((isNear) =>
    others.filter(({ region }) => (region === trace.region) === isNear),
  );
  return [newest, ...[...near!, ...far!].slice(0, MOST_PASSES - 1).sort((a, b) => b.ord - a.ord)];
}

/** What a summary tells of a cause, kept so that nobody looks through the events for another. */
export function ofSummaryAlone(summary: SummaryFacts): MadeCause {
  const cause = causeOfSummary(summary);
  return { baselineId: null, found: { cause, shared: cause, context: null } };
}

/** Keeps a cause in the transaction that it becomes visible with. */
export async function keepCause(
  within: Trx,
  traceId: string,
  { baselineId, found }: MadeCause,
  now: number,
): Promise<void> {
  await putCause(within, {
    trace_id: traceId,
    engine: CAUSE_ENGINE,
    baseline_id: baselineId,
    headline: found.cause.headline,
    cause: JSON.stringify(found),
    made_at: now,
  });
}

/** Failures that came right after a pass and were read before it. */
const MOST_AGAIN = 5;

/** A pass that ended while a failure's cause was looked for is what it should have been compared with. */
export async function lookAgainAt(
  within: Trx,
  after: After,
  failure: TraceRow,
  { baselineId }: Pick<MadeCause, "baselineId">,
): Promise<void> {
  const newest = await findLastPass(within, failure);
  if (newest !== null && newest.id !== baselineId)
    await after.add({ kind: FIND_CAUSE, payload: { trace_id: failure.id }, dedupeKey: failure.id });
}

/** A pass that comes late, since archives are read side by side, is what failures after it should have been compared with. */
export async function lookAgain(within: Trx, after: After, pass: TraceRow): Promise<void> {
  if (pass.parent_trace_id !== null) return;
  for (const id of await causesWithout(within, pass, MOST_AGAIN))
    await after.add({ kind: FIND_CAUSE, payload: { trace_id: id }, dedupeKey: id });
}

async function summaryOf(deps: Deps, trace: TraceRow): Promise<ByteLocation | null> {
  const artifacts = await artifactsOf(deps.store.records, trace.id);
  const summary = artifacts.find(({ kind }) => kind === "summary");
  return summary ? artifactLocation(summary) : null;
}

/** @returns null for a pass whose files are damaged, which the log tells: it is one less to compare with */
async function passSource(deps: Deps, pass: TraceRow, leases: Release[]): Promise<RunSource | null> {
  try {
    const source = await sourceOf(deps, pass, leases);
    if (source) source.events.count = pass.event_count;
    return source;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    deps.log.warn("a cause is told without a pass that is damaged", {
      trace_id: pass.id,
      error: error.message,
    });
    return null;
  }
}

async function sourceOf(deps: Deps, trace: TraceRow, leases: Release[]): Promise<RunSource | null> {
  const events = await leaseEvents(deps, trace);
  if (!events) return null;
  leases.push(events);
  const source: RunSource = {
    events: { path: events.path, indexPath: events.indexPath },
    blobs: tellingBlobs(await blobsOf(deps.store.records, trace.id)),
    snapshots: null,
    environment: JSON.parse(trace.env) as Record<string, unknown>,
  };
  const artifacts = await artifactsOf(deps.store.records, trace.id);
  const snapshots = artifacts.find(({ kind }) => kind === "snapshots");
  if (snapshots) source.snapshots = artifactLocation(snapshots);
  return source;
}

/** Where those blobs lie that a cause may be told by. */
export function tellingBlobs(blobs: readonly NamedBlob[]): RunSource["blobs"] {
  const telling: RunSource["blobs"] = new Map();
  for (const { hash, mediaType, places } of blobs) {
    const place = places[0];
    if (place && isTelling(mediaType, place.size)) telling.set(hash, blobLocation(hash, place));
  }
  return telling;
}
