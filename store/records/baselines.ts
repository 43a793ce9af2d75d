import type { Records } from "./db.ts";
import { engineOf, rowsOf } from "./engine/engine-of.ts";
import type { Engine, SqlText } from "./engine/types.ts";
import { facetsMatching } from "./trace-facets.ts";
import { findTrace, type TraceRow } from "./traces.ts";

/** The newest trace of a scenario that passed before another one; null when there is none. */
export async function findLastPass(
  records: Records,
  before: Pick<TraceRow, "ord" | "org_id" | "scenario_id">,
): Promise<TraceRow | null> {
  return (await findLastPasses(records, before, 1))[0] ?? null;
}

/**
 * The newest traces of a scenario that passed before another one, newest first. Replays, which may run an edited scenario,
 * do not count, nor does what strangers ran. One range of the index per kind of pass (by source, tier and pin), so that any number of failures since
 * then costs nothing.
 */
export async function findLastPasses(
  records: Records,
  before: Pick<TraceRow, "ord" | "org_id" | "scenario_id">,
  limit: number,
): Promise<TraceRow[]> {
  const passes: TraceRow[] = [];
  for (let from = before; ; ) {
    const rows = await rowsOf<{ id: string; ord: number }>(
      records,
      lastPassQuery(engineOf(records), from, limit),
    );
    for (const { id } of rows) {
      const pass = await findTrace(records, id);
      if (pass?.by_strangers === 0) passes.push(pass);
      if (passes.length === limit) return passes;
    }
    const last = rows.at(-1);
    if (!last || rows.length < limit) return passes;
    from = { ...before, ord: last.ord };
  }
}

/** The SQL of `findLastPasses` with its parameters. */
export function lastPassQuery(
  { hints }: Engine,
  before: Pick<TraceRow, "ord" | "org_id" | "scenario_id">,
  limit = 1,
): SqlText {
  const facets = facetsMatching({ status: "passed" });
  const arm = `SELECT id, ord FROM ${hints.through("traces", "traces_by_scenario_facet")}
    WHERE org_id = ? AND scenario_id = ? AND facet = ? AND ord < ? AND parent_trace_id IS NULL`;
  const { ord } = before;
  return {
    sql: `${facets.map(() => arm).join(" UNION ALL ")} ORDER BY ord DESC LIMIT ${limit}`,
    parameters: facets.flatMap((facet) => [before.org_id, before.scenario_id, facet, ord]),
  };
}
