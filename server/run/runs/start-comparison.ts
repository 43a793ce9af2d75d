import type { Trx } from "../../../store/records/db.ts";
import { insertRun, type NewRun } from "../../../store/records/runs.ts";
import { insertShadowDiff } from "../../../store/records/shadow-diffs.ts";
import type { Deps } from "../../deps.ts";
import type { After } from "../../jobs/commit.ts";
import { COMPARE } from "./kinds.ts";

/**
 * Queues the runs of a shadow diff: production, production again, clones.
 * @param run what the three have in common; its id is that of the run with clones, which stands for all
 */
export async function addShadowDiff(
  deps: Pick<Deps, "ids">,
  within: Trx,
  after: Pick<After, "add">,
  run: NewRun,
): Promise<void> {
  const production = deps.ids.uuid();
  const repeated = deps.ids.uuid();
  await insertRun(within, { ...run, id: production, type: "manual" });
  const shadow = { ...run, type: "shadow_diff", parent_run_id: production } as const;
  await insertRun(within, { ...shadow, id: repeated });
  await insertRun(within, shadow);
  await insertShadowDiff(within, {
    run_id: run.id,
    production_run_id: production,
    repeated_run_id: repeated,
    result: null,
  });
  await after.add({ kind: COMPARE, payload: { run_id: run.id }, maxAttempts: 3 });
}
