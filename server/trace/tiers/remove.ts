import { findArtifact } from "../../../store/records/artifacts.ts";
import { forgetContainers, orphanBlobsOf } from "../../../store/records/trace-blobs.ts";
import { removeTrace, type TraceRow } from "../../../store/records/traces.ts";
import type { Deps } from "../../deps.ts";
import { auditAct } from "../../identity/audit.ts";
import { publishTraceChange } from "../publish.ts";
import { TIDY } from "./kinds.ts";
import { whileOthersKeepTheirs } from "./rescue.ts";

/**
 * Removes a trace: its records at once, its files by a job that the same transaction adds, its blobs by the collector
 * when nobody names them any more.
 * @returns false when it was gone already
 */
export async function removeTraceForGood(
  deps: Deps,
  actor: Parameters<typeof auditAct>[1],
  trace: TraceRow,
): Promise<boolean> {
  return whileOthersKeepTheirs(deps, [trace.id], [], async (trx, after) => {
    const pack = trace.tier === "cold" ? await findArtifact(trx, trace.id, "pack") : null;
    const now = deps.clock.now();
    await orphanBlobsOf(trx, trace.id, { now });
    await forgetContainers(trx, trace.id);
    if (!(await removeTrace(trx, trace.id))) return false;
    await after.add({
      kind: TIDY,
      payload: { trace_id: trace.id, ...(pack ? { cold_pack: pack.path } : {}) },
    });
    const detail = { short_id: trace.short_id, scenario_slug: trace.scenario_slug };
    await auditAct(trx, actor, { at: now, action: "trace.remove", target: trace.id, detail });
    publishTraceChange(after, trace);
    return true;
  });
}
