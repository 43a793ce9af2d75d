import { commitRecordings } from "../../../store/records/commit-recordings.ts";
import { fingerprintsOf } from "../../../store/records/fingerprints.ts";
import { recordingsOf } from "../../../store/records/recordings.ts";
import { addRunLogs, changeRun, findRun, isOfStrangers, type RunRow } from "../../../store/records/runs.ts";
import type { Deps } from "../../deps.ts";
import { commit } from "../../jobs/commit.ts";
import { keepingLease } from "../../jobs/lease.ts";
import type { JobContext } from "../../jobs/types.ts";
import { publishRun } from "../../trace/process/completion.ts";
import type { CloneOptions } from "../clones/set.ts";
import { RunnerError } from "../errors.ts";
import type { CompiledScenario } from "../language/ast.ts";
import { createLocalSink } from "../pool/local-sink.ts";
import type { RunnerPool } from "../pool/pool.ts";
import type { LogLine, RunTask } from "../pool/protocol.ts";
import type { Fingerprint } from "../runner/fingerprint.ts";
import { type KnownSecrets, secretsFor } from "../runner/secrets.ts";
import { syntheticUser } from "../runner/synthetic-user.ts";
import type { RunWork } from "../state.ts";
import { concludeTrace, failOrphanedRun } from "./fail-orphaned.ts";
import { settleRun, type Verdict } from "./settle.ts";

/** What is kept of how a run is to be made; `plan` of its row. */
export interface RunPlan {
  scenario: CompiledScenario;
  /** The text of the scenario's file as it was then. */
  source: string | null;
  code_sha?: string;
  /** Whether it is to tell what its target met of the marks of a synthetic user. It meets the real third parties, as schedules do. */
  watch_marks?: boolean;
  /** Recordings of the commit by the name that the scenario gives them: hashes of texts. They count before what was synced. */
  recordings?: Record<string, string>;
  /**
   * Whether strangers wrote what it runs (code of a fork): it gets no secrets and no recordings but those of its commit, and reaches
   * public addresses only.
   */
  is_untrusted?: boolean;
}

const NO_SECRETS: KnownSecrets = { secrets: {}, secretOrigins: {} };

/** What has runs made without anybody asking. */
const BY_CLOCK: ReadonlySet<string> = new Set(["schedule", "catch_up", "retry"]);

/** The job under whose lease a run is carried out; its signal aborts when the server stops. */
type RunJob = Pick<JobContext, "id" | "signal" | "heartbeat">;

/**
 * Carries a queued run out. A run that was begun before is lost: it never runs a second time.
 * @throws the reason of the signal of `job` when it had not begun by then: it stays queued for whoever takes the job next
 */
export async function executeRun(
  deps: Deps,
  { pool, controls }: RunWork,
  runId: string,
  job: RunJob,
  /** Instead of what the run's type says. */
  clones?: RunTask["clones"],
): Promise<void> {
  const run = await findRun(deps.store.records, runId);
  if (run?.status === "running") return failOrphanedRun(deps, run);
  if (run?.status !== "queued") return;
  await keepingLease(deps, job, () => carryOut(deps, { pool, controls }, run, job, clones));
}

async function carryOut(
  deps: Deps,
  { pool, controls }: RunWork,
  run: RunRow,
  { id: jobId, signal: shutdown }: RunJob,
  clones: RunTask["clones"] | undefined,
): Promise<void> {
  const { id: runId } = run;
  const control = new AbortController();
  controls.set(runId, control);
  try {
    const outcome = await attempt(deps, pool, run, {
      signal: AbortSignal.any([control.signal, shutdown]),
      jobId,
      clones,
    });
    // A server that stops has cancelled nothing: its runs end as those do whose server died.
    const wasStopped = shutdown.aborted && !control.signal.aborted;
    const known = wasStopped ? await findRun(deps.store.records, runId) : null;
    if (known?.status === "queued") throw shutdown.reason;
    if (known?.status === "running" && outcome.status === "aborted") await failOrphanedRun(deps, known);
    else await conclude(deps, run, outcome);
  } finally {
    controls.delete(runId);
  }
}

/** Writes a verdict down, on a full disk too. A trace that did not get its end from its runner gets it here. */
async function conclude(deps: Deps, run: RunRow, verdict: Verdict): Promise<void> {
  await settleRun(deps, run, verdict);
  await concludeTrace(deps, run, verdict.error?.message ?? "The run was ended.");
}

async function attempt(
  deps: Deps,
  pool: RunnerPool,
  run: RunRow,
  { signal, jobId, clones }: { signal: AbortSignal; jobId: string; clones: RunTask["clones"] | undefined },
): Promise<Verdict> {
  const plan = JSON.parse(run.plan) as RunPlan;
  let logging: Promise<void> = Promise.resolve();
  let lastStep: string | null = null;
  const log = (line: LogLine): void => {
    const { level, message, stepId } = line;
    lastStep = stepId ?? lastStep;
    const row = { ts: deps.clock.now(), level, message, step_id: stepId };
    logging = logging
      .then(() =>
        commit(deps, async (within, after) => {
          await addRunLogs(within, run.id, [row]);
          after.publish("run-logs", run.id, { type: "line" });
        }),
      )
      // The steps are in the trace too: a line less is no reason to end the run.
      .catch((error: unknown) => deps.log.warn("A line of a run's log was lost", { run_id: run.id, error }));
  };
  const of = { orgId: run.org_id, isByClock: BY_CLOCK.has(run.trigger), isOfStrangers: isOfStrangers(run) };
  const keep = createLocalSink(deps, of, async (traceId) => {
    await commit(deps, async (within, after) => {
      await changeRun(within, run.id, ["running"], { trace_id: traceId });
      publishRun(after, run);
    });
  });
  try {
    const fingerprints = await knownFingerprints(deps, run.scenario_id);
    return await pool.run(
      taskOf(deps, run, {
        plan,
        fingerprints,
        clones: clones === undefined ? await clonesOf(deps, run, plan) : clones,
        secrets: plan.is_untrusted ? NO_SECRETS : await secretsFor(deps, run.org_id, plan.scenario),
      }),
      {
        keep: async (what) => {
          if (what.method === "begin") await begin(deps, run, jobId, signal);
          return keep(what);
        },
        log,
        signal,
        timeoutMs: Math.min(
          plan.scenario.timeout_ms,
          deps.config.settings.browser.run_timeout_seconds * 1000,
        ),
      },
    );
  } catch (error) {
    if (!(error instanceof RunnerError)) throw error;
    // Once its steps have begun it is the target that uses the time up, also where nothing could be asked of it any more.
    if (error.reason === "timeout" && lastStep !== null)
      return { status: "failed", error: { reason: null, message: error.message, stepId: lastStep } };
    const status = error.reason === "aborted" ? "aborted" : "error";
    return { status, error: { reason: error.reason, message: error.message, stepId: null } };
  } finally {
    await logging;
  }
}

async function begin(deps: Deps, run: RunRow, jobId: string, signal: AbortSignal): Promise<void> {
  // A server that stops begins nothing.
  if (signal.aborted) throw new RunnerError("aborted", "The run was ended before it began.");
  await commit(deps, async (within, after) => {
    const changes = {
      status: "running",
      started_at: deps.clock.now(),
      server_id: deps.serverId,
      job_id: jobId,
    } as const;
    if (!(await changeRun(within, run.id, ["queued"], changes)))
      throw new RunnerError("aborted", "The run was cancelled before it began.");
    publishRun(after, run);
  });
}

/** What earlier passes of a scenario saw of its elements. */
export async function knownFingerprints(
  deps: Pick<Deps, "store">,
  scenarioId: string,
): Promise<Record<string, Fingerprint>> {
  const known = await fingerprintsOf(deps.store.records, scenarioId);
  return Object.fromEntries(
    Object.entries(known).map(([element, json]) => [element, JSON.parse(json) as Fingerprint]),
  );
}

/** Schedules watch production, third parties included. */
const clonesOf = async (deps: Deps, run: RunRow, plan: RunPlan): Promise<RunTask["clones"]> =>
  run.type === "schedule" || plan.watch_marks
    ? null
    : clonesFor(deps, plan.is_untrusted ? null : run.scenario_id, plan.recordings);

/**
 * What the clones of a scenario answer from, where they stand in for third parties.
 * @param scenarioId null where what was synced is not given
 * @param own those of the commit that is run
 */
export async function clonesFor(
  { store: { records } }: Pick<Deps, "store">,
  scenarioId: string | null,
  own: RunPlan["recordings"] = {},
): Promise<CloneOptions> {
  const packed = new Map<string, Uint8Array>();
  if (scenarioId !== null)
    for (const { name, har } of await recordingsOf(records, scenarioId)) packed.set(name, har);
  const kept = await commitRecordings(records, Object.values(own));
  for (const [name, hash] of Object.entries(own)) {
    const recording = kept.find((one) => one.hash === hash);
    if (recording) packed.set(name, recording.har);
  }
  const recordings: Record<string, string> = {};
  for (const [name, har] of packed)
    recordings[name] = new TextDecoder().decode(await Bun.zstdDecompress(har));
  return { recordings };
}

function taskOf(
  deps: Deps,
  run: RunRow,
  {
    plan,
    fingerprints,
    clones,
    secrets,
  }: {
    plan: RunPlan;
    fingerprints: Record<string, Fingerprint>;
    clones: RunTask["clones"];
    secrets: KnownSecrets;
  },
): RunTask {
  const { scenario, code_sha } = plan;
  const { settings } = deps.config;
  const pr = run.pr === null ? null : (JSON.parse(run.pr) as { number: number }).number;
  return {
    scenario,
    baseUrl: run.base_url,
    manifest: {
      ...{ source: run.type, run_id: run.id, region: run.region },
      ...(code_sha && { code_sha }),
      ...(pr !== null && { pr_number: pr }),
    },
    region: settings.regions[run.region] ?? {},
    excludeOrigins: [...settings.synthetic.exclude_origins],
    allowPrivateTargets: settings.browser.allow_private_targets && !plan.is_untrusted,
    ...(plan.watch_marks && { watchMarks: true }),
    values: {
      ...secrets,
      synthetic: syntheticUser(settings.synthetic, {
        slug: scenario.slug,
        region: run.region,
        // Runs that overlap act as different people.
        shard: run.id.slice(-12),
      }),
    },
    clones,
    fingerprints,
    redaction: { headers: [...settings.redaction.headers], patterns: [...settings.redaction.patterns] },
    executable: settings.browser.executable,
  };
}
