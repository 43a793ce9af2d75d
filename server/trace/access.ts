import { Type } from "@sinclair/typebox";
import { findTrace, type TraceRow } from "../../store/records/traces.ts";
import type { Deps } from "../deps.ts";
import { AppError, notFound } from "../http/errors.ts";
import type { Actor } from "../identity/actor.ts";

/** Path of every operation on one trace. What is no UUID is answered as a trace that does not exist. */
export const TraceParams = Type.Object({ id: Type.String({ format: "uuid" }) });

/**
 * The trace of that id, if the actor may know of it.
 * @throws AppError `not_found`, or `wrong_org` for a trace of another org
 */
export async function requireTrace(
  deps: Pick<Deps, "store">,
  actor: Pick<Actor, "orgId">,
  id: string,
): Promise<TraceRow> {
  const trace = await findTrace(deps.store.records, id.toLowerCase());
  if (!trace) throw notFound("This trace");
  if (trace.org_id !== actor.orgId)
    throw new AppError("wrong_org", "This trace belongs to an org that the credential does not belong to.");
  return trace;
}

/** @throws AppError `not_hot` when the trace's files are in the cold folder */
export function requireOnline(trace: Pick<TraceRow, "id" | "tier">): void {
  if (trace.tier !== "cold") return;
  throw new AppError(
    "not_hot",
    `The files of this trace are in cold storage: bring them back with POST /v1/traces/${trace.id}/restore.`,
  );
}
