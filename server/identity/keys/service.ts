import { findApiKey, insertApiKey, listApiKeys, revokeApiKey } from "../../../store/records/identity.ts";
import type { Deps } from "../../deps.ts";
import { AppError, invalid, notFound } from "../../http/errors.ts";
import { type CommitDeps, commit } from "../../jobs/commit.ts";
import { fromIso } from "../../platform/clock.ts";
import type { Actor } from "../actor.ts";
import { auditAct } from "../audit.ts";
import { createSecret, hashSecret } from "../key-secrets.ts";
import {
  type CreatedKey,
  decodeKeyCursor,
  encodeKeyCursor,
  type KeyView,
  type NewKey,
  toKeyView,
} from "./model.ts";

type KeyDeps = CommitDeps & Pick<Deps, "store" | "clock" | "ids" | "credentials">;

/**
 * Makes an API key for the actor's org.
 * @throws AppError `forbidden` for scopes that the actor lacks, `invalid_request` for a bad or past `expires_at`
 */
export async function createKey(deps: KeyDeps, actor: Actor, wanted: NewKey): Promise<CreatedKey> {
  const lacking = wanted.scopes.filter((scope) => !actor.scopes.has(scope));
  if (lacking.length > 0)
    throw new AppError(
      "forbidden",
      `A key cannot be given scopes that its maker lacks: ${lacking.join(", ")}.`,
    );
  const now = deps.clock.now();
  const { secret, prefix } = createSecret("sk", deps.ids);
  const row = {
    id: deps.ids.uuid(),
    org_id: actor.orgId,
    user_id: actor.userId,
    kind: "sk" as const,
    name: wanted.name,
    prefix,
    hash: hashSecret(secret),
    scopes: JSON.stringify(wanted.scopes),
    created_at: now,
    expires_at: expiry(wanted.expires_at, now),
    revoked_at: null,
    last_used_at: null,
  };
  await commit(deps, async (trx) => {
    await insertApiKey(trx, row);
    const detail = { name: wanted.name, scopes: wanted.scopes };
    await auditAct(trx, actor, { at: now, action: "api_key.create", target: row.id, detail });
  });
  return { ...toKeyView(row), key: secret };
}

/** The org's keys that were not revoked, newest first. */
export async function listKeys(
  deps: KeyDeps,
  actor: Actor,
  page: { limit?: number; cursor?: string },
): Promise<{ items: KeyView[]; next_cursor: string | null }> {
  const limit = page.limit ?? 50;
  const before = page.cursor === undefined ? undefined : decodeKeyCursor(page.cursor);
  if (before === null) throw invalid('The query parameter "cursor" is not one that this list gave out.');
  await deps.credentials.flushUses();
  const rows = await listApiKeys(deps.store.records, {
    orgId: actor.orgId,
    limit: limit + 1,
    ...(before ? { before } : {}),
  });
  const shown = rows.slice(0, limit);
  return {
    items: shown.map(toKeyView),
    next_cursor: rows.length > limit ? encodeKeyCursor(shown.at(-1)!) : null,
  };
}

/**
 * Ends a key, at once.
 * @throws AppError `not_found`, or `wrong_org` for a key of another org
 */
export async function revokeKey(deps: KeyDeps, actor: Actor, id: string): Promise<void> {
  const now = deps.clock.now();
  await commit(deps, async (trx) => {
    const key = await findApiKey(trx, id);
    if (!key) throw notFound("This API key");
    if (key.org_id !== actor.orgId) throw new AppError("wrong_org", "This API key belongs to another org.");
    if (!(await revokeApiKey(trx, id, now))) throw notFound("This API key");
    await auditAct(trx, actor, { at: now, action: "api_key.revoke", target: id, detail: { name: key.name } });
  });
  deps.credentials.forgetKey(id);
}

function expiry(text: string | null | undefined, now: number): number | null {
  if (text === null || text === undefined) return null;
  const at = fromIso(text);
  if (at === null) throw invalid(`The body's field "expires_at" must be an ISO 8601 time.`);
  if (at <= now) throw invalid(`The body's field "expires_at" must lie in the future.`);
  return at;
}
