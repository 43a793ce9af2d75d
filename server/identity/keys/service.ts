import {
  findListedKey,
  insertLimitedKey,
  type ListedKey,
  listApiKeys,
} from "../../../store/records/api-keys.ts";
import { revokeApiKey } from "../../../store/records/identity.ts";
import type { KeyKind } from "../../../store/records/token-schema.ts";
import type { Deps } from "../../deps.ts";
import { readTimeCursor, writeTimeCursor } from "../../http/cursors.ts";
import { AppError, conflict, invalid, notFound } from "../../http/errors.ts";
import { type CommitDeps, commit } from "../../jobs/commit.ts";
import { fromIso, toIso } from "../../platform/clock.ts";
import type { Actor } from "../actor.ts";
import { auditAct } from "../audit.ts";
import { isPerson, requireScope } from "../auth.ts";
import { createSecret, hashSecret } from "../key-secrets.ts";
import { SCOPES, type Scope } from "../scopes.ts";
import {
  type CreatedKey,
  KEY_KINDS,
  type KeyListQuery,
  type KeyView,
  LONGEST_PERSONAL_TOKEN_MS,
  MOST_KEYS,
  MOST_PERSONAL_TOKENS,
  type NewKey,
  PERSONAL_TOKEN_MS,
  toKeyView,
} from "./model.ts";

type KeyDeps = CommitDeps & Pick<Deps, "store" | "clock" | "ids" | "credentials">;

const NAMES: Record<KeyKind, string> = {
  sk: "API key",
  pat: "personal access token",
  svc: "service token",
};

/**
 * Makes an API key or service token of the actor's org, or a personal access token of the actor.
 * @throws AppError `forbidden` for scopes that the actor lacks and for a personal token of nobody, `insufficient_scope`
 * without `keys:manage`, `invalid_request` for an `expires_at` that cannot be, `conflict` when there are too many
 */
export async function createKey(deps: KeyDeps, actor: Actor, wanted: NewKey): Promise<CreatedKey> {
  const kind = wanted.kind ?? "sk";
  if (kind === "pat") requirePersonOf(actor);
  else requireScope(actor, "keys:manage");
  refuseForeignScopes(actor, wanted.scopes);
  const now = deps.clock.now();
  const { secret, prefix } = createSecret(kind, deps.ids);
  const row = {
    id: deps.ids.uuid(),
    org_id: actor.orgId,
    user_id: kind === "svc" ? null : actor.userId,
    kind,
    name: wanted.name,
    prefix,
    hash: hashSecret(secret),
    scopes: JSON.stringify(wanted.scopes),
    created_at: now,
    expires_at: kind === "pat" ? personalExpiry(wanted.expires_at, now) : expiry(wanted.expires_at, now),
    revoked_at: null,
    last_used_at: null,
    made_by: actor.userId,
  };
  const most = kind === "pat" ? MOST_PERSONAL_TOKENS : MOST_KEYS;
  const listed = await commit(deps, async (trx) => {
    if (!(await insertLimitedKey(trx, row, { most, now })))
      throw conflict(
        kind === "pat"
          ? `You have ${most} personal access tokens in this org already; revoke one that is not needed any more.`
          : `The org has ${most} keys and service tokens already; revoke one that is not needed any more.`,
      );
    const detail = {
      kind,
      name: wanted.name,
      scopes: wanted.scopes,
      expires_at: row.expires_at === null ? null : toIso(row.expires_at),
    };
    await auditAct(trx, actor, { at: now, action: "api_key.create", target: row.id, detail });
    return findListedKey(trx, row.id);
  });
  return { ...toKeyView(listed!), key: secret };
}

/** The keys and tokens that the actor may see and that were not revoked, newest first. */
export async function listKeys(
  deps: KeyDeps,
  actor: Actor,
  { kind, mine, limit = 50, cursor }: KeyListQuery,
): Promise<{ items: KeyView[]; next_cursor: string | null }> {
  const before = cursor === undefined ? undefined : readTimeCursor(cursor);
  await deps.credentials.tryFlushUses();
  const isManager = actor.scopes.has("keys:manage");
  if (!isManager && kind !== undefined && kind !== "pat") requireScope(actor, "keys:manage");
  const kinds = kind ? [kind] : isManager ? KEY_KINDS : (["pat"] as const);
  const rows = await listApiKeys(deps.store.records, {
    orgId: actor.orgId,
    limit: limit + 1,
    kinds,
    ...((mine || !isManager) && { userId: actor.userId ?? "" }),
    ...(before && { before }),
  });
  const shown = rows.slice(0, limit);
  return {
    items: shown.map(toKeyView),
    next_cursor: rows.length > limit ? writeTimeCursor(shown.at(-1)!) : null,
  };
}

/**
 * Ends a key or token, at once: one's own personal token, or with `keys:manage` any of the org.
 * @throws AppError `not_found`, `wrong_org` for one of another org, `insufficient_scope` for another's
 */
export async function revokeKey(deps: KeyDeps, actor: Actor, id: string): Promise<void> {
  const now = deps.clock.now();
  await commit(deps, async (trx, after) => {
    const key = await findListedKey(trx, id);
    if (!key) throw notFound("This API key");
    if (key.org_id !== actor.orgId) throw new AppError("wrong_org", "This API key belongs to another org.");
    if (!isOwn(actor, key)) requireScope(actor, "keys:manage");
    if (!(await revokeApiKey(trx, id, now))) throw notFound("This API key");
    const detail = { kind: key.kind, name: key.name };
    await auditAct(trx, actor, { at: now, action: "api_key.revoke", target: id, detail });
    after.follow(() => deps.credentials.forgetKey(id));
  });
}

const isOwn = (actor: Actor, key: ListedKey): boolean =>
  key.kind === "pat" && isPerson(actor) && key.user_id === actor.userId;

/** @throws AppError `forbidden` for scopes that the actor lacks */
export function refuseForeignScopes(actor: Pick<Actor, "scopes">, wanted: readonly Scope[]): void {
  const lacking = wanted.filter((scope) => !actor.scopes.has(scope));
  if (lacking.length > 0)
    throw new AppError(
      "forbidden",
      `A key cannot be given scopes that its maker lacks: ${lacking.join(", ")}.`,
    );
}

/**
 * A token that acts as a person is made by that person. A key that may do everything stands for its maker too: it is the one
 * of `credentials.json`, whose holder signs in as they like. A personal token makes no other, so that it ends when it ends.
 * @throws AppError `forbidden`
 */
function requirePersonOf(actor: Actor): void {
  if (actor.type === "session") return;
  if (actor.type === "api_key" && actor.userId !== null && SCOPES.every((scope) => actor.scopes.has(scope)))
    return;
  throw new AppError(
    "forbidden",
    `A ${NAMES.pat} is made by the person whose it is: sign in, or use a key of theirs that carries every scope.`,
  );
}

function personalExpiry(text: string | null | undefined, now: number): number {
  if (text === null) throw invalid(`A ${NAMES.pat} always expires: leave "expires_at" out for 90 days.`);
  const at = expiry(text, now) ?? now + PERSONAL_TOKEN_MS;
  if (at > now + LONGEST_PERSONAL_TOKEN_MS)
    throw invalid(`The body's field "expires_at" of a ${NAMES.pat} may lie 366 days ahead at most.`);
  return at;
}

/** @throws AppError `invalid_request` for what is no time, or has passed */
export function expiry(text: string | null | undefined, now: number): number | null {
  if (text === null || text === undefined) return null;
  const at = fromIso(text);
  if (at === null) throw invalid(`The body's field "expires_at" must be an ISO 8601 time.`);
  if (at <= now) throw invalid(`The body's field "expires_at" must lie in the future.`);
  return at;
}
