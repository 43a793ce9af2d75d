import { decideGate, findGate, type GateRow } from "../../../store/records/gates.ts";
import { findUser } from "../../../store/records/identity.ts";
import type { Deps } from "../../deps.ts";
import { AppError, notFound } from "../../http/errors.ts";
import type { Actor } from "../../identity/actor.ts";
import { type AuditActor, auditAct } from "../../identity/audit.ts";
import { commit } from "../../jobs/commit.ts";
import { announce } from "../flow/move.ts";
import { requireGate } from "../flow/require.ts";
import type { DecisionAct, DecisionClaims } from "./links.ts";

/** What a link stands for, as long as it can still be used. */
export interface OpenDecision {
  gate: GateRow;
  claims: DecisionClaims;
}

/**
 * Reads a link without using it.
 * @throws AppError 401 `unauthorized` for one that has ended or is none; 409 `conflict` when it was used, its pair was, or its commit is
 * not judged any more
 */
export async function openDecision(deps: Deps, token: string): Promise<OpenDecision> {
  const claims = await deps.gateState.links.readDecision(token, deps.clock.now());
  if (claims === "expired")
    throw new AppError(
      "unauthorized",
      "This link has ended: it was good for an hour. Decide on the page of the pull request.",
    );
  if (claims === "invalid") throw new AppError("unauthorized", "This link was altered or is not complete.");
  const gate = await findGate(deps.store.records, claims.gateId);
  if (!gate || gate.org_id !== claims.orgId)
    throw new AppError("unauthorized", "This link leads to nothing that is there any more.");
  requireOpen(gate);
  return { gate, claims };
}

function requireOpen({ decision, decided_by, status }: GateRow): void {
  if (decision !== null)
    throw new AppError(
      "conflict",
      `This was decided before: ${decision} by ${decided_by}. The link is used up.`,
    );
  if (status === "superseded" || status === "cancelled")
    throw new AppError(
      "conflict",
      "The commit of this link is not judged any more: a newer one took its place, or the pull request was closed.",
    );
}

/**
 * Decides by a link, and uses up both links of the gate with that.
 * @param person who opened it, when somebody of the org is signed in
 * @throws AppError as `openDecision`
 */
export async function decideByLink(
  deps: Deps,
  token: string,
  { person, ip }: { person: Actor | null; ip: string | null },
): Promise<GateRow> {
  const { gate, claims } = await openDecision(deps, token);
  const isMember = person !== null && person.orgId === gate.org_id;
  const actor: AuditActor = isMember
    ? { ...person, ip }
    : { type: "system", id: "gate_link", orgId: gate.org_id, ip };
  const by = isMember ? await nameOf(deps, person) : "whoever opened the link in the comment";
  return decide(deps, gate, actor, { act: claims.act, by, detail: { jti: claims.jti } });
}

/** Decides as a person who is signed in. @throws AppError `not_found`, `wrong_org`, `conflict` */
export async function decideAsPerson(
  deps: Deps,
  actor: Actor,
  id: string,
  act: DecisionAct,
): Promise<GateRow> {
  const gate = await requireGate(deps, actor, id);
  requireOpen(gate);
  return decide(deps, gate, actor, { act, by: await nameOf(deps, actor), detail: {} });
}

/**
 * Decides by a button of the check run, which the host shows to those who may write to the repository.
 * @returns whether it was decided by this; false when it was before, or the commit is not judged any more
 */
export async function decideAtHost(
  deps: Deps,
  { orgId, gateId, act, login }: { orgId: string; gateId: string; act: DecisionAct; login: string },
): Promise<boolean> {
  const gate = await findGate(deps.store.records, gateId);
  if (gate?.org_id !== orgId) return false;
  const actor: AuditActor = { type: "system", id: "code_host", orgId, ip: null };
  try {
    requireOpen(gate);
    await decide(deps, gate, actor, { act, by: login, detail: { login } });
    return true;
  } catch (error) {
    if (error instanceof AppError && error.kind === "conflict") return false;
    throw error;
  }
}

async function decide(
  deps: Deps,
  gate: GateRow,
  actor: AuditActor,
  { act, by, detail }: { act: DecisionAct; by: string; detail: Record<string, string> },
): Promise<GateRow> {
  const at = deps.clock.now();
  const decision = act === "approve" ? "approved" : "rejected";
  return commit(deps, async (trx, after) => {
    const isFirst = await decideGate(trx, gate.id, { decision, by, at });
    const now = await findGate(trx, gate.id);
    if (!now) throw notFound("The gate");
    if (!isFirst) {
      requireOpen(now);
      throw new AppError("conflict", "Somebody else decided at the same moment.");
    }
    await auditAct(trx, actor, {
      ...{ at, action: "gate.decide", target: gate.id },
      detail: {
        decision,
        head_sha: gate.head_sha,
        repository: gate.repository,
        number: gate.pr_number,
        ...detail,
      },
    });
    await announce(after, now);
    return now;
  });
}

async function nameOf({ store }: Deps, actor: Actor): Promise<string> {
  const user = actor.userId === null ? null : await findUser(store.records, actor.userId);
  return user?.name || user?.email || "a member";
}
