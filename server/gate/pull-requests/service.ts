import { findGate, listGates } from "../../../store/records/gates.ts";
import {
  findPullRequest,
  listPullRequests,
  type PullRequestRow,
} from "../../../store/records/pull-requests.ts";
import type { Deps } from "../../deps.ts";
import { readTimeCursor, writeTimeCursor } from "../../http/cursors.ts";
import { AppError, notFound } from "../../http/errors.ts";
import type { Actor } from "../../identity/actor.ts";
import { itemsOf } from "../gates/service.ts";
import {
  type PullRequestAnswer,
  type PullRequestDetail,
  type PullRequestQuery,
  toPullRequest,
} from "./model.ts";

const DEFAULT_LIMIT = 50;
const GATES_SHOWN = 50;

/** One page of the org's pull requests, those that were heard of last first. @throws AppError naming the parameter */
export async function showPullRequests(
  deps: Deps,
  { orgId }: Pick<Actor, "orgId">,
  query: PullRequestQuery,
): Promise<{ items: PullRequestAnswer[]; next_cursor: string | null }> {
  const limit = query.limit ?? DEFAULT_LIMIT;
  const rows = await listPullRequests(deps.store.records, {
    ...{ orgId, limit: limit + 1 },
    ...(query.repo !== undefined && { repository: query.repo }),
    ...(query.number !== undefined && { number: query.number }),
    ...(query.state !== undefined && { state: query.state }),
    ...(query.cursor !== undefined && { after: placeOf(query.cursor) }),
  });
  const items: PullRequestAnswer[] = [];
  for (const row of rows.slice(0, limit)) items.push(await answer(deps, row));
  const last = rows.length > limit ? rows[limit - 1] : undefined;
  return {
    items,
    next_cursor: last ? writeTimeCursor({ created_at: last.changed_at, id: last.id }) : null,
  };
}

function placeOf(cursor: string): { at: number; id: string } {
  const { created_at: at, id } = readTimeCursor(cursor);
  return { at, id };
}

/** One pull request with its gates. @throws AppError `not_found`, `wrong_org` */
export async function showPullRequest(
  deps: Deps,
  actor: Pick<Actor, "orgId">,
  id: string,
): Promise<PullRequestDetail> {
  const row = await findPullRequest(deps.store.records, id.toLowerCase());
  if (!row) throw notFound("The pull request");
  if (row.org_id !== actor.orgId) throw new AppError("wrong_org", "The pull request belongs to another org.");
  const of = { orgId: row.org_id, pullRequestId: row.id, limit: GATES_SHOWN };
  return {
    ...(await answer(deps, row)),
    gates: await itemsOf(deps, await listGates(deps.store.records, of)),
  };
}

async function answer(deps: Deps, row: PullRequestRow): Promise<PullRequestAnswer> {
  const gate = row.gate_id === null ? null : await findGate(deps.store.records, row.gate_id);
  return toPullRequest(row, gate && (await itemsOf(deps, [gate]))[0]!);
}
