import { pruneAlertResults } from "../../../store/records/alert-results.ts";
import { decideAlone, pruneIncidents, unwatchedIncidents } from "../../../store/records/incidents.ts";
import type { Deps } from "../../deps.ts";
import { commit } from "../../jobs/commit.ts";
import { forEachApart } from "../../jobs/each-apart.ts";
import type { PeriodicTask } from "../../jobs/types.ts";
import { endUnwatched } from "../alerts/decide.ts";
import type { AlertPolicy } from "../policy.ts";
import { forgetStaleErrors, hasStaleErrors } from "../self-alert.ts";
import type { Surroundings } from "./follow-run.ts";
import { loadState, writeChanges } from "./kept.ts";

const DAY_MS = 24 * 60 * 60_000;
const AT_ONCE = 1000;

/**
 * Ends incidents whose check has gone, was switched off or left their region, and forgets the errors of its runs: no run would do
 * either.
 */
export function endUnwatchedTask(deps: Deps, { quietUntil }: Pick<Surroundings, "quietUntil">): PeriodicTask {
  const { records } = deps.store;
  type Unwatched = Awaited<ReturnType<typeof unwatchedIncidents>>[number];
  const endOne = ({ id, org_id, scenario_id, policy }: Unwatched) =>
    commit(deps, async (trx, after) => {
      await decideAlone(trx, scenario_id);
      const now = deps.clock.now();
      const of = { orgId: org_id, scenarioId: scenario_id };
      const changes = endUnwatched(
        {
          state: await loadState(trx, scenario_id),
          newId: () => deps.ids.uuid(),
          ...{ now, regions: 1, channels: null, quietUntil: await quietUntil(trx, of, now) },
        },
        id,
      );
      await writeChanges(trx, after, changes, { ...of, now, policy: JSON.parse(policy) as AlertPolicy });
    });
  return {
    name: "incidents.unwatched",
    everyMs: 60_000,
    of: "store",
    isDue: async () => (await unwatchedIncidents(records, 1)).length > 0 || (await hasStaleErrors(records)),
    async run() {
      const unwatched = await unwatchedIncidents(records, AT_ONCE);
      await forEachApart(deps, unwatched, "An unwatched incident could not be ended", endOne);
      if (await hasStaleErrors(records)) await commit(deps, forgetStaleErrors);
    },
  };
}

/** Removes what runs found, and incidents that ended, when runs of that age are removed too. */
export function pruneIncidentsTask({ store, clock, config }: Deps): PeriodicTask {
  return {
    name: "incidents.prune",
    everyMs: 60 * 60_000,
    of: "store",
    async run() {
      const before = clock.now() - config.settings.retention.runs_days * DAY_MS;
      // A transaction each, so that nobody waits long.
      while ((await pruneAlertResults(store.records, before, AT_ONCE)) === AT_ONCE);
      while ((await pruneIncidents(store.records, before, AT_ONCE)) === AT_ONCE);
    },
  };
}
