import { readFileSync } from "node:fs";
import { dataFolder } from "../../store/data-folder.ts";
import type { Db, Records, Trx } from "../../store/records/db.ts";
import {
  findApiKeyByHash,
  findOrgBySlug,
  findOwner,
  insertApiKey,
  insertMembership,
  insertOrg,
  insertUser,
  listOrgs,
} from "../../store/records/identity.ts";
import type { Deps } from "../deps.ts";
import { conflict, invalid } from "../http/errors.ts";
import { writeFileAtomic } from "../platform/files.ts";
import { auditAct } from "./audit.ts";
import { createSecret, hashSecret, isWellFormedSecret, shownPart } from "./key-secrets.ts";
import { SCOPES } from "./scopes.ts";

/** `<data>/credentials.json`: how the CLI gets in. */
export interface CredentialsFile {
  url: string;
  org_id: string;
  user_id: string;
  api_key: string;
}

type Within = Trx;
type OrgDeps = Pick<Deps, "store" | "clock" | "ids">;

const SLUG = /^[a-z0-9][a-z0-9-]{0,63}$/;
/** The first org: what settings.json and the environment hold for runs is its own. */
const LOCAL = "local";
const SYSTEM = { type: "system" as const, id: "tracedeck" };

/**
 * Makes an org with an owner and a key that carries every scope.
 * @throws AppError `invalid_request` for a bad slug, `conflict` when the slug is taken
 */
export async function createOrg(deps: OrgDeps, slug: string): Promise<{ org_id: string; api_key: string }> {
  if (!SLUG.test(slug))
    throw invalid(
      `An org's slug has 1 to 64 of the characters a-z, 0-9 and "-", and does not begin with "-".`,
    );
  return deps.store.records.transaction().execute(async (trx) => {
    const made = await insertWholeOrg(deps, trx, slug);
    if (!made) throw conflict(`There is an org "${slug}" already.`);
    return { org_id: made.orgId, api_key: made.apiKey };
  });
}

/** The first org of this data folder: settings.json speaks of it where it speaks of an org. */
export async function firstOrgId(db: Db): Promise<string | null> {
  return (await findOrgBySlug(db, LOCAL))?.id ?? null;
}

/** Whether an org is the first one of this data folder. */
export async function isFirstOrg(deps: Pick<Deps, "store">, orgId: string): Promise<boolean> {
  return (await firstOrgId(deps.store.records)) === orgId;
}

/**
 * Makes sure that the org `local`, its owner and `credentials.json` exist, and returns what the file says. Two processes
 * may start at once: the database's write lock lets one of them do it.
 */
export async function ensureLocalOrg(
  deps: OrgDeps & { config: Pick<Deps["config"], "host" | "port"> },
): Promise<CredentialsFile> {
  const path = dataFolder(deps.store.files.address.root).credentials;
  const { records } = deps.store;
  const kept = readCredentials(path);
  if (kept && (await findApiKeyByHash(records, hashSecret(kept.api_key)))) return kept;
  return records.transaction().execute(async (trx) => {
    const found = readCredentials(path);
    if (found && (await findApiKeyByHash(trx, hashSecret(found.api_key)))) return found;
    const made =
      (await keyToLocalOrg(deps, trx)) ??
      (await insertWholeOrg(deps, trx, LOCAL)) ??
      // Another server made it in between.
      (await keyToLocalOrg(deps, trx));
    if (!made) throw new Error(`The org "${LOCAL}" has no owner.`);
    const file: CredentialsFile = {
      url: addressOf(deps.config.host, deps.config.port),
      org_id: made.orgId,
      user_id: made.userId,
      api_key: made.apiKey,
    };
    // Inside the transaction: a file without its key is replaced at the next start, a key without its file would be lost.
    writeCredentials(path, file);
    return file;
  });
}

/** The org that `credentials.json` stands for, as a new one where no record tells more. */
export function localOrg(
  kept: CredentialsFile | null,
  { clock, ids }: Pick<OrgDeps, "clock" | "ids">,
): { id: string; slug: string; name: string; created_at: number } {
  return { id: kept?.org_id ?? ids.uuid(), slug: LOCAL, name: LOCAL, created_at: clock.now() };
}

/**
 * Lets people in again after the records were made anew: every org gets an owner, `credentials.json` becomes valid again
 * by the hash of its key, and every other org gets a new key, since its old ones are lost.
 * @param path of `credentials.json`, which is written anew when its org has another id in the records
 * @returns the new keys; `isKept` when the key of `credentials.json` goes on
 */
export async function readmit(
  deps: Pick<OrgDeps, "clock" | "ids">,
  records: Records,
  path: string,
): Promise<{ isKept: boolean; keys: { slug: string; api_key: string }[] }> {
  const kept = readCredentials(path);
  const isKept = kept !== null && isWellFormedSecret(kept.api_key);
  return records.transaction().execute(async (trx) => {
    if (isKept && !(await findOrgBySlug(trx, LOCAL))) await insertOrg(trx, localOrg(kept, deps));
    const keys: { slug: string; api_key: string }[] = [];
    for (const org of await listOrgs(trx)) {
      const isLocal = org.slug === LOCAL;
      const userId = isLocal && isKept ? kept.user_id : deps.ids.uuid();
      await insertOwner(deps, trx, org, userId);
      if (!isLocal) keys.push({ slug: org.slug, api_key: await insertFullKey(deps, trx, org.id, userId) });
      else if (isKept) {
        await insertFullKey(deps, trx, org.id, userId, kept.api_key);
        if (kept.org_id !== org.id) writeCredentials(path, { ...kept, org_id: org.id });
      }
    }
    return { isKept, keys };
  });
}

/** What `credentials.json` says; null when it is missing or no such file. */
export function readCredentials(path: string): CredentialsFile | null {
  try {
    const found = JSON.parse(readFileSync(path, "utf8")) as Partial<CredentialsFile> | null;
    const { url, org_id, user_id, api_key } = found ?? {};
    const isWhole = [url, org_id, user_id, api_key].every((value) => typeof value === "string");
    return isWhole ? (found as CredentialsFile) : null;
  } catch (error) {
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

/** Replaces `credentials.json` whole, readable by its owner only. */
export function writeCredentials(path: string, file: CredentialsFile): void {
  writeFileAtomic(path, `${JSON.stringify(file, null, 2)}\n`, { mode: 0o600 });
}

/** How a server on that host and port is reached from this machine. */
export function addressOf(host: string, port: number): string {
  const isLocal = host === "127.0.0.1" || host === "0.0.0.0" || host === "::" || host === "::1";
  const name = isLocal ? "localhost" : host.includes(":") && !host.startsWith("[") ? `[${host}]` : host;
  return `http://${name}:${port}`;
}

async function insertOwner(
  deps: Pick<OrgDeps, "clock">,
  trx: Within,
  org: { id: string; slug: string },
  userId: string,
): Promise<void> {
  const now = deps.clock.now();
  await insertUser(trx, {
    id: userId,
    email: `owner@${org.slug}.invalid`,
    name: "Owner",
    password_hash: null,
    created_at: now,
  });
  await insertMembership(trx, { org_id: org.id, user_id: userId, role: "owner", created_at: now });
}

interface Access {
  orgId: string;
  userId: string;
  apiKey: string;
}

/** A new key of the first org's owner; null when there is no such org yet. */
async function keyToLocalOrg(deps: OrgDeps, trx: Within): Promise<Access | null> {
  const org = await findOrgBySlug(trx, LOCAL);
  const owner = org && (await findOwner(trx, org.id));
  if (!owner) return null;
  return { orgId: org.id, userId: owner.id, apiKey: await insertFullKey(deps, trx, org.id, owner.id) };
}

/** Null when the slug is taken. */
async function insertWholeOrg(deps: OrgDeps, trx: Within, slug: string): Promise<Access | null> {
  const now = deps.clock.now();
  const orgId = deps.ids.uuid();
  const userId = deps.ids.uuid();
  if (!(await insertOrg(trx, { id: orgId, slug, name: slug, created_at: now }))) return null;
  await insertOwner(deps, trx, { id: orgId, slug }, userId);
  await auditAct(
    trx,
    { orgId, ...SYSTEM, ip: null },
    { at: now, action: "org.create", target: orgId, detail: { slug } },
  );
  const apiKey = await insertFullKey(deps, trx, orgId, userId);
  return { orgId, userId, apiKey };
}

async function insertFullKey(
  deps: Pick<OrgDeps, "clock" | "ids">,
  trx: Within,
  orgId: string,
  userId: string,
  known?: string,
): Promise<string> {
  const now = deps.clock.now();
  const id = deps.ids.uuid();
  const { secret, prefix } =
    known === undefined ? createSecret("sk", deps.ids) : { secret: known, prefix: shownPart(known) };
  await insertApiKey(trx, {
    id,
    org_id: orgId,
    user_id: userId,
    kind: "sk",
    name: "credentials.json",
    prefix,
    hash: hashSecret(secret),
    scopes: JSON.stringify(SCOPES),
    created_at: now,
    expires_at: null,
    revoked_at: null,
    last_used_at: null,
  });
  await auditAct(
    trx,
    { orgId, ...SYSTEM, ip: null },
    { at: now, action: "api_key.create", target: id, detail: { name: "credentials.json" } },
  );
  return secret;
}
