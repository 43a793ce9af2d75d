import { countScimGroups } from "../../../store/records/scim-groups.ts";
import {
  groupRolesOf,
  groupSizes,
  keysWithScope,
  replaceGroupRoles,
  scimErrorsOf,
} from "../../../store/records/scim-settings.ts";
import { countScimUsers, holdScim } from "../../../store/records/scim-users.ts";
import type { Deps } from "../../deps.ts";
import { AppError } from "../../http/errors.ts";
import { commit } from "../../jobs/commit.ts";
import { toIso } from "../../platform/clock.ts";
import type { Actor } from "../actor.ts";
import { auditAct } from "../audit.ts";
import { refreshRoles } from "./accounts.ts";
import { ERRORS_SINCE_MS } from "./answer.ts";
import type { ScimDeps } from "./context.ts";
import { fold } from "./evaluate.ts";
import type { NewGroupRoles, ScimStatus } from "./model.ts";

/** Tokens are replaced each quarter (specification, section 5.5). */
const QUARTER_MS = 90 * 24 * 60 * 60_000;

/** How provisioning goes in the actor's org. */
export async function scimStatus(
  deps: Pick<Deps, "store" | "clock" | "credentials">,
  actor: Pick<Actor, "orgId">,
  base: string,
): Promise<ScimStatus> {
  const { records } = deps.store;
  const { orgId } = actor;
  const now = deps.clock.now();
  await deps.credentials.tryFlushUses();
  const keys = await keysWithScope(records, orgId, "scim:manage", now);
  const tokens = keys.filter(({ scopes }) => (JSON.parse(scopes) as string[]).length === 1);
  const total = await countScimUsers(records, orgId, null);
  const active = await countScimUsers(records, orgId, { column: "active", op: "eq", value: 1 });
  const groups = await countScimGroups(records, orgId, null);
  const roles = await groupRolesOf(records, orgId);
  const sizes = await groupSizes(records, orgId);
  const errors = await scimErrorsOf(records, orgId, now - ERRORS_SINCE_MS);
  const uses = tokens.flatMap(({ last_used_at }) => last_used_at ?? []);
  const time = (at: number | null) => (at === null ? null : toIso(at));
  return {
    base_url: base,
    tokens: tokens.map((key) => ({
      id: key.id,
      name: key.name,
      prefix: key.prefix,
      created_at: toIso(key.created_at),
      expires_at: time(key.expires_at),
      last_used_at: time(key.last_used_at),
      is_due: now - key.created_at > QUARTER_MS,
    })),
    last_request_at: time(uses.length > 0 ? Math.max(...uses) : null),
    users: { total, active },
    groups: { total: groups },
    roles: roles.map(({ name, name_key, role }) => ({
      group: name,
      role,
      members: sizes.get(name_key) ?? null,
    })),
    errors: errors.map(({ at, method, path, status, detail }) => ({
      at: toIso(at),
      method,
      path,
      status,
      detail,
    })),
  };
}

/**
 * Says which role the members of groups get, in the place of what was said before; members get their roles at once.
 * @throws AppError `validation_failed` for a group that is named twice
 */
export async function setGroupRoles(deps: ScimDeps, actor: Actor, { items }: NewGroupRoles): Promise<void> {
  const rows = items.map(({ group, role }) => ({
    org_id: actor.orgId,
    name_key: fold(group.trim()),
    name: group.trim(),
    role,
  }));
  const keys = rows.map(({ name_key }) => name_key);
  const wrong = keys.findIndex((key, at) => key === "" || keys.indexOf(key) !== at);
  if (wrong !== -1)
    throw new AppError(
      "validation_failed",
      `The body's field "items.${wrong}.group" must name a group, and one that no other item names.`,
    );
  await commit(deps, async (trx, after) => {
    await holdScim(trx, actor.orgId);
    await replaceGroupRoles(trx, actor.orgId, rows);
    await refreshRoles({ deps, actor }, { trx, after }, "all");
    await auditAct(trx, actor, {
      at: deps.clock.now(),
      action: "scim.roles",
      target: actor.orgId,
      detail: { roles: rows.map(({ name, role }) => ({ group: name, role })) },
    });
  });
}
