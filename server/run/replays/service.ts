import type { Trx } from "../../../store/records/db.ts";
import {
  changeReplay,
  findShownReplay,
  insertReplay,
  listReplays,
  type NewReplay,
  type ShownReplay,
} from "../../../store/records/replays.ts";
import type { Deps } from "../../deps.ts";
import { AppError, invalid, notFound } from "../../http/errors.ts";
import type { Actor } from "../../identity/actor.ts";
import { type AuditActor, auditAct } from "../../identity/audit.ts";
import { type After, commit } from "../../jobs/commit.ts";
import { requireTrace } from "../../trace/access.ts";
import { counted } from "../../trace/format/words.ts";
import { REPLAY_ENDED } from "../../trace/kinds.ts";
import { isSentAgain, splitPast } from "../playback/catch-up.ts";
import { mayWriteScenarios } from "../scenario-rights.ts";
import { checkSourceDiffs, editedScenario } from "./edits.ts";
import type { ReplayPlan } from "./execute.ts";
import { requireKeptSecrets } from "./kept-secrets.ts";
import { REPLAY } from "./kinds.ts";
import { type ReplayList, type ReplayRequest, type ReplayStatus, toReplay } from "./model.ts";
import { findSource, type ReplaySource } from "./source.ts";

const MOST_SHOWN = 200;

/** A replay that was looked through and is not queued yet. */
export interface PreparedReplay {
  id: string;
  row: NewReplay;
  /** What it will send again and leave out before its first live step. */
  planned: ReplayPlan["planned"];
}

/** Whose replay is prepared, and whether its edits may change what becomes of secrets. */
export interface ReplayAsker {
  orgId: string;
  mayWriteScenarios: boolean;
}

/**
 * Looks through what is asked for. Nothing is written.
 * @throws AppError `not_hot` or `conflict` for a trace that cannot be replayed; `invalid_request` naming the field
 */
export async function prepareReplay(
  deps: Deps,
  asker: ReplayAsker,
  traceId: string,
  wanted: Omit<ReplayRequest, "triggered_via"> & { triggered_via?: string },
): Promise<PreparedReplay> {
  const trace = await requireTrace(deps, asker, traceId);
  const { source, refusal } = await findSource(deps, trace);
  if (!source) throw new AppError(refusal.kind, refusal.message);
  const { from_step: fromStep, edits = {} } = wanted;
  const { scenario_diff: scenarioDiff = "", source_diffs: sourceDiffs = [] } = edits;
  if (fromStep > source.steps)
    throw invalid(
      `The body's field "from_step" is ${fromStep}, and the trace has ${counted(source.steps, "step")}.`,
    );
  checkSourceDiffs(sourceDiffs);
  const { scenario, text } = await editedScenario(deps, asker.orgId, source, scenarioDiff);
  if (!asker.mayWriteScenarios) requireKeptSecrets(source.scenario, scenario, sourceDiffs);
  if (fromStep > scenario.steps.length)
    throw invalid(
      `The body's field "from_step" is ${fromStep}, and the edited scenario has ${counted(scenario.steps.length, "step")}.`,
    );
  const { region, baseUrl, hasClones, recordings, shard } = source;
  const planned = splitPast(
    source.past.filter(({ step }) => step < fromStep),
    { wanted: wanted.catch_up ?? null, isIdempotent: scenario.idempotent },
  );
  const plan: ReplayPlan = {
    scenario,
    text,
    region,
    baseUrl,
    hasClones,
    ...(recordings && { recordings }),
    shard,
    startedAt: trace.started_at ?? trace.created_at,
    sourceDiffs,
    catchUp: wanted.catch_up ?? null,
    planned,
  };
  const id = deps.ids.uuid();
  const row = {
    id,
    org_id: asker.orgId,
    trace_id: trace.id,
    status: "queued",
    from_step: fromStep,
    triggered_via: wanted.triggered_via ?? "api",
    plan: JSON.stringify(plan),
    caught_up: JSON.stringify(planned),
    has_edits: scenarioDiff.trim() !== "" || sourceDiffs.length > 0 ? 1 : 0,
    created_at: deps.clock.now(),
  } as const;
  return { id, row, planned };
}

/** Queues a prepared replay in a transaction, with its place in the audit log. */
export async function queueReplay(
  within: Trx,
  after: Pick<After, "add">,
  actor: AuditActor,
  { id, row }: PreparedReplay,
): Promise<void> {
  await insertReplay(within, row);
  await after.add({ kind: REPLAY, payload: { replay_id: id }, maxAttempts: 1 });
  await auditAct(within, actor, {
    at: row.created_at,
    action: "trace.replay",
    target: row.trace_id,
    detail: { replay_id: id, from_step: row.from_step },
  });
}

/**
 * Queues a replay of a trace.
 * @throws AppError `not_hot` or `conflict` for a trace that cannot be replayed; `invalid_request` naming the field
 */
export async function startReplay(
  deps: Deps,
  actor: Actor,
  traceId: string,
  wanted: ReplayRequest,
): Promise<ReplayStatus> {
  const prepared = await prepareReplay(
    deps,
    { orgId: actor.orgId, mayWriteScenarios: mayWriteScenarios(actor) },
    traceId,
    wanted,
  );
  await commit(deps, (within, after) => queueReplay(within, after, actor, prepared));
  return showReplay(deps, actor, prepared.id);
}

/** @throws AppError `not_found`, `wrong_org` */
export async function showReplay(deps: Deps, actor: Pick<Actor, "orgId">, id: string): Promise<ReplayStatus> {
  return toReplay(await requireReplay(deps, actor, id));
}

/** A trace's replays, and what it can be replayed from. */
export async function showReplays(
  deps: Deps,
  actor: Pick<Actor, "orgId">,
  traceId: string,
): Promise<ReplayList> {
  const trace = await requireTrace(deps, actor, traceId);
  const rows = await listReplays(deps.store.records, trace.id, MOST_SHOWN);
  const { source, refusal } = await findSource(deps, trace);
  return {
    items: rows.map(toReplay),
    scenario: source?.file ? { path: source.file.name, text: source.file.text } : null,
    steps: source?.steps ?? 0,
    past: source ? showPast(source) : [],
    refusal: refusal?.message ?? null,
  };
}

const showPast = ({ past, scenario }: ReplaySource): ReplayList["past"] =>
  past.map((call) => ({
    ...call,
    is_sent: isSentAgain(call, { wanted: null, isIdempotent: scenario.idempotent }),
  }));

/** Ends a replay: at once when it waits, else as soon as its process can. One that has ended stays as it is. */
export async function cancelReplay(deps: Deps, actor: Actor, id: string): Promise<ReplayStatus> {
  const replay = await requireReplay(deps, actor, id);
  const now = deps.clock.now();
  const wasQueued = await commit(deps, async (within, after) => {
    await auditAct(within, actor, { at: now, action: "replay.cancel", target: replay.id, detail: {} });
    const isEnded = await changeReplay(within, replay.id, ["queued"], {
      status: "failed",
      ended_at: now,
      error_reason: "aborted",
      error_message: "The replay was cancelled before it began.",
    });
    if (isEnded)
      await after.add({ kind: REPLAY_ENDED, payload: { replay_id: replay.id }, dedupeKey: replay.id });
    return isEnded;
  });
  if (!wasQueued) deps.runState.replays.controls.get(replay.id)?.abort();
  return showReplay(deps, actor, replay.id);
}

async function requireReplay(deps: Deps, actor: Pick<Actor, "orgId">, id: string): Promise<ShownReplay> {
  const replay = await findShownReplay(deps.store.records, id.toLowerCase());
  if (!replay) throw notFound("This replay");
  if (replay.org_id !== actor.orgId)
    throw new AppError("wrong_org", "This replay belongs to an org that the credential does not belong to.");
  return replay;
}
