import { deploymentsOf, putDeployment } from "../../../store/records/deployments.ts";
import type { Deps } from "../../deps.ts";
import { conflict, invalid } from "../../http/errors.ts";
import type { Actor } from "../../identity/actor.ts";
import { auditAct } from "../../identity/audit.ts";
import { commit } from "../../jobs/commit.ts";
import { type Deployment, MAX_ORIGINS, type NewDeployment, toDeployment } from "./model.ts";

/** What runs at each address that an org has named. */
export async function listDeployments({ store }: Pick<Deps, "store">, { orgId }: Pick<Actor, "orgId">) {
  return { items: (await deploymentsOf(store.records, [orgId])).map(toDeployment) };
}

/**
 * Notes which commit runs at an address from now on: the next scheduled runs that go there carry it, so that what begins to fail is known
 * by its first bad commit.
 * @throws AppError `validation_failed` for an address that no scenario may go to, `conflict` when the org has named too many
 */
export async function createDeployment(deps: Deps, actor: Actor, wanted: NewDeployment): Promise<Deployment> {
  const url = URL.parse(wanted.base_url);
  if (!url || !/^https?:$/.test(url.protocol))
    throw invalid('The body\'s field "base_url" must be an http or https address.');
  const { commit_sha } = wanted;
  const row = { org_id: actor.orgId, origin: url.origin, commit_sha, deployed_at: deps.clock.now() };
  await commit(deps, async (trx) => {
    if (!(await putDeployment(trx, row, MAX_ORIGINS)))
      throw conflict(`An org names at most ${MAX_ORIGINS} addresses.`);
    await auditAct(trx, actor, {
      at: row.deployed_at,
      action: "deployment.create",
      target: row.origin,
      detail: { commit_sha },
    });
  });
  return toDeployment(row);
}
