import type { Trx } from "../../../store/records/db.ts";
import { findAnswer, rememberAnswer } from "../../../store/records/idempotency.ts";
import {
  beginShard,
  claimTestRun,
  findTestRun,
  insertTestRun,
  type TestRunRow,
  updateTestRun,
} from "../../../store/records/test-runs.ts";
import type { Deps } from "../../deps.ts";
import { conflict, invalid } from "../../http/errors.ts";
import type { Actor } from "../../identity/actor.ts";
import { auditAct } from "../../identity/audit.ts";
import { type After, commit } from "../../jobs/commit.ts";
import { fromIso } from "../../platform/clock.ts";
import type { NewTestRun } from "./model.ts";

export type TestRunDeps = Pick<Deps, "store" | "clock" | "ids" | "hub" | "jobs">;

/** How long a CI's run of a name is the same. */
const SAME_MS = 24 * 60 * 60_000;

/** Tells lists and pages that are open that a run looks different now. */
export function publishTestRunChange(
  after: Pick<After, "publish">,
  run: Pick<TestRunRow, "id" | "org_id">,
): void {
  after.publish("test-runs", run.org_id, { type: "test-run.changed", id: run.id });
}

/**
 * Begins a run, or meets the one that another shard of the same CI run has begun within 24 hours.
 * @param key what stands for the CI's run where the caller has none, such as the hash of a report
 * @returns the run, and whether it is new
 * @throws AppError `invalid_request` naming the field
 */
export async function beginTestRun(
  deps: TestRunDeps,
  actor: Actor,
  body: NewTestRun,
  options: { idempotencyKey?: string | null; key?: string } = {},
): Promise<{ id: string; short_id: string; isNew: boolean }> {
  const startedAt = readTime("started_at", body.started_at);
  checkFrame(body);
  const requestHash = new Bun.CryptoHasher("sha256").update(JSON.stringify(body)).digest("hex");
  return commit(deps, async (trx, after) => {
    const now = deps.clock.now();
    const key = options.idempotencyKey ?? null;
    const known = key === null ? null : await findAnswer(trx, actor.orgId, key, now);
    if (known) {
      if (known.requestHash !== requestHash)
        throw conflict("This Idempotency-Key was used for another request within the last 24 hours.");
      return { ...(JSON.parse(known.response) as { id: string; short_id: string }), isNew: false };
    }
    const id = deps.ids.uuid();
    const claimed = body.ci?.run_id ?? options.key;
    const owner =
      claimed === undefined
        ? id
        : await claimTestRun(trx, {
            orgId: actor.orgId,
            ciRunId: body.ci ? `ci:${claimed}` : claimed,
            name: body.name ?? "",
            id,
            now,
            cutoff: now - SAME_MS,
          });
    const run = owner === id ? null : await findTestRun(trx, owner);
    const shortId = run?.short_id ?? deps.ids.shortId();
    const runId = run?.id ?? id;
    if (run) await meet(trx, run, body, { startedAt, now });
    else await begin(trx, actor, body, { id: runId, shortId, startedAt, now });
    if (body.shard)
      await beginShard(trx, {
        test_run_id: runId,
        shard_index: body.shard.index,
        shard_total: body.shard.total,
        status: "running",
        ended_at: null,
      });
    const answer = { id: runId, short_id: shortId };
    if (key !== null)
      await rememberAnswer(trx, actor.orgId, key, { requestHash, response: JSON.stringify(answer) }, now);
    publishTestRunChange(after, { id: runId, org_id: actor.orgId });
    return { ...answer, isNew: run === null };
  });
}

interface Moment {
  startedAt: number;
  now: number;
}

async function begin(
  trx: Trx,
  actor: Actor,
  body: NewTestRun,
  { id, shortId, startedAt, now }: Moment & { id: string; shortId: string },
): Promise<void> {
  await insertTestRun(trx, {
    id,
    org_id: actor.orgId,
    short_id: shortId,
    name: body.name ?? null,
    ci_provider: body.ci?.provider ?? null,
    ci_run_id: body.ci?.run_id ?? null,
    ci_url: body.ci?.url ?? null,
    branch: body.branch ?? null,
    commit_sha: body.commit_sha ?? null,
    is_dirty: body.is_dirty ? 1 : 0,
    pr_number: body.pr_number ?? null,
    status: "running",
    started_at: startedAt,
    created_at: now,
    heard_at: now,
  });
  const detail = { name: body.name ?? null, ci_run_id: body.ci?.run_id ?? null };
  await auditAct(trx, actor, { at: now, action: "test_run.create", target: id, detail });
}

/** A further shard adds what the first did not know. */
async function meet(trx: Trx, run: TestRunRow, body: NewTestRun, { startedAt, now }: Moment): Promise<void> {
  await updateTestRun(trx, run.id, {
    started_at: Math.min(run.started_at, startedAt),
    ci_url: run.ci_url ?? body.ci?.url ?? null,
    branch: run.branch ?? body.branch ?? null,
    commit_sha: run.commit_sha ?? body.commit_sha ?? null,
    is_dirty: run.is_dirty === 1 || body.is_dirty ? 1 : 0,
    pr_number: run.pr_number ?? body.pr_number ?? null,
    heard_at: Math.max(run.heard_at, now),
  });
}

/** @throws AppError `invalid_request` naming the field */
function checkFrame({ ci, shard }: NewTestRun): void {
  const url = ci?.url;
  if (url !== undefined && url !== null && !isWebAddress(url))
    throw invalid('The body\'s field "ci.url" must be an http(s) address.');
  checkShard(shard);
}

/** @throws AppError `invalid_request` */
export function checkShard(shard: { index: number; total: number } | undefined): void {
  if (shard && shard.index > shard.total)
    throw invalid('The body\'s field "shard.index" must not be above "shard.total".');
}

/** @throws AppError `invalid_request` naming the field */
export function readTime(field: string, text: string): number {
  const time = fromIso(text);
  if (time === null || time < 0) throw invalid(`The body's field "${field}" must be an ISO 8601 time.`);
  return time;
}

const isWebAddress = (text: string): boolean =>
  URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
