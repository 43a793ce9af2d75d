import { blobLocation } from "../../../store/files/locations.ts";
import type { EventsLease } from "../../../store/files/warm-events.ts";
import { changeReplay, findReplay, type ReplayRow } from "../../../store/records/replays.ts";
import { blobsOf } from "../../../store/records/trace-blobs.ts";
import { findTrace, type TraceRow, updateTrace } from "../../../store/records/traces.ts";
import type { Deps } from "../../deps.ts";
import { commit } from "../../jobs/commit.ts";
import { keepingLease } from "../../jobs/lease.ts";
import { createCaptureService } from "../../trace/capture/service.ts";
import { leaseEvents } from "../../trace/events/source.ts";
import { publishTraceChange } from "../../trace/publish.ts";
import { RunnerError } from "../errors.ts";
import type { CompiledScenario } from "../language/ast.ts";
import type { CaughtUp } from "../playback/catch-up.ts";
import type { PlaybackPlan } from "../playback/plan.ts";
import { createLocalSink } from "../pool/local-sink.ts";
import type { RunnerPool } from "../pool/pool.ts";
import type { RunTask } from "../pool/protocol.ts";
import type { Outcome } from "../runner/execution.ts";
import { secretsFor } from "../runner/secrets.ts";
import { syntheticUser } from "../runner/synthetic-user.ts";
import { clonesFor, knownFingerprints, type RunPlan } from "../runs/execute.ts";
import type { ReplayWork } from "../state.ts";
import { failOrphanedReplay, settleReplay } from "./settle.ts";

/** What is kept of how a replay is to be made; `plan` of its row. */
export interface ReplayPlan {
  /** As edited. */
  scenario: CompiledScenario;
  /** Of its file, as edited; null where that was not kept, absent in replays of before. */
  text?: string | null;
  region: string;
  baseUrl: string | null;
  hasClones: boolean;
  /** As of the run. */
  recordings?: RunPlan["recordings"];
  /** Of the source run: the replay acts as the same synthetic user. */
  shard: string;
  /** When the source run began, epoch ms. */
  startedAt: number;
  sourceDiffs: { path: string; diff: string }[];
  /** Whether what was sent before is sent again; null for what is safe. */
  catchUp: boolean | null;
  /** What that means for this source. */
  planned: CaughtUp;
}

/**
 * Carries a queued replay out. One that was begun before is lost: it never runs a second time.
 * @throws the reason of the signal of `shutdown` when it had not begun by then: it stays queued for whoever takes the job next
 */
export async function executeReplay(
  deps: Deps,
  work: ReplayWork,
  replayId: string,
  shutdown: { signal: AbortSignal; heartbeat(): Promise<void> },
): Promise<void> {
  const replay = await findReplay(deps.store.records, replayId);
  if (replay?.status === "running") return failOrphanedReplay(deps, replay);
  if (replay?.status !== "queued") return;
  await keepingLease(deps, shutdown, () => carryOut(deps, work, replay, shutdown.signal));
}

async function carryOut(
  deps: Deps,
  { pool, controls, atOnce }: ReplayWork,
  replay: ReplayRow,
  shutdown: AbortSignal,
): Promise<void> {
  const control = new AbortController();
  controls.set(replay.id, control);
  const signal = AbortSignal.any([control.signal, shutdown]);
  try {
    const error = await atOnce.run(replay.org_id, signal, () => attempt(deps, pool, replay, signal));
    // A server that stops has cancelled nothing: its replays end as those do whose server died.
    const wasStopped = shutdown.aborted && !control.signal.aborted;
    const known = wasStopped ? await findReplay(deps.store.records, replay.id) : null;
    if (known?.status === "queued") throw shutdown.reason;
    if (known?.status === "running" && error?.reason === "aborted") return failOrphanedReplay(deps, known);
    await settleReplay(deps, replay, {
      status: error ? "failed" : "succeeded",
      error_reason: error?.reason ?? null,
      error_message: error?.message ?? null,
    });
  } finally {
    controls.delete(replay.id);
  }
}

/** What kept the replay from being carried out; null when it was, however its scenario ended. */
async function attempt(
  deps: Deps,
  pool: RunnerPool,
  replay: ReplayRow,
  signal: AbortSignal,
): Promise<Outcome["error"]> {
  const plan = JSON.parse(replay.plan) as ReplayPlan;
  let resultId: string | null = null;
  let hasBegun = false;
  let noting: Promise<unknown> = Promise.resolve();
  const of = { orgId: replay.org_id, isByClock: false, isOfStrangers: false };
  const keep = createLocalSink(deps, of, async (traceId) => {
    resultId = traceId;
    await link(deps, replay, traceId);
  });
  let events: EventsLease | null = null;
  const isEnded = (status: Outcome["status"]) => status === "passed" || status === "failed";
  try {
    const trace = await sourceOf(deps, replay);
    events = await leaseEvents(deps, trace);
    if (!events) throw new RunnerError("source_unreadable", "The source trace has no events.");
    const { status, error } = await pool.run(await taskOf(deps, trace, replay, plan, events), {
      keep: async (what) => {
        if (what.method === "begin") await begin(deps, replay, signal);
        return keep(what);
      },
      // Its steps are in its trace.
      log: ({ stepId }) => {
        hasBegun ||= stepId !== null;
      },
      onCaughtUp(caughtUp) {
        const changes = { caught_up: JSON.stringify(caughtUp) };
        noting = changeReplay(deps.store.records, replay.id, ["running"], changes).catch((error: unknown) =>
          deps.log.warn("What a replay sent again could not be noted", { replay_id: replay.id, error }),
        );
      },
      signal,
      timeoutMs: Math.min(plan.scenario.timeout_ms, deps.config.settings.browser.run_timeout_seconds * 1000),
    });
    return isEnded(status)
      ? null
      : (error ?? { reason: status, message: `It ended as ${status}.`, stepId: null });
  } catch (error) {
    if (!(error instanceof RunnerError)) throw error;
    // As a run's: once its steps have begun it is the target that uses the time up, and the scenario fails.
    const isUsedUp = error.reason === "timeout" && hasBegun;
    if (resultId)
      await createCaptureService(deps).abort(resultId, error.message, isUsedUp ? "failed" : "aborted");
    if (isUsedUp) return null;
    return { reason: error.reason, message: error.message, stepId: null };
  } finally {
    events?.release();
    await noting;
  }
}

async function begin(deps: Deps, replay: ReplayRow, signal: AbortSignal): Promise<void> {
  // A server that stops begins nothing.
  if (signal.aborted) throw new RunnerError("aborted", "The replay was ended before it began.");
  const isOurs = await changeReplay(deps.store.records, replay.id, ["queued"], {
    status: "running",
    started_at: deps.clock.now(),
    server_id: deps.serverId,
  });
  if (!isOurs) throw new RunnerError("aborted", "The replay was cancelled before it began.");
}

/** The result says whose replay it is before anything else of it is kept. */
async function link(deps: Deps, replay: ReplayRow, traceId: string): Promise<void> {
  await commit(deps, async (within, after) => {
    await updateTrace(within, traceId, {
      parent_trace_id: replay.trace_id,
      replay_from_step: replay.from_step,
    });
    await changeReplay(within, replay.id, ["running"], { replay_trace_id: traceId });
    publishTraceChange(after, { id: traceId, org_id: replay.org_id, status: "running" });
  });
}

/** @throws RunnerError when the source cannot be read any more */
async function sourceOf(deps: Deps, replay: ReplayRow): Promise<TraceRow> {
  const trace = await findTrace(deps.store.records, replay.trace_id);
  if (trace?.tier !== "hot")
    throw new RunnerError(
      "source_not_hot",
      "The source trace is not hot any more: restore it and replay again.",
    );
  return trace;
}

async function taskOf(
  deps: Deps,
  trace: TraceRow,
  replay: ReplayRow,
  plan: ReplayPlan,
  events: EventsLease,
): Promise<RunTask> {
  const { settings } = deps.config;
  const { scenario, region, shard } = plan;
  return {
    scenario,
    baseUrl: plan.baseUrl,
    manifest: { source: "manual", region },
    region: settings.regions[region] ?? {},
    excludeOrigins: [...settings.synthetic.exclude_origins],
    allowPrivateTargets: settings.browser.allow_private_targets,
    values: {
      ...(await secretsFor(deps, replay.org_id, scenario)),
      synthetic: syntheticUser(settings.synthetic, { slug: scenario.slug, region, shard }),
    },
    clones: plan.hasClones ? await clonesFor(deps, trace.scenario_id, plan.recordings) : null,
    fingerprints: await knownFingerprints(deps, trace.scenario_id),
    redaction: { headers: [...settings.redaction.headers], patterns: [...settings.redaction.patterns] },
    executable: settings.browser.executable,
    playback: await playbackOf(deps, trace, replay, plan, events),
  };
}

async function playbackOf(
  deps: Deps,
  trace: TraceRow,
  replay: ReplayRow,
  plan: ReplayPlan,
  { path, indexPath }: EventsLease,
): Promise<PlaybackPlan> {
  const blobs: PlaybackPlan["blobs"] = new Map();
  for (const { hash, places } of await blobsOf(deps.store.records, trace.id)) {
    const [place] = places;
    if (place) blobs.set(hash, blobLocation(hash, place));
  }
  return {
    fromStep: replay.from_step,
    startedAt: plan.startedAt,
    rule: { wanted: plan.catchUp, isIdempotent: plan.scenario.idempotent },
    planned: plan.planned,
    sourceDiffs: plan.sourceDiffs,
    files: deps.store.files.address,
    events: { path, indexPath },
    blobs,
  };
}
