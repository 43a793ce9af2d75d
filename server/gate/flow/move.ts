import type { Trx } from "../../../store/records/db.ts";
import { changeGate, type GateRow, type GateStatus, type ListedGate } from "../../../store/records/gates.ts";
import { insertNotice, insertNoticeOnce } from "../../../store/records/notices.ts";
import type { Deps } from "../../deps.ts";
import type { After } from "../../jobs/commit.ts";
import { DROP_RUNS, TELL } from "../kinds.ts";
import { isEnded, sourcesOf } from "./transitions.ts";

const HOUR_MS = 60 * 60_000;

type MoveDeps = Pick<Deps, "clock" | "ids" | "metrics">;

/** The run that stands for a gate that failed, where there is one. */
export interface TellingRun {
  scenarioId: string;
  region: string;
  runId: string;
  traceId: string | null;
  failureSignature: string | null;
}

/**
 * Gives a gate another status, with all that follows from that: the code host is told, runs that no longer count are ended, and a
 * failure goes to every notification channel. So does a fault of ours, once an hour: what breaks is seldom one gate's alone.
 * @param shown of a gate that failed: the run that the notice is about
 * @returns false when its status does not allow it (any more), and then nothing changes
 */
export async function moveGate(
  deps: MoveDeps,
  trx: Trx,
  after: After,
  gate: ListedGate,
  to: GateStatus,
  changes: Partial<Pick<GateRow, "reason" | "base_url" | "wait_until" | "problems">> = {},
  shown: TellingRun | null = null,
): Promise<boolean> {
  const now = deps.clock.now();
  const isOver = isEnded(to);
  const moved = await changeGate(trx, gate.id, sourcesOf(to), {
    status: to,
    ...(to === "running" && { started_at: now }),
    ...(isOver && { ended_at: now }),
    ...changes,
  });
  if (!moved) return false;
  if (to === "superseded" || to === "cancelled")
    await after.add({ kind: DROP_RUNS, payload: { gate_id: gate.id }, dedupeKey: gate.id });
  const notice = {
    ...{ org_id: gate.org_id, gate_id: gate.id, reason: changes.reason ?? "" },
    ...{ incident_id: null, channels: null, due_at: now, created_at: now },
    scenario_id: shown?.scenarioId ?? null,
    region: shown?.region ?? null,
    run_id: shown?.runId ?? null,
    failure_signature: shown?.failureSignature ?? null,
    trace_id: shown?.traceId ?? null,
  };
  if (to === "failed") await insertNotice(trx, { ...notice, id: deps.ids.uuid(), event: "gate.failed" });
  if (to === "error") {
    const id = `gate errors ${gate.org_id} ${Math.floor(now / HOUR_MS)}`;
    await insertNoticeOnce(trx, { ...notice, id, event: "monitor.errors" });
  }
  await announce(after, gate);
  if (isOver) after.follow(() => count(deps, gate, to, now));
  return true;
}

/** Has the code host told of a gate, and whoever follows the list. */
export async function announce(after: After, { id, org_id }: Pick<GateRow, "id" | "org_id">): Promise<void> {
  await after.add({ kind: TELL, payload: { gate_id: id }, dedupeKey: id, maxAttempts: 8 });
  after.publish("gates", org_id, { type: "gate.changed", id });
}

const SECONDS = [5, 15, 30, 60, 120, 300, 600, 1200, 3600];

function count({ metrics }: MoveDeps, gate: ListedGate, status: GateStatus, now: number): void {
  const { kind } = gate;
  metrics.counter("gates_total", "Gates that ended.", ["kind", "status"]).inc({ kind, status });
  metrics
    .histogram("gate_duration_seconds", "How long gates took from their beginning to their verdict.", {
      labelNames: ["status"],
      buckets: SECONDS,
    })
    .observe((now - gate.created_at) / 1000, { status });
}
