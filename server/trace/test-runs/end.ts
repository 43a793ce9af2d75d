import type { Trx } from "../../../store/records/db.ts";
import { countOutcomes } from "../../../store/records/test-run-tests.ts";
import {
  endShard,
  interruptSilent,
  pruneTestRuns,
  type ShardRow,
  shardsOf,
  silentTestRuns,
  type TestRunRow,
  updateTestRun,
} from "../../../store/records/test-runs.ts";
import type { Deps } from "../../deps.ts";
import type { Actor } from "../../identity/actor.ts";
import { auditAct } from "../../identity/audit.ts";
import { commit } from "../../jobs/commit.ts";
import type { PeriodicTask } from "../../jobs/types.ts";
import { statusOfShards } from "../format/test-run.ts";
import { requireTestRun } from "./access.ts";
import { checkShard, publishTestRunChange, readTime, type TestRunDeps } from "./begin.ts";
import type { EndBody } from "./model.ts";

const SILENT_MS = 60 * 60_000;
const LOOK_MS = 60_000;
const DAY_MS = 24 * 60 * 60_000;
const PRUNED_AT_ONCE = 100;

/**
 * Ends a run, or one of its shards: the run ends with the last of them. What has ended stays so, unless it was given up
 * for silence, or had passed and ends once more with a failure: what two jobs do that do not know of each other.
 * @throws AppError `not_found`, `invalid_request`
 */
export async function endTestRun(
  deps: TestRunDeps,
  actor: Actor,
  runId: string,
  body: EndBody,
): Promise<void> {
  const endedAt = readTime("ended_at", body.ended_at);
  checkShard(body.shard);
  const { id } = await requireTestRun(deps, actor, runId);
  await commit(deps, async (trx, after) => {
    const run = await requireTestRun({ store: { records: trx } }, actor, id);
    const now = deps.clock.now();
    if (body.shard)
      await endShard(trx, {
        test_run_id: id,
        shard_index: body.shard.index,
        shard_total: body.shard.total,
        status: body.status,
        ended_at: endedAt,
      });
    const shards = (await shardsOf(trx, [id])).get(id) ?? [];
    const verdict = await newVerdict(trx, run, body, shards);
    const heard = { heard_at: Math.max(run.heard_at, now) };
    if (verdict === null) await updateTestRun(trx, id, heard);
    else {
      const before = isOpen(run) ? 0 : (run.ended_at ?? 0);
      const last = Math.max(run.started_at, before, endedAt, ...shards.map(({ ended_at }) => ended_at ?? 0));
      await updateTestRun(trx, id, {
        ...heard,
        status: verdict,
        ended_at: last,
        was_silent: body.shard && shards.some(isGivenUp) ? 1 : 0,
      });
      const detail = { status: verdict };
      await auditAct(trx, actor, { at: now, action: "test_run.end", target: id, detail });
    }
    publishTestRunChange(after, run);
  });
}

const isOpen = (run: TestRunRow): boolean => run.status === "running" || run.was_silent === 1;

/** How the run has ended by what is told now; null when that changes nothing. */
async function newVerdict(
  trx: Trx,
  run: TestRunRow,
  body: EndBody,
  shards: readonly ShardRow[],
): Promise<EndBody["status"] | null> {
  if (!isOpen(run) && run.status !== "passed") return null;
  const told = isOpen(run) ? verdictOf(body, shards) : body.status;
  const hasFailed = told === "passed" && (await countOutcomes(trx, run.id)).failed > 0;
  const verdict = hasFailed ? "failed" : told;
  return isOpen(run) || verdict === "failed" ? verdict : null;
}

/** How the run ended; null while one of its shards goes on, or was never heard of. */
function verdictOf(body: EndBody, shards: readonly ShardRow[]): EndBody["status"] | null {
  if (!body.shard) return body.status;
  const total = Math.max(...shards.map(({ shard_total }) => shard_total));
  const ended = shards.filter(({ status }) => status !== "running");
  return ended.length < total ? null : statusOfShards(ended.map(({ status }) => status));
}

/** Whether nothing was heard of a shard since its run was given up. */
const isGivenUp = ({ status, ended_at }: ShardRow): boolean => status === "interrupted" && ended_at === null;

/** Gives up runs of which nothing was heard for an hour, and forgets those that are older than runs are kept. */
export function silentTestRunsTask(deps: Deps): PeriodicTask {
  const { records } = deps.store;
  return {
    name: "test runs",
    of: "store",
    everyMs: LOOK_MS,
    async run() {
      const now = deps.clock.now();
      for (const run of await silentTestRuns(records, now - SILENT_MS))
        await commit(deps, async (trx, after) => {
          if (await interruptSilent(trx, run)) publishTestRunChange(after, run);
        });
      const before = now - deps.config.settings.retention.runs_days * DAY_MS;
      await pruneTestRuns(records, before, PRUNED_AT_ONCE);
    },
  };
}
