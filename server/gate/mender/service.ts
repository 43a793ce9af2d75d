import {
  attemptOfPromoted,
  changeAttempt,
  findAttempt,
  insertAttempt,
  listAttempts,
  type MenderRow,
} from "../../../store/records/mender.ts";
import { insertNotice } from "../../../store/records/notices.ts";
import { findReplay, findShownReplay } from "../../../store/records/replays.ts";
import { findRun, findRunOfTrace } from "../../../store/records/runs.ts";
import { findScenario, scenariosById } from "../../../store/records/scenarios.ts";
import type { Deps } from "../../deps.ts";
import { readIdCursor, writeIdCursor } from "../../http/cursors.ts";
import { AppError, conflict, invalid, notFound } from "../../http/errors.ts";
import type { Actor } from "../../identity/actor.ts";
import { auditAct } from "../../identity/audit.ts";
import { outsideAddress } from "../../identity/orgs.ts";
import { commit } from "../../jobs/commit.ts";
import type { CaughtUp } from "../../run/playback/catch-up.ts";
import { applyUnifiedDiff, readUnifiedDiff } from "../../run/playback/unified-diff.ts";
import type { ReplayPlan } from "../../run/replays/execute.ts";
import type { RunPlan } from "../../run/runs/execute.ts";
import { requireTrace } from "../../trace/access.ts";
import { tellAnew } from "../flow/tell-anew.ts";
import { whyLessDone } from "./effects-of.ts";
import { basisOf } from "./fix-of.ts";
import {
  type AttemptAnswer,
  type AttemptListQuery,
  type Preview,
  type PromoteAnswer,
  type PromoteRequest,
  sourcesOf,
  toAttempt,
  toPreview,
} from "./model.ts";
import { judgePatch } from "./patch.ts";
import { propose } from "./repository.ts";
import { tellFix } from "./told.ts";
import type { Verification } from "./verification.ts";
import { pathOf } from "./work.ts";

const DEFAULT_LIMIT = 50;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** One page of the org's attempts, newest first. @throws AppError naming the parameter */
export async function showAttempts(
  deps: Pick<Deps, "store">,
  { orgId }: Pick<Actor, "orgId">,
  query: AttemptListQuery,
): Promise<{ items: AttemptAnswer[]; next_cursor: string | null }> {
  const { records } = deps.store;
  const limit = query.limit ?? DEFAULT_LIMIT;
  const scenario = query.scenario === undefined ? null : await findScenario(records, orgId, query.scenario);
  if (query.scenario !== undefined && !scenario) return { items: [], next_cursor: null };
  const rows = await listAttempts(records, {
    orgId,
    limit: limit + 1,
    ...(query.status !== undefined && { status: query.status }),
    ...(scenario && { scenarioId: scenario.id }),
    ...(query.trace !== undefined && { traceId: query.trace.toLowerCase() }),
    ...(query.cursor !== undefined && { after: readIdCursor(query.cursor) }),
  });
  const page = rows.slice(0, limit);
  const known = await scenariosById(records, [...new Set(page.map(({ scenario_id }) => scenario_id))]);
  const items = page.map((row) => toAttempt(row, known.get(row.scenario_id)!));
  const last = rows.length > limit ? page.at(-1) : undefined;
  return { items, next_cursor: last ? writeIdCursor(last.id) : null };
}

/** @throws AppError `not_found`, `wrong_org` */
export async function showAttempt(
  deps: Pick<Deps, "store">,
  actor: Pick<Actor, "orgId">,
  id: string,
): Promise<AttemptAnswer> {
  return answer(deps, await requireAttempt(deps, actor, id));
}

/** @throws AppError `not_found`, `wrong_org` */
export async function previewAttempt(
  deps: Pick<Deps, "store">,
  actor: Pick<Actor, "orgId">,
  id: string,
): Promise<Preview> {
  return toPreview(await requireAttempt(deps, actor, id));
}

/**
 * Hands a verified patch to the code host, or to the local repository. One that is applied stays so, and is answered alike.
 * @throws AppError `invalid_transition` for one that is not verified; `conflict` when the file is another one by now, or the
 * settings forbid it since; `unavailable` without a repository
 */
export async function applyAttempt(deps: Deps, actor: Actor, id: string): Promise<AttemptAnswer> {
  const row = await requireAttempt(deps, actor, id);
  if (row.status === "applied") return answer(deps, row);
  if (row.status !== "verified")
    throw new AppError(
      "invalid_transition",
      `The attempt is ${row.status}: only a patch that was verified by a replay is applied.`,
    );
  const scenario = (await scenariosById(deps.store.records, [row.scenario_id])).get(row.scenario_id)!;
  const patch = row.patch === null || row.patch === "" ? null : readUnifiedDiff(row.patch);
  const patched = patch ? applyUnifiedDiff(row.base_text, patch) : row.base_text;
  const judged = await judgePatch(
    deps,
    row.org_id,
    { name: row.path, text: row.base_text },
    patched,
    // A person's replay was held against no recorded page.
    { sources: sourcesOf(row), isBorneOut: row.origin !== "replay" },
  );
  if (judged.refusals.length > 0) throw conflict(judged.refusals.map(({ message }) => message).join(" "));
  const told = tellFix(row, scenario, judged.changes, outsideAddress(deps.config));
  const run = await findRun(deps.store.records, row.run_id);
  const url = await propose(deps, row, run, patched, told);
  const now = deps.clock.now();
  await commit(
    deps,
    async (within, after) => {
      const isOurs = await changeAttempt(
        within,
        row.id,
        // Whoever rejected it meanwhile came too late, since it is out; what they said stays, and is not proposed again.
        { status: ["verified", "rejected"] },
        {
          status: "applied",
          pr_url: url,
          decided_by: actor.userId ?? actor.id,
          updated_at: now,
        },
      );
      await auditAct(within, actor, {
        at: now,
        action: "mender.apply",
        target: row.id,
        detail: { pr_url: url },
      });
      if (!isOurs) return;
      await tellAnew(within, after, row.run_id);
      await insertNotice(within, {
        ...{
          id: deps.ids.uuid(),
          org_id: row.org_id,
          event: "fix.pr_opened",
          incident_id: null,
          scenario_id: row.scenario_id,
        },
        ...{
          region: run?.region ?? null,
          run_id: run?.id ?? null,
          failure_signature: row.failure_signature,
          trace_id: row.trace_id,
        },
        ...{ channels: null, due_at: now, created_at: now, reason: row.summary, mender_attempt_id: row.id },
      });
    },
    async () => (await findAttempt(deps.store.records, row.id))?.status === "applied",
  );
  return showAttempt(deps, actor, row.id);
}

/**
 * Refuses a patch: the same change of this scenario is not proposed again. Doing it again replaces the reason.
 * @throws AppError `invalid_transition` for one that is applied, or not through
 */
export async function rejectAttempt(
  deps: Deps,
  actor: Actor,
  id: string,
  given: string,
): Promise<AttemptAnswer> {
  const row = await requireAttempt(deps, actor, id);
  const reason = given.trim();
  if (reason === "") throw invalid('The body\'s field "reason" must say something.');
  const now = deps.clock.now();
  await commit(
    deps,
    async (within, after) => {
      await auditAct(within, actor, { at: now, action: "mender.reject", target: row.id, detail: { reason } });
      const isDone = await changeAttempt(
        within,
        row.id,
        { stage: "ended", status: ["proposed", "verified", "failed", "rejected"] },
        { status: "rejected", reject_reason: reason, decided_by: actor.userId ?? actor.id, updated_at: now },
      );
      if (isDone) return tellAnew(within, after, row.run_id);
      const known = (await findAttempt(within, row.id))!;
      throw new AppError(
        "invalid_transition",
        known.stage === "ended"
          ? `The attempt is ${known.status}, and cannot be rejected any more.`
          : "The attempt is still being looked at: it can be rejected when that is through.",
      );
    },
    async () => (await findAttempt(deps.store.records, row.id))?.status === "rejected",
  );
  return showAttempt(deps, actor, row.id);
}

/**
 * Makes an attempt from a replay that passed with changes, and applies it. The same replay again gives the same.
 * @throws AppError `conflict` for a replay that did not pass, or changed nothing; `invalid_request` naming what a guardrail refuses,
 * or what the replay no longer does; whatever applying throws
 */
export async function promoteFix(
  deps: Deps,
  actor: Actor,
  traceId: string,
  { replay_id, summary }: PromoteRequest,
): Promise<PromoteAnswer> {
  const { records } = deps.store;
  const trace = await requireTrace(deps, actor, traceId);
  const replayId = replay_id.toLowerCase();
  const [shown, replay] = [await findShownReplay(records, replayId), await findReplay(records, replayId)];
  if (!shown || !replay || replay.org_id !== actor.orgId || replay.trace_id !== trace.id)
    throw notFound("This replay of the trace");
  const told = summary.trim();
  if (told === "") throw invalid('The body\'s field "summary" must say something.');
  const known = await attemptOfPromoted(records, replayId);
  const id = known?.id ?? (await promote());
  const { pr_url, status } = await applyAttempt(deps, actor, id);
  return { mender_attempt_id: id, pr_url: pr_url ?? "", status };

  async function promote(): Promise<string> {
    if (shown!.status !== "succeeded" || shown!.result_status !== "passed")
      throw conflict(
        "The replay did not pass: only a replay that has succeeded, and whose trace passed, is promoted.",
      );
    const run = await findRunOfTrace(records, trace.id);
    const plan = JSON.parse(replay!.plan) as ReplayPlan;
    const source = run ? (JSON.parse(run.plan) as RunPlan).source : null;
    if (!run || source === null || source === undefined || plan.text === null || plan.text === undefined)
      throw conflict(
        "The text of the scenario as it was when it ran was not kept, so that nothing can be promoted.",
      );
    const path = pathOf(plan.scenario);
    const judged = await judgePatch(deps, actor.orgId, { name: path, text: source }, plan.text, {
      sources: plan.sourceDiffs,
      isBorneOut: false,
    });
    if (judged.diff === "" && plan.sourceDiffs.length === 0) throw conflict("The replay changed nothing.");
    if (judged.refusals.length > 0) throw invalid(judged.refusals.map(({ message }) => message).join(" "));
    const less = await whyLessDone(deps, shown!);
    if (less !== null) throw invalid(less);
    const now = deps.clock.now();
    const attemptId = deps.ids.uuid();
    const verification: Verification = {
      ...{
        status: "passed",
        replay_id: replayId,
        trace_id: shown!.replay_trace_id,
        from_step: shown!.from_step,
        message: null,
      },
      ...((JSON.parse(shown!.caught_up ?? "null") as CaughtUp | null) ?? { sent: [], left_out: [] }),
      unchanged: null,
    };
    await commit(deps, async (within) => {
      await insertAttempt(within, {
        ...{
          id: attemptId,
          org_id: actor.orgId,
          scenario_id: run.scenario_id,
          run_id: run.id,
          trace_id: trace.id,
        },
        failure_signature: trace.failure_signature ?? "",
        basis: basisOf(source),
        ...{ promoted_replay_id: replayId, status: "verified", stage: "ended", origin: "replay" },
        ...{
          classification: "unknown",
          confidence: 1,
          summary: told,
          evidence: "[]",
          path,
          base_text: source,
        },
        ...{ patch: judged.diff === "" ? null : judged.diff, patch_hash: judged.hash },
        source_patches: JSON.stringify(
          plan.sourceDiffs.map(({ path: name, diff }) => ({ path: name, diff: headed(name, diff) })),
        ),
        verification: JSON.stringify(verification),
        ...{ created_at: now, updated_at: now },
      });
      await auditAct(within, actor, {
        at: now,
        action: "mender.promote",
        target: trace.id,
        detail: { replay_id: replayId, attempt_id: attemptId },
      });
    });
    return (await attemptOfPromoted(records, replayId))!.id;
  }
}

/** A diff with the names of its file, where whoever wrote it left them out. */
const headed = (path: string, diff: string): string =>
  /^--- /m.test(diff) ? diff : `--- a/${path}\n+++ b/${path}\n${diff}`;

async function answer(deps: Pick<Deps, "store">, row: MenderRow): Promise<AttemptAnswer> {
  return toAttempt(row, (await scenariosById(deps.store.records, [row.scenario_id])).get(row.scenario_id)!);
}

async function requireAttempt(
  deps: Pick<Deps, "store">,
  actor: Pick<Actor, "orgId">,
  id: string,
): Promise<MenderRow> {
  const row = UUID.test(id.toLowerCase()) ? await findAttempt(deps.store.records, id.toLowerCase()) : null;
  if (!row) throw notFound("The attempt");
  if (row.org_id !== actor.orgId) throw new AppError("wrong_org", "The attempt belongs to another org.");
  return row;
}
