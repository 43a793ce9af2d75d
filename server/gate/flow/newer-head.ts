import type { Db } from "../../../store/records/db.ts";
import { findGate, listGates } from "../../../store/records/gates.ts";
import type { PullRequestRow } from "../../../store/records/pull-requests.ts";
import type { Deps } from "../../deps.ts";
import { codeHostOf } from "../code-host/code-host-of.ts";
import { CodeHostError } from "../code-host/types.ts";

/** A commit that CI reports. Jobs of two commits end in any order, and one may be started again days later. */
export interface ReportedHead {
  orgId: string;
  headSha: string;
  /** When the pull request got it, as CI says. */
  headAt: number | null;
}

/**
 * Asks the code host for the head of a pull request that it told of, where CI reports another commit than the last that was heard of.
 * @returns null where the host is not asked, or gives no answer
 */
export async function askForHead(
  deps: Deps,
  known: PullRequestRow | null,
  { orgId, headSha }: ReportedHead,
): Promise<string | null> {
  if (!known || known.host_updated_at === 0 || known.head_sha === headSha) return null;
  const host = await codeHostOf(deps, orgId);
  try {
    return (await host?.pullRequest(known.number))?.headSha ?? null;
  } catch (error) {
    if (!(error instanceof CodeHostError)) throw error;
    deps.log.warn("The code host does not say which commit is the head of a pull request", {
      ...{ pull_request: known.id, error: error.message },
    });
    return null;
  }
}

/**
 * The commit that is newer than the reported one; null when that is the newest as far as anybody knows. What the host says counts most, then
 * when CI says that the pull request got each, then which of them was heard of first.
 * @param told what `askForHead` was answered
 */
export async function newerHead(
  db: Db,
  known: PullRequestRow | null,
  { headSha, headAt }: ReportedHead,
  told: string | null,
): Promise<string | null> {
  if (!known || known.head_sha === headSha) return null;
  if (told !== null) return told === headSha ? null : told;
  const newest = known.gate_id === null ? null : await findGate(db, known.gate_id);
  if (!newest || newest.head_sha === headSha) return null;
  if (headAt !== null && newest.head_at !== null && headAt !== newest.head_at)
    return headAt < newest.head_at ? newest.head_sha : null;
  const of = { orgId: known.org_id, pullRequestId: known.id, headSha, limit: 1 };
  return (await listGates(db, of)).length > 0 ? newest.head_sha : null;
}
