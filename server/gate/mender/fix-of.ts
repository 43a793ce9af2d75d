import { createHash } from "node:crypto";
import { verifiedFix } from "../../../store/records/mender.ts";
import { findRun } from "../../../store/records/runs.ts";
import type { Deps } from "../../deps.ts";
import type { RunPlan } from "../../run/runs/execute.ts";

/** What an attempt is made of beside the failure: SHA-256 (hex) of the scenario file as the run had it. */
export const basisOf = (source: string): string => createHash("sha256").update(source).digest("hex");

/** A patch that a replay has verified; `applied` when somebody had it proposed to the repository. */
export interface Fix {
  attempt_id: string;
  status: "verified" | "applied";
}

/**
 * The verified patch for the failure of a run; null without one. Of the same failure of the same file there is one attempt, which may have
 * been made for an earlier run.
 */
export async function fixOfRun(
  { store }: Pick<Deps, "store">,
  runId: string,
  failureSignature: string,
): Promise<Fix | null> {
  const run = await findRun(store.records, runId);
  const { source } = run ? (JSON.parse(run.plan) as RunPlan) : { source: null };
  if (!run || source === null || source === undefined) return null;
  const row = await verifiedFix(store.records, {
    ...{ scenarioId: run.scenario_id, failureSignature, basis: basisOf(source) },
  });
  return row && { attempt_id: row.id, status: row.status };
}
