import { findRun, type RunRow } from "../../../store/records/runs.ts";
import { findShadowDiff } from "../../../store/records/shadow-diffs.ts";
import type { Deps } from "../../deps.ts";
import { notFound } from "../../http/errors.ts";
import type { Actor } from "../../identity/actor.ts";
import { requireRun } from "../runs/service.ts";
import type { ShadowDiffAnswer, ShadowDiffResult } from "./model.ts";

const NOTHING: ShadowDiffResult = {
  production: { observations: [] },
  clone: { observations: [] },
  diffs: [],
  noise: [],
};

/**
 * The shadow diff that a run belongs to, empty while it is not compared.
 * @param id of any of its runs
 * @throws AppError `not_found` when the run belongs to none
 */
export async function showShadowDiff(deps: Deps, actor: Actor, id: string): Promise<ShadowDiffAnswer> {
  const asked = await requireRun(deps, actor, id);
  const { records } = deps.store;
  const row = await findShadowDiff(records, asked.id);
  const runs = row && [
    await findRun(records, row.production_run_id),
    await findRun(records, row.repeated_run_id),
    await findRun(records, row.run_id),
  ];
  const [production, repeated, clone] = runs ?? [];
  if (!row || !production || !repeated || !clone) throw notFound("The shadow diff of this run");
  const result = row.result === null ? NOTHING : (JSON.parse(row.result) as ShadowDiffResult);
  return {
    run_id: row.run_id,
    scenario_slug: clone.scenario_slug,
    is_compared: row.result !== null,
    runs: { production: brief(production), repeated: brief(repeated), clone: brief(clone) },
    ...result,
  };
}

const brief = ({ id, status, trace_id, error_message }: RunRow) => ({
  id,
  status,
  trace_id,
  error: error_message,
});
