import { type TString, Type } from "@sinclair/typebox";
import type { ShareVisibility } from "../../store/records/schema.ts";
import { findTrace, type TraceRow } from "../../store/records/traces.ts";
import type { Deps } from "../deps.ts";
import { AppError, notFound } from "../http/errors.ts";
import type { Actor } from "../identity/actor.ts";
import type { AuthRequirement } from "../identity/auth.ts";

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

/** What opens a trace for a reader: the credential of a member of its org, or a share link. */
export interface TraceAccess {
  /** Which description of a read holds: each noun has one for either. */
  kind: "member" | "share";
  /** The parameter of the path that names the trace. */
  params: Record<string, TString>;
  /** What the routes of these reads ask of whoever calls them. */
  auth: AuthRequirement | null;
  /** The trace that a request names. @throws AppError when whoever makes the request may not read it */
  open(call: ReadCall): Promise<TraceRow>;
  /**
   * Says whether what opened a trace still does, for answers that go on for long; null where it ends with the credential alone.
   */
  whileOpen(call: ReadCall): (() => Promise<boolean>) | null;
  /** The share with which links that an answer hands out end; null for a member's, which only expire. */
  viaShare(trace: TraceRow): ShareVisibility | null;
}

/** What an access needs of a call: `actor` is there where the route asks for a credential. */
interface ReadCall {
  request: Request;
  params: Record<string, string>;
  actor?: Actor;
}

/** Members of the org, by the id of a trace of theirs and the scope `traces:read`. */
export function memberAccess(deps: Pick<Deps, "store">): TraceAccess {
  return {
    kind: "member",
    params: TraceParams.properties,
    auth: { scope: "traces:read" },
    open: ({ actor, params }) => requireTrace(deps, actor!, params.id!),
    whileOpen: () => null,
    viaShare: () => null,
  };
}

/** @throws AppError `not_hot` when the trace's files are in the cold folder */
export function requireOnline(trace: Pick<TraceRow, "id" | "tier">): void {
  if (trace.tier !== "cold") return;
  throw new AppError(
    "not_hot",
    `The files of this trace are in cold storage: bring them back with POST /v1/traces/${trace.id}/restore.`,
  );
}
