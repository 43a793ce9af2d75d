import { startFaultyShop } from "../../fixtures/mender/faulty-shop.ts";
import type { Seed } from "../../fixtures/mender/seed.ts";
import { listAttempts, type MenderRow } from "../../store/records/mender.ts";
import type { TestApp } from "./app.ts";
import { replayLab } from "./replays.ts";

const MOST_TRIES = 4;

/** A server and a shop whose faults are seeded. */
export function menderLab(app: TestApp) {
  const shop = startFaultyShop();
  const lab = replayLab(app);
  let count = 0;

  /** Syncs a scenario of these steps that asks to be mended, and takes every target as it is written. */
  async function scenario(steps: readonly string[], slug = `seed-${++count}`): Promise<string> {
    return lab.scenario(slug, steps, "mender: { mode: suggestive, cache: never }\n");
  }

  async function attemptsOf(scenarioId: string): Promise<MenderRow[]> {
    return listAttempts(app.store.records, { orgId: app.orgId, scenarioId, limit: 10 });
  }

  /** A machine that has much else to do may fail a run that waits for two seconds. */
  async function recordAs(scenarioId: string, wanted: "passed" | "failed"): Promise<void> {
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const traceId = await lab.record(scenarioId, shop.url);
      const trace: { status: string } = await lab.json(`/v1/traces/${traceId}`);
      if (trace.status === wanted) return;
    }
    throw new Error(`The scenario did not end as ${wanted} in ${MOST_TRIES} runs.`);
  }

  return {
    ...lab,
    shop,
    scenario,
    attemptsOf,
    /** Runs a scenario, spoils the shop, runs it again, and waits until the attempt has ended. */
    async seed({ steps, fault, before = ["pass"] }: Pick<Seed, "steps" | "fault" | "before">): Promise<{
      scenarioId: string;
      attempt: MenderRow | null;
      traceId: string;
    }> {
      const scenarioId = await scenario(steps);
      for (const how of before) {
        shop.spoil(how === "fail" ? fault : null);
        await recordAs(scenarioId, how === "fail" ? "failed" : "passed");
      }
      await app.store.records.deleteFrom("mender_attempts").where("scenario_id", "=", scenarioId).execute();
      shop.spoil(fault);
      const traceId = await lab.record(scenarioId, shop.url);
      const [attempt] = await attemptsOf(scenarioId);
      return { scenarioId, attempt: attempt ?? null, traceId };
    },
    stop: () => shop.stop(),
  };
}
export type MenderLab = ReturnType<typeof menderLab>;
