import { recordAudit } from "../../../store/records/audit.ts";
import { someOrgIds } from "../../../store/records/identity.ts";
import {
  findOAuthClient,
  insertOAuthClient,
  type OAuthClientRow,
  pruneOAuthClients,
  updateOAuthClient,
} from "../../../store/records/oauth-clients.ts";
import type { Deps } from "../../deps.ts";
import { AppError } from "../../http/errors.ts";
import { OAuthError } from "../../http/oauth-error.ts";
import { type CommitDeps, commit } from "../../jobs/commit.ts";
import type { PeriodicTask } from "../../jobs/types.ts";
import { NetError } from "../../platform/net.ts";
import { type ClientMetadata, readClientMetadata } from "./client-metadata.ts";

type ClientDeps = CommitDeps & Pick<Deps, "store" | "clock" | "ids" | "config" | "net">;

/** A program as flows know it. */
export interface Client {
  /** Its id here. */
  id: string;
  /** What it calls itself. */
  clientId: string;
  name: string | null;
  redirectUris: readonly string[];
  /** The host that answers for a metadata document; null for a program that has registered itself. */
  documentHost: string | null;
}

/** All that are kept at once: registering needs no account. */
const MOST_CLIENTS = 10_000;
const UNUSED_MS = 90 * 24 * 60 * 60_000;
const MAX_DOCUMENT_BYTES = 32 * 1024;
const DOCUMENT_MS = 60 * 60_000;
const FETCH_MS = 5_000;
const MAX_CLIENT_ID = 500;

/**
 * Registers a program that says what it is (RFC 7591). Public clients only.
 * @throws OAuthError `invalid_client_metadata` or `invalid_redirect_uri`; AppError `unavailable` when no more are kept
 */
export async function registerClient(
  deps: ClientDeps,
  said: unknown,
  ip: string | null,
): Promise<{ client: Client; createdAt: number }> {
  const metadata = readClientMetadata(said);
  const id = deps.ids.uuid();
  const now = deps.clock.now();
  const row = await keepClient(deps, { id, clientId: id, metadata, readAt: null, ip, now });
  return { client: toClient(row), createdAt: now };
}

/**
 * The program with that client_id; where the operator allows it, an https address is read as its metadata document.
 * @param by.admit asked before anything is fetched for whoever comes; it may throw
 * @throws OAuthError `invalid_client` when there is none
 */
export async function requireClient(
  deps: ClientDeps,
  clientId: string,
  by: { ip: string | null; admit: () => void },
): Promise<Client> {
  if (clientId.length > MAX_CLIENT_ID) throw unknownClient();
  const kept = await findOAuthClient(deps.store.records, clientId);
  if (!/^https:/i.test(clientId)) {
    if (!kept) throw unknownClient();
    return toClient(kept);
  }
  if (!deps.config.settings.oauth.client_metadata_documents) throw unknownClient();
  const now = deps.clock.now();
  const age = kept ? now - kept.read_at! : Number.POSITIVE_INFINITY;
  if (kept && age >= 0 && age < DOCUMENT_MS) return toClient(kept);
  by.admit();
  const metadata = await readDocument(deps, clientId);
  if (!kept) {
    const row = { id: deps.ids.uuid(), clientId, metadata, readAt: now, ip: by.ip, now };
    return toClient(await keepClient(deps, row));
  }
  const change = { name: metadata.name, redirect_uris: JSON.stringify(metadata.redirectUris), read_at: now };
  await updateOAuthClient(deps.store.records, kept.id, change);
  return toClient({ ...kept, ...change });
}

/** Programs that nobody has used for 90 days are forgotten. */
export function clientsTask({ store, clock }: Pick<Deps, "store" | "clock">): PeriodicTask {
  return {
    name: "unused agents",
    everyMs: 60 * 60_000,
    of: "store",
    run: () => pruneOAuthClients(store.records, clock.now() - UNUSED_MS),
  };
}

/** The same for one that never was and one that has expired. It is nobody's business which. */
export const unknownClient = () =>
  new OAuthError("invalid_client", "The client_id is not known, or has expired: register again.");

async function keepClient(
  deps: ClientDeps,
  options: {
    id: string;
    clientId: string;
    metadata: ClientMetadata;
    readAt: number | null;
    ip: string | null;
    now: number;
  },
): Promise<OAuthClientRow> {
  const { id, clientId, metadata, readAt, ip, now } = options;
  const row: OAuthClientRow = {
    id,
    client_id: clientId,
    name: metadata.name,
    redirect_uris: JSON.stringify(metadata.redirectUris),
    created_at: now,
    used_at: now,
    read_at: readAt,
  };
  await commit(deps, async (trx) => {
    if (!(await insertOAuthClient(trx, row, MOST_CLIENTS)))
      throw new AppError("unavailable", `No more than ${MOST_CLIENTS} clients are kept: try again later.`);
    // No org is asked when a program registers: the chain of the first one is that of the server itself.
    const [orgId] = await someOrgIds(trx);
    await recordAudit(trx, {
      orgId: orgId!,
      at: now,
      actor: { type: "oauth_client", id },
      action: "oauth_client.register",
      target: id,
      ip,
      detail: { client_id: cut(clientId), name: metadata.name && cut(metadata.name), ...placesOf(metadata) },
    });
  });
  return (await findOAuthClient(deps.store.records, clientId)) ?? row;
}

const cut = (text: string) => text.slice(0, 60);

/** Where a program is answered, in few bytes: whoever registers needs no account, and what is audited stays for good. */
function placesOf({ redirectUris }: ClientMetadata): { redirects: number; places: string[] } {
  const places = redirectUris.map((uri) => {
    const { protocol, host } = new URL(uri);
    return cut(protocol === "https:" || protocol === "http:" ? host : protocol).slice(0, 40);
  });
  return { redirects: redirectUris.length, places: [...new Set(places)].slice(0, 2) };
}

/** @throws OAuthError `invalid_client` when the address gives no metadata document of its own */
async function readDocument({ net }: Pick<Deps, "net">, clientId: string): Promise<ClientMetadata> {
  const url = URL.parse(clientId);
  const isDocument =
    url?.protocol === "https:" &&
    url.href === clientId &&
    url.pathname !== "/" &&
    url.username + url.password + url.hash === "";
  if (!isDocument) throw refused("it must be a plain https address with a path");
  try {
    const signal = AbortSignal.timeout(FETCH_MS);
    const response = await net.get(clientId, { signal, maxBytes: MAX_DOCUMENT_BYTES });
    const said = (await response.json()) as { client_id?: unknown } | null;
    if (said?.client_id !== clientId) throw refused("its client_id is another one");
    return readClientMetadata(said);
  } catch (error) {
    if (error instanceof OAuthError) throw refused(error.message);
    if (error instanceof NetError) throw refused(error.message);
    if (error instanceof SyntaxError) throw refused("it is not JSON");
    if (error instanceof DOMException) throw refused("it did not come in time");
    throw error;
  }
}

const refused = (why: string) =>
  new OAuthError("invalid_client", `The client's metadata document cannot be used: ${why}`);

function toClient(row: OAuthClientRow): Client {
  return {
    id: row.id,
    clientId: row.client_id,
    name: row.name,
    redirectUris: JSON.parse(row.redirect_uris) as string[],
    documentHost: row.read_at === null ? null : new URL(row.client_id).host,
  };
}
