import type { Trx } from "../../../store/records/db.ts";
import {
  findGate,
  type GateRow,
  gateAlone,
  insertGate,
  type ListedGate,
  listGates,
  openGateOf,
  openGatesOfCommit,
} from "../../../store/records/gates.ts";
import { type PullRequestRow, pointToGate } from "../../../store/records/pull-requests.ts";
import type { Deps } from "../../deps.ts";
import type { After } from "../../jobs/commit.ts";
import { PLAN } from "../kinds.ts";
import { announce, moveGate } from "./move.ts";

type OpenDeps = Pick<Deps, "clock" | "ids" | "metrics">;

/** A commit to be judged. */
export interface WantedGate {
  orgId: string;
  repository: string;
  kind: GateRow["kind"];
  pullRequest: PullRequestRow | null;
  /** Of a merge group that names one, and of a pull request. */
  number: number | null;
  headSha: string;
  headRef: string;
  baseSha: string;
  /** When the pull request got the commit, where somebody says so. */
  headAt?: number | null;
  isFork: boolean;
  trigger: string;
  /** What came with the request. */
  given?: GivenFiles | null;
  /** Where to run, when who asks says so. */
  baseUrl?: string | null;
}

/** What came with the request instead of from a repository. */
export interface GivenFiles {
  /** Scenario files of the head commit; null where the repository is asked. */
  files: { path: string; text: string }[] | null;
  /** What the pull request changes; null where the repository is asked. */
  changed: string[] | null;
  /** Scenario files of the commit that the change began at; without it the repository is asked. */
  base_files?: { path: string; text: string }[] | null;
  /** Recordings of the head commit, which are kept by their hash; without them the repository is asked. */
  recordings?: { path: string; hash: string }[] | null;
}

/** As many attempts of one commit are looked through; whoever asks more often gets no other number. */
const MOST_ATTEMPTS = 1000;

/**
 * Begins a gate. An open one of the same pull request, or of the same merge group, gives way to it.
 * @returns null when another server began the same attempt at the same moment
 */
export async function openGate(
  deps: OpenDeps,
  trx: Trx,
  after: After,
  wanted: WantedGate,
): Promise<GateRow | null> {
  const { orgId, repository, pullRequest, kind, headSha } = wanted;
  await gateAlone(trx, { orgId, repository });
  const now = deps.clock.now();
  const before = pullRequest
    ? [await openGateOf(trx, pullRequest.id)].filter((gate) => gate !== null)
    : (await openGatesOfCommit(trx, { orgId, repository, sha: headSha })).filter(
        (gate) => gate.kind === kind,
      );
  for (const gate of before) {
    const reason = gate.head_sha === headSha ? "The same commit is judged anew." : tookItsPlace(headSha);
    await moveGate(deps, trx, after, gate, "superseded", { reason });
  }
  const row = await newRow(deps, trx, wanted);
  if (!(await insertGate(trx, { ...row, status: "queued" }))) return null;
  const { id } = row;
  if (pullRequest) await pointToGate(trx, pullRequest.id, { gateId: id, now });
  await after.add({ kind: PLAN, payload: { gate_id: id }, dedupeKey: id, maxAttempts: 8 });
  const gate = (await findGate(trx, id))!;
  await announce(after, gate);
  return gate;
}

const tookItsPlace = (headSha: string): string => `The commit ${headSha.slice(0, 7)} took its place.`;

/**
 * Notes that a commit was asked about when its pull request had a newer one. It is not judged, and what the newer one has stays.
 * @param newer the newest commit
 */
export async function keepLateGate(
  deps: OpenDeps,
  trx: Trx,
  after: After,
  wanted: WantedGate,
  newer: string,
): Promise<GateRow | null> {
  const row = await newRow(deps, trx, wanted);
  const isNew = await insertGate(trx, {
    ...{ ...row, given: null, status: "superseded", ended_at: row.created_at },
    reason: tookItsPlace(newer),
  });
  if (!isNew) return null;
  await announce(after, { id: row.id, org_id: row.org_id });
  return findGate(trx, row.id);
}

async function newRow({ ids, clock }: OpenDeps, trx: Trx, wanted: WantedGate) {
  return {
    ...{ id: ids.uuid(), org_id: wanted.orgId, kind: wanted.kind, repository: wanted.repository },
    pr_number: wanted.number,
    pull_request_id: wanted.pullRequest?.id ?? null,
    head_sha: wanted.headSha,
    head_ref: wanted.headRef,
    base_sha: wanted.baseSha,
    head_at: wanted.headAt ?? null,
    is_fork: wanted.isFork ? 1 : 0,
    attempt: 1 + (await lastAttempt(trx, wanted)),
    trigger: wanted.trigger,
    given: wanted.given ? JSON.stringify(wanted.given) : null,
    base_url: wanted.baseUrl ?? null,
    created_at: clock.now(),
  };
}

type Purpose = Pick<WantedGate, "orgId" | "repository" | "kind" | "number" | "headSha">;

/** What a gate is for: others for the same are attempts at it. */
export const purposeOf = (gate: ListedGate): Purpose => ({
  ...{ orgId: gate.org_id, repository: gate.repository, kind: gate.kind },
  ...{ number: gate.pr_number, headSha: gate.head_sha },
});

/** Gates of the same commit and purpose, newest first. */
export async function gatesOfSame(
  trx: Trx,
  { orgId, repository, kind, number, headSha }: Purpose,
): Promise<ListedGate[]> {
  const rows = await listGates(trx, { orgId, repository, headSha, limit: MOST_ATTEMPTS });
  return rows.filter((row) => row.kind === kind && row.pr_number === number);
}

async function lastAttempt(trx: Trx, wanted: WantedGate): Promise<number> {
  return Math.max(0, ...(await gatesOfSame(trx, wanted)).map(({ attempt }) => attempt));
}

/** Judges the same commit once more, as it was asked for before. An open one is left to go on. */
export async function openAgain(
  deps: OpenDeps,
  trx: Trx,
  after: After,
  gate: GateRow,
  {
    pullRequest,
    trigger,
    given,
  }: { pullRequest: PullRequestRow | null; trigger: string; given: GivenFiles | null },
): Promise<GateRow | null> {
  return openGate(deps, trx, after, {
    ...{ orgId: gate.org_id, repository: gate.repository, kind: gate.kind, pullRequest },
    ...{ number: gate.pr_number, headSha: gate.head_sha, headRef: gate.head_ref },
    ...{ baseSha: gate.base_sha, headAt: gate.head_at, isFork: gate.is_fork === 1, trigger, given },
    // What a deployment or a template gave is looked up again.
    baseUrl: given ? gate.base_url : null,
  });
}
