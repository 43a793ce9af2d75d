import { createIds } from "../../server/platform/ids.ts";
import { pruneRunsTask } from "../../server/run/runs/handlers.ts";
import { pruneIncidentsTask } from "../../server/watch/incidents/tasks.ts";
import { insertAlertResult } from "../../store/records/alert-results.ts";
import { addRunLogs, insertRun } from "../../store/records/runs.ts";
import { upsertScenario } from "../../store/records/scenarios.ts";
import type { TestApp } from "./app.ts";
import { statement } from "./statement.ts";

const HOUR_MS = 60 * 60_000;
const PAGE = 4096;

export interface Watched {
  checks: number;
  regions: number;
  /** Minutes between two runs of a check in a region. */
  everyMinutes: number;
  hours: number;
}

export interface Kept {
  runs: number;
  results: number;
  logs: number;
  bytes: number;
}

/**
 * Writes what scheduled runs leave in the records, hour by hour of a clock that is moved, and prunes every hour as a server does.
 * The files of traces and their rows are not made.
 * @param look is told what is there after every hour
 */
export async function watchFor(
  t: TestApp,
  { checks, regions, everyMinutes, hours }: Watched,
  look: (kept: Kept, hour: number) => void,
): Promise<void> {
  const { records } = t.store;
  let now = t.clock.now();
  const clock = { ...t.deps.clock, now: () => now };
  const ids = createIds(clock);
  const deps = { ...t.deps, clock };
  const scenarios: string[] = [];
  for (let n = 0; n < checks; n++) {
    const slug = `watched-${n}`;
    const { id } = await upsertScenario(records, { id: ids.uuid(), orgId: t.orgId, slug, title: null, now });
    scenarios.push(id);
  }
  for (let hour = 1; hour <= hours; hour++) {
    const end = now + HOUR_MS;
    await records.transaction().execute(async (trx) => {
      for (; now < end; now += everyMinutes * 60_000)
        for (const [n, scenario_id] of scenarios.entries())
          for (let place = 0; place < regions; place++) {
            const id = ids.uuid();
            const region = `region-${place}`;
            const ended_at = now + 4000;
            await insertRun(trx, {
              ...{ id, org_id: t.orgId, type: "schedule", status: "passed", region, base_url: null },
              ...{ scenario_id, scenario_slug: `watched-${n}`, trigger: "schedule", plan: "{}" },
              ...{ scheduled_at: now, started_at: now, ended_at, duration_ms: 4000 },
            });
            const line = { ts: now, level: "info" as const, step_id: null };
            await addRunLogs(trx, id, [{ ...line, message: "The run passed." }]);
            await insertAlertResult(trx, {
              ...{ run_id: id, org_id: t.orgId, scenario_id, region, kind: "run", status: "passed" },
              ...{ at: ended_at, duration_ms: 4000, failure_signature: null, trace_id: null },
              ...{ healed: 0, ignored: null },
            });
          }
    });
    now = end;
    for (const task of [pruneRunsTask(deps), pruneIncidentsTask(deps)]) await task.run();
    const count = async (table: string) =>
      Number((await statement(t.store, `SELECT count(*) AS n FROM ${table}`))[0]!.n);
    const [pages] = await statement(t.store, "PRAGMA page_count");
    look(
      {
        runs: await count("runs"),
        results: await count("alert_results"),
        logs: await count("run_logs"),
        bytes: Number(pages!.page_count) * PAGE,
      },
      hour,
    );
  }
}
