import type { Lease } from "../../../store/files/files.ts";
import { artifactLocation, blobLocation } from "../../../store/files/locations.ts";
import type { ArtifactRow } from "../../../store/records/artifacts.ts";
import type { NamedBlob } from "../../../store/records/trace-blobs.ts";
import type { TraceRow } from "../../../store/records/traces.ts";
import type { Deps } from "../../deps.ts";
import { keepingLease } from "../../jobs/lease.ts";
import type { JobContext } from "../../jobs/types.ts";
import { leasePasses, type MadeCause, ofSummaryAlone, tellingBlobs, withoutLoss } from "../causes/make.ts";
import { STRING_TYPE } from "../format/event.ts";
import { UPLOADED_SUMMARY } from "../kinds.ts";
import { registerBlobs } from "./blobs.ts";
import type { ComparedWith, NamedBlobs, ProcessInput, ProcessOutput } from "./task.ts";

/** How a trace is worked on. */
export interface ProcessContext extends Pick<JobContext, "signal" | "heartbeat"> {
  /** The search for its cause may be what kept earlier attempts from their end: it is told by the summary alone. */
  withoutCause?: boolean;
}

/** What is on record of a trace, and where its files are made. */
interface Recorded {
  artifacts: readonly ArtifactRow[];
  blobs: readonly NamedBlob[];
  folder: string;
}

export interface Made {
  output: ProcessOutput;
  named: NamedBlobs;
  /** Whether the trace was still queued when its blobs were put on record. */
  isQueued: boolean;
  /** Why it failed, to be seen with its final status. */
  cause: MadeCause | null;
}

/**
 * Runs the task, which reads files that are leased to it. The trace's blobs are put on record meanwhile: the one is a worker's work, the
 * other that of the records.
 */
export async function make(
  deps: Deps,
  trace: TraceRow,
  recorded: Recorded,
  context: ProcessContext,
): Promise<Made> {
  const leases: Pick<Lease, "release">[] = [];
  const registering = createRegistering(deps, trace.id, recorded);
  const comparing = createComparing(deps, trace, recorded, leases);
  try {
    const input = await inputOf(deps, trace, recorded, leases);
    const output = await keepingLease(deps, context, (kept) =>
      deps.tasks.run<ProcessOutput>(
        "trace.process",
        { ...input, isCauseWanted: !context.withoutCause },
        {
          signal: kept.signal,
          onQuestion: comparing.begin,
          onProgress(told) {
            kept.onProgress();
            // The worker waits for the answer to its question, and nobody for these rows.
            if (typeof told !== "number") registering.begin(told as NamedBlobs, comparing.over());
          },
        },
      ),
    );
    const { named, isQueued } = await registering.end();
    const found = output.cause && withoutLoss(deps, trace.id, output.cause);
    const cause = found ? { baselineId: comparing.baselineId(), found } : ofSummary(output, context);
    return { output, named, isQueued, cause };
  } finally {
    await registering.over();
    // What is leased after a task has failed is to be released as well.
    await comparing.over();
    for (const { release } of leases) release();
  }
}

function ofSummary({ summary }: ProcessOutput, { withoutCause }: ProcessContext): MadeCause | null {
  return withoutCause && summary.failure ? ofSummaryAlone({ ...summary, steps: [] }) : null;
}

/**
 * Looks up what a failure is compared with, when the worker asks for it.
 * @param leases gets what is held while it is read
 */
function createComparing(
  deps: Deps,
  trace: TraceRow,
  { artifacts, blobs }: Recorded,
  leases: Pick<Lease, "release">[],
) {
  let baselineId: string | null = null;
  let begun: Promise<ComparedWith> | null = null;

  async function compare(): Promise<ComparedWith> {
    const against = await leasePasses(deps, trace, leases);
    baselineId = against.baselineId;
    const snapshots = artifacts.find(({ kind }) => kind === "snapshots");
    return {
      passes: against.passes,
      recorded: { blobs: tellingBlobs(blobs), snapshots: snapshots ? artifactLocation(snapshots) : null },
    };
  }

  return {
    begin(): Promise<ComparedWith> {
      begun ??= compare();
      return begun;
    },
    /** Of the newest pass. */
    baselineId: () => baselineId,
    /** Resolves when nothing is looked up any more. */
    over: async (): Promise<void> => void (await begun?.catch(() => {})),
  };
}

/** Puts a trace's blobs on record while a worker goes on. */
function createRegistering(deps: Deps, traceId: string, { artifacts, blobs }: Recorded) {
  const archive = artifacts.find(({ kind }) => kind === "playwright")?.path ?? "";
  let begun: { named: NamedBlobs; registered: Promise<boolean> } | null = null;
  return {
    begin(named: NamedBlobs, after: Promise<void>) {
      const register = () => registerBlobs(deps, traceId, archive, named, blobs);
      begun = { named, registered: after.then(register) };
      // Told by whoever awaits it, which may be later than the runtime likes.
      begun.registered.catch(() => {});
    },
    async end(): Promise<Pick<Made, "named" | "isQueued">> {
      if (!begun) throw new Error("The task has not told of the trace's blobs.");
      return { named: begun.named, isQueued: await begun.registered };
    },
    /** Resolves when nothing is written any more. */
    over: () => begun?.registered.catch(() => {}),
  };
}

/** @param leases gets what the task holds while it reads */
async function inputOf(
  deps: Deps,
  trace: TraceRow,
  { artifacts, blobs, folder }: Recorded,
  leases: Pick<Lease, "release">[],
): Promise<Omit<ProcessInput, "isCauseWanted">> {
  const { store } = deps;
  const keyOf = (kind: string) => artifacts.find((artifact) => artifact.kind === kind)?.path ?? null;
  async function lease<Kind extends Pick<Lease, "release">>(leasing: Promise<Kind>): Promise<Kind> {
    const leased = await leasing;
    leases.push(leased);
    return leased;
  }
  const [events, playwright, summary] = [keyOf("ndjson"), keyOf("playwright"), keyOf(UPLOADED_SUMMARY.kind)];
  const eventsAt = events === null ? null : await lease(store.events.lease({ key: events }));
  // An uploaded summary that is gone must not fail the trace: it is replaced.
  const hasSummary = summary !== null && (await store.files.size(summary)) !== null;
  return {
    traceId: trace.id,
    folder,
    files: store.files.address,
    events: eventsAt && { path: eventsAt.path, indexPath: eventsAt.indexPath },
    playwright: playwright === null ? null : (await lease(store.files.local(playwright))).path,
    known: deps.traceState.readAheads.take(trace.id),
    summary: hasSummary ? (await lease(store.files.local(summary))).path : null,
    hasRrweb: artifacts.some(({ kind }) => kind === "rrweb"),
    meta: {
      title: trace.scenario_title,
      scenarioSlug: trace.scenario_slug,
      claimedStatus: trace.claimed_status,
      statusReason: trace.status_reason,
      startedAt: trace.started_at,
      endedAt: trace.ended_at,
      environment: JSON.parse(trace.env) as Record<string, unknown>,
      warnings: JSON.parse(trace.warnings) as string[],
      finalScreenshot: trace.final_screenshot,
    },
    texts: new Map(
      blobs.flatMap(({ hash, mediaType, places: [place] }) =>
        mediaType === STRING_TYPE && place ? [[hash, blobLocation(hash, place)]] : [],
      ),
    ),
    blobSizes: new Map(
      blobs.flatMap(({ hash, places }) => places.slice(0, 1).map(({ size }) => [hash, size])),
    ),
  };
}
