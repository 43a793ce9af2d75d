import { upsertScenario } from "../../store/records/scenarios.ts";
import { insertTrace, type NewTrace } from "../../store/records/traces.ts";
import type { TestApp } from "./app.ts";

/** Puts finished traces straight into the records: as many as a history needs, a second apart. */
export async function past(
  app: TestApp,
  slug: string,
  rows: Partial<NewTrace>[],
  options: { orgId?: string; apartMs?: number } = {},
): Promise<string[]> {
  const orgId = options.orgId ?? app.orgId;
  const { records } = app.store;
  const made: string[] = [];
  const scenario = await upsertScenario(records, {
    id: app.deps.ids.uuid(),
    orgId,
    slug,
    title: null,
    now: app.clock.now(),
  });
  await records.transaction().execute(async (trx) => {
    for (const row of rows) {
      app.clock.advance(options.apartMs ?? 1000);
      const id = app.deps.ids.uuid();
      await insertTrace(trx, {
        id,
        org_id: orgId,
        short_id: app.deps.ids.shortId(),
        scenario_id: scenario.id,
        scenario_slug: slug,
        scenario_title: slug,
        status: "passed",
        tier: "hot",
        ...row,
      });
      made.push(id);
    }
  });
  return made;
}

/** A failed trace of a signature. */
export const failed = (signature: string, more: Partial<NewTrace> = {}): Partial<NewTrace> => ({
  status: "failed",
  failure_signature: signature,
  failure_message: `Error: ${signature} happened`,
  ...more,
});
