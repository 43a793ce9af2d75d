import {
  putSecret,
  removeSecret,
  type SecretRow,
  secretsNamed,
  secretsOf,
} from "../../../store/records/secrets.ts";
import { AN_ORIGIN, webOrigin } from "../../../store/web-origin.ts";
import type { ConfiguredSecret } from "../../config.ts";
import type { Deps } from "../../deps.ts";
import { AppError, conflict, notFound } from "../../http/errors.ts";
import { type CommitDeps, commit } from "../../jobs/commit.ts";
import { toIso } from "../../platform/clock.ts";
import type { Actor } from "../actor.ts";
import { auditAct } from "../audit.ts";
import { isFirstOrg } from "../orgs.ts";
import { MAX_SECRETS, MAX_VALUE_BYTES, type NewSecret, type SecretView } from "./model.ts";
import { originsOf } from "./values.ts";

type SecretDeps = CommitDeps & Pick<Deps, "store" | "clock" | "config" | "vault">;

/** What settings.json and the environment give the runs of an org: all to the first one, nothing to others. */
export async function configuredFor(
  deps: Pick<Deps, "store" | "config">,
  orgId: string,
): Promise<Readonly<Record<string, ConfiguredSecret>>> {
  return (await isFirstOrg(deps, orgId)) ? deps.config.secrets : {};
}

/** The org's secrets by name, without their values; of each name the one that counts. */
export async function listSecrets(deps: SecretDeps, actor: Actor): Promise<{ items: SecretView[] }> {
  const configured = await configuredFor(deps, actor.orgId);
  const kept = await secretsOf(deps.store.records, actor.orgId, MAX_SECRETS);
  const items = [
    ...Object.entries(configured).map(([name, secret]) => configuredView(name, secret)),
    ...kept.filter(({ name }) => !Object.hasOwn(configured, name)).map(toView),
  ];
  return { items: items.sort((a, b) => (a.name < b.name ? -1 : 1)) };
}

/**
 * Keeps a secret of the actor's org, in the place of what had its name: value, origins, all of it.
 * @throws AppError `validation_failed` naming the field, `conflict` when settings.json or the environment has the name
 */
export async function setSecret(
  deps: SecretDeps,
  actor: Actor,
  name: string,
  wanted: NewSecret,
): Promise<{ secret: SecretView; isNew: boolean }> {
  const { orgId } = actor;
  await refuseConfigured(deps, orgId, name);
  requireValue(wanted.value);
  const origins = wanted.origins ? readOrigins(wanted.origins) : null;
  const now = deps.clock.now();
  return commit(deps, async (trx) => {
    const [known] = await secretsNamed(trx, orgId, [name]);
    const row: SecretRow = {
      org_id: orgId,
      name,
      sealed: deps.vault.seal({ orgId, name, origins }, wanted.value),
      origins: origins && JSON.stringify(origins),
      created_at: known?.created_at ?? now,
      updated_at: now,
    };
    if (!(await putSecret(trx, row, MAX_SECRETS)))
      throw wrong(`An org has at most ${MAX_SECRETS} secrets; remove one that is not needed any more.`);
    await auditAct(trx, actor, { at: now, action: "secret.set", target: name, detail: { origins } });
    return { secret: toView(row), isNew: known === undefined };
  });
}

/** @throws AppError `not_found`, `conflict` when settings.json or the environment has the name */
export async function deleteSecret(deps: SecretDeps, actor: Actor, name: string): Promise<void> {
  await refuseConfigured(deps, actor.orgId, name);
  const now = deps.clock.now();
  await commit(deps, async (trx) => {
    if (!(await removeSecret(trx, actor.orgId, name))) throw notFound(`The secret ${name}`);
    await auditAct(trx, actor, { at: now, action: "secret.delete", target: name });
  });
}

async function refuseConfigured(deps: SecretDeps, orgId: string, name: string): Promise<void> {
  const configured = await configuredFor(deps, orgId);
  if (!Object.hasOwn(configured, name)) return;
  const where =
    configured[name]?.source === "settings"
      ? "settings.json"
      : `the server's environment (TRACEDECK_SECRET_${name})`;
  throw conflict(
    `The secret ${name} comes from ${where}, which wins over what the API keeps: change it there, or take it out there first.`,
  );
}

function requireValue(value: string): void {
  if (Buffer.byteLength(value) > MAX_VALUE_BYTES)
    throw wrong(`The body's field "value" may have at most ${MAX_VALUE_BYTES} bytes in UTF-8.`);
  if (!value.isWellFormed()) throw wrong('The body\'s field "value" must be text that UTF-8 can hold.');
}

function readOrigins(given: readonly string[]): string[] {
  const origins = given.map((text, at) => {
    const origin = webOrigin(text);
    if (origin === null) throw wrong(`The body's field "origins.${at}" must be ${AN_ORIGIN}.`);
    return origin;
  });
  return [...new Set(origins)];
}

const wrong = (message: string) => new AppError("validation_failed", message);

function configuredView(name: string, { source, origins }: ConfiguredSecret): SecretView {
  return { name, source, origins: origins && [...origins], created_at: null, updated_at: null };
}

function toView(row: SecretRow): SecretView {
  return {
    name: row.name,
    source: "api",
    origins: originsOf(row),
    created_at: toIso(row.created_at),
    updated_at: toIso(row.updated_at),
  };
}
