import type { Trx } from "../../../store/records/db.ts";
import {
  findGate,
  type GateRow,
  gateAlone,
  listGates,
  openGateOf,
  openGatesOfCommit,
} from "../../../store/records/gates.ts";
import {
  findPullRequest,
  findPullRequestByNumber,
  type PullRequestRow,
  putPullRequest,
} from "../../../store/records/pull-requests.ts";
import type { Deps } from "../../deps.ts";
import { type After, commit } from "../../jobs/commit.ts";
import type { PullRequest } from "../code-host/types.ts";
import { LOOK } from "../kinds.ts";
import { moveGate } from "./move.ts";
import { type GivenFiles, openAgain, openGate, type WantedGate } from "./open.ts";
import { isEnded } from "./transitions.ts";

/** News of one repository of an org. */
export interface Place {
  orgId: string;
  /** `owner/name` */
  repository: string;
}

/** Writes down a pull request as the host tells of it. */
export async function keepPullRequest(
  deps: Pick<Deps, "ids" | "clock">,
  trx: Trx,
  { orgId, repository }: Place,
  pull: Omit<PullRequest, "url"> & { url: string | null },
): Promise<{ row: PullRequestRow; isNews: boolean }> {
  return putPullRequest(trx, {
    ...{ id: deps.ids.uuid(), org_id: orgId, repository, number: pull.number },
    ...{ title: pull.title, url: pull.url, author: pull.author, state: pull.state },
    is_merged: pull.isMerged ? 1 : 0,
    is_draft: pull.isDraft ? 1 : 0,
    is_fork: pull.isFork ? 1 : 0,
    ...{ head_sha: pull.headSha, head_ref: pull.headRef, base_sha: pull.baseSha, base_ref: pull.baseRef },
    ...{ host_updated_at: pull.updatedAt, changed_at: deps.clock.now() },
  });
}

/** Others that follow the same pull request at the same moment are few. */
const MOST_READS = 5;

/**
 * A pull request was opened, changed or closed. Told again, or of something that has happened before what is known, it changes
 * nothing. The host's times are whole seconds, so two pushes may have the same: what somebody else wrote down since it was read may
 * be newer than that, and it is read again.
 * @param read how it is now
 */
export async function followPullRequest(
  deps: Deps,
  place: Place,
  number: number,
  read: () => Promise<PullRequest>,
): Promise<void> {
  for (let turn = 0; turn < MOST_READS; turn++) {
    const known = await findPullRequestByNumber(deps.store.records, { ...place, number });
    if (await follow(deps, place, await read(), known)) return;
  }
  throw new Error(`Pull request ${number} changed ${MOST_READS} times while it was read.`);
}

/** @returns false when what is known of the pull request is not what it was before it was read */
async function follow(
  deps: Deps,
  place: Place,
  pull: PullRequest,
  before: PullRequestRow | null,
): Promise<boolean> {
  return commit(deps, async (trx, after) => {
    await gateAlone(trx, place);
    const known = await findPullRequestByNumber(trx, { ...place, number: pull.number });
    if (!Bun.deepEquals(known, before)) return false;
    await followNews(deps, trx, after, place, pull);
    return true;
  });
}

async function followNews(
  deps: Deps,
  trx: Trx,
  after: After,
  place: Place,
  pull: PullRequest,
): Promise<void> {
  const { row, isNews } = await keepPullRequest(deps, trx, place, pull);
  if (!isNews) return;
  const open = await openGateOf(trx, row.id);
  if (row.state === "closed" || row.is_draft === 1) {
    const reason = row.state === "closed" ? "The pull request was closed." : "The pull request is a draft.";
    if (open && (row.state === "closed" || open.head_sha !== row.head_sha))
      await moveGate(deps, trx, after, open, "cancelled", { reason });
    after.publish("gates", place.orgId, { type: "gate.changed", id: row.id });
    return;
  }
  const wanted: WantedGate = {
    ...{ ...place, pullRequest: row, number: row.number },
    kind: "pull_request",
    ...{ headSha: row.head_sha, headRef: row.head_ref, baseSha: row.base_sha },
    ...{ isFork: row.is_fork === 1, trigger: "pull_request" },
  };
  // Of the newest gate alone: a head that comes back by a force push was judged, and check and comment are of what came between.
  const newest = row.gate_id === null ? null : await findGate(trx, row.gate_id);
  const isJudged =
    newest?.head_sha === row.head_sha &&
    newest.base_sha === row.base_sha &&
    newest.status !== "cancelled" &&
    newest.status !== "superseded";
  if (!isJudged) await openGate(deps, trx, after, wanted);
}

/** What a merge queue asks for. */
export interface MergeGroup {
  headSha: string;
  /** `refs/heads/gh-readonly-queue/main/pr-7-…` */
  headRef: string;
  baseSha: string;
}

const OF_QUEUE = /\/pr-(\d+)-/;

/** Checks are asked for the commit that a merge queue would make; it is judged like a pull request, and always reported. */
export async function followMergeGroup(
  deps: Deps,
  place: Place,
  group: MergeGroup,
  action: "checks_requested" | "destroyed",
): Promise<void> {
  const { orgId, repository } = place;
  await commit(deps, async (trx, after) => {
    await gateAlone(trx, place);
    const before = (await listGates(trx, { orgId, repository, headSha: group.headSha, limit: 100 })).filter(
      ({ kind }) => kind === "merge_group",
    );
    if (action === "destroyed") {
      const reason = "The merge group is gone.";
      for (const gate of before) await moveGate(deps, trx, after, gate, "cancelled", { reason });
      return;
    }
    if (before.length > 0) return;
    const number = OF_QUEUE.exec(group.headRef)?.[1];
    await openGate(deps, trx, after, {
      ...{ ...place, ...group, kind: "merge_group", pullRequest: null, trigger: "merge_group" },
      number: number === undefined ? null : Number(number),
      isFork: false,
    });
  });
}

/**
 * A deployment of a commit has an address. Gates that wait for one look at once; the address itself is asked of the host again, which
 * tells production from previews.
 */
export async function followDeployment(deps: Deps, { orgId, repository }: Place, sha: string): Promise<void> {
  await commit(deps, async (trx, after) => {
    for (const gate of await openGatesOfCommit(trx, { orgId, repository, sha }))
      if (gate.status === "waiting")
        await after.add({
          kind: LOOK,
          payload: { gate_id: gate.id, turn: "deployed" },
          dedupeKey: `${gate.id} deployed`,
        });
  });
}

/**
 * Somebody asks at the host for a check to be made again: of one gate, or of all that a commit has. A commit that is being judged goes
 * on, and one that is no pull request's head any more is not judged.
 */
export async function followRerequest(
  deps: Deps,
  place: Place,
  asked: { headSha: string; gateId: string | null },
): Promise<void> {
  const { orgId, repository } = place;
  await commit(deps, async (trx, after) => {
    await gateAlone(trx, place);
    const all = await listGates(trx, { orgId, repository, headSha: asked.headSha, limit: 100 });
    const wanted = asked.gateId === null ? all : all.filter(({ id }) => id === asked.gateId);
    const seen = new Set<string>();
    for (const gate of wanted) {
      const purpose = `${gate.kind} ${gate.pr_number}`;
      const same = all.filter((one) => `${one.kind} ${one.pr_number}` === purpose);
      if (seen.has(purpose) || same.some(({ status }) => !isEnded(status))) continue;
      seen.add(purpose);
      const whole = await findGate(trx, gate.id);
      if (whole) await judgeAgain(deps, trx, after, whole, "rerequested");
    }
  });
}

/** @returns null when its commit is not the head of its pull request any more, or that is closed */
export async function judgeAgain(
  deps: Pick<Deps, "clock" | "ids" | "metrics">,
  trx: Trx,
  after: After,
  gate: GateRow,
  trigger: string,
): Promise<GateRow | null> {
  const pullRequest = gate.pull_request_id === null ? null : await findPullRequest(trx, gate.pull_request_id);
  if (pullRequest && (pullRequest.state === "closed" || pullRequest.head_sha !== gate.head_sha)) return null;
  const given = gate.given === null ? null : (JSON.parse(gate.given) as GivenFiles);
  return openAgain(deps, trx, after, gate, { pullRequest, trigger, given });
}
