import type { Trx } from "../../../store/records/db.ts";
import {
  externalAccountsOf,
  findExternalAccount,
  insertExternalAccount,
} from "../../../store/records/external-accounts.ts";
import { findUser, listMemberships } from "../../../store/records/identity.ts";
import { findUserByEmail } from "../../../store/records/users.ts";
import type { Deps } from "../../deps.ts";
import { AppError } from "../../http/errors.ts";
import { isSecure } from "../../http/guard.ts";
import { commit } from "../../jobs/commit.ts";
import { confirmHolder, type Kept } from "../account-holder.ts";
import { auditAct } from "../audit.ts";
import { isMailAddress } from "../mail/address.ts";
import { safeNext } from "../next-path.ts";
import { firstOrgId } from "../orgs.ts";
import {
  type ExternalIdentity,
  type Provider,
  ProviderRefusalError,
  ProviderUnreachableError,
} from "../providers/provider.ts";
import { publicBase } from "../public-base.ts";
import { type Device, deviceOf, openSession } from "../sessions/open.ts";
import { flowCookie, readFlow } from "./flow-cookie.ts";
import { homeOf, isOfVerifiedDomain, isSsoEnforced, refuseBesideSso } from "./home.ts";
import { invitationOf, joinByDomain, joinByInvitation } from "./join.ts";

export type ProviderKind = Provider["kind"];

const PATHS: Record<ProviderKind, string> = { sso: "/signin/sso", code_host: "/signin/code-host" };
const RETRY_SECONDS = 60;

/** Where a provider sends people back to; it has to be told so. */
export const callbackOf = (deps: Pick<Deps, "config">, kind: ProviderKind): string =>
  `${publicBase(deps)}${PATHS[kind]}/callback`;

/**
 * Sends a browser to a provider.
 * @throws AppError `not_found` where none is configured, `sso_unavailable`
 */
export async function goToProvider(
  deps: Deps,
  kind: ProviderKind,
  next: string | undefined,
  request: Request,
): Promise<{ location: string; cookie: string | null }> {
  const provider = providerOf(deps, kind);
  const base = publicBase(deps);
  // The browser comes back to the public address, and brings the cookie of that name alone.
  if (new URL(base).hostname !== nameAsked(request))
    return {
      location: `${base}${PATHS[kind]}?${new URLSearchParams({ next: safeNext(next) })}`,
      cookie: null,
    };
  deps.anonymousLimits.take("sign_in", request);
  const redirectUri = callbackOf(deps, kind);
  const { url, proof } = await provider.begin(redirectUri).catch((error: unknown) => {
    throw told(deps, provider, error);
  });
  const flow = { kind, ...proof, redirectUri, next: safeNext(next) };
  return { location: url.href, cookie: flowCookie(deps, flow, isSecure(request, deps.config)) };
}

const nameAsked = (request: Request): string =>
  URL.parse(`http://${request.headers.get("host") ?? ""}`)?.hostname ?? "";

/**
 * Opens a session for whoever comes back from a provider.
 * @throws AppError `unauthorized` for an answer that this browser did not ask for or that cannot be trusted, `forbidden` for
 * a person who has no account, `sso_unavailable`
 */
export async function comeBack(
  deps: Deps,
  kind: ProviderKind,
  request: Request,
): Promise<{ token: string; next: string }> {
  const provider = providerOf(deps, kind);
  deps.anonymousLimits.check("failed_sign_in", request);
  const flow = readFlow(deps, request);
  if (flow?.kind !== kind) {
    deps.anonymousLimits.take("failed_sign_in", request);
    throw refused("This browser did not ask to sign in, or more than 10 minutes ago. Try again.");
  }
  const arrived = new URL(flow.redirectUri);
  arrived.search = new URL(request.url).search;
  const identity = await provider.finish(arrived, flow).catch((error: unknown) => {
    deps.anonymousLimits.take("failed_sign_in", request);
    throw told(deps, provider, error);
  });
  const token = await commit(deps, (trx, after) =>
    admit(deps, trx, after, identity, { kind, device: deviceOf(deps, request) }),
  );
  return { token, next: flow.next };
}

type Admitting = Parameters<typeof openSession>[2];

/** Finds the user that an identity stands for: by its subject, and the first time by an address that the provider has confirmed. */
async function admit(
  deps: Deps,
  trx: Trx,
  after: Admitting,
  identity: ExternalIdentity,
  how: { kind: ProviderKind; device: Device },
): Promise<string> {
  const { issuer, subject } = identity;
  const linked = await findExternalAccount(trx, issuer, subject);
  await confirmAddress(deps, trx, after, identity, { device: how.device, linkedTo: linked?.user_id ?? null });
  const invitedTo = await acceptInvited(deps, trx, after, identity, {
    ...how,
    holder: linked?.user_id ?? null,
  });
  const userId = linked?.user_id ?? (await link(deps, trx, after, identity, how));
  const user = await findUser(trx, userId);
  const orgId = invitedTo ?? (user && (await orgFor(trx, user, how.kind)));
  if (!orgId) throw noAccount();
  if (how.kind === "code_host") await refuseBesideSso(deps, trx, userId);
  return openSession(deps, trx, after, { userId, orgId, method: how.kind, device: how.device });
}

/** The provider's word confirms the address for whoever has it here, unless this account there is somebody else's here. */
async function confirmAddress(
  deps: Deps,
  trx: Trx,
  after: Admitting,
  { verifiedEmail, issuer, subject }: ExternalIdentity,
  { device, linkedTo }: { device: Device; linkedTo: string | null },
): Promise<void> {
  const user = verifiedEmail === null ? undefined : await findUserByEmail(trx, verifiedEmail);
  const orgId = user && (await homeOf(trx, user));
  if (!orgId || (linkedTo !== null && linkedTo !== user.id)) return;
  const who = { orgId, type: "system" as const, id: "tracedeck", ip: device.ip };
  await confirmHolder(deps, trx, after, { userId: user.id, who, kept: { external: { issuer, subject } } });
}

/**
 * Accepts the invitation of the address that a provider has confirmed, for whoever holds the account there.
 * @returns the org that they joined by it; null when there is none
 */
async function acceptInvited(
  deps: Deps,
  trx: Trx,
  after: Admitting,
  { verifiedEmail: email, name, issuer, subject }: ExternalIdentity,
  { kind, device, holder }: { kind: ProviderKind; device: Device; holder: string | null },
): Promise<string | null> {
  if (email === null || !isMailAddress(email)) return null;
  // The address may be another user's by now than whom the account was linked to.
  if (holder !== null && (await findUserByEmail(trx, email))?.id !== holder) return null;
  const invitation = await invitationOf(deps, trx, email, kind);
  if (!invitation) return null;
  const confirmedBy = { external: { issuer, subject } };
  await joinByInvitation(deps, trx, after, { invitation, name, ip: device.ip, confirmedBy });
  return invitation.org_id;
}

/** The identity provider is the first org's: it leads there and lets nobody in who is not its member. */
async function orgFor(
  trx: Trx,
  user: { id: string; default_org_id: string | null },
  kind: ProviderKind,
): Promise<string | null> {
  const home = await homeOf(trx, user);
  if (kind === "code_host" || home === null) return home;
  const first = await firstOrgId(trx);
  const orgs = await listMemberships(trx, user.id);
  return orgs.some(({ org_id }) => org_id === first) ? first : null;
}

async function link(
  deps: Deps,
  trx: Trx,
  after: Admitting,
  identity: ExternalIdentity,
  { kind, device }: { kind: ProviderKind; device: Device },
): Promise<string> {
  const { issuer, subject, verifiedEmail: email, name } = identity;
  if (email === null || !isMailAddress(email))
    throw new AppError(
      "forbidden",
      "The provider has not confirmed an address of yours. Confirm it there, then try again.",
    );
  const known = await findUserByEmail(trx, email);
  const userId =
    known?.id ?? (await newcomer(deps, trx, after, { email, name, ip: device.ip, confirmedBy: {} }, kind));
  if (userId === null) throw noAccount();
  const orgId = await orgFor(trx, known ?? { id: userId, default_org_id: null }, kind);
  if (orgId === null) throw noAccount();
  const others = await externalAccountsOf(trx, userId);
  // An address that was given to somebody else there must not bring the old one's account.
  if (others.some((account) => account.issuer === issuer))
    throw new AppError(
      "forbidden",
      "Another person of the provider signs in to the account with your address. Ask an admin to remove that account first.",
    );
  const at = deps.clock.now();
  if (!(await insertExternalAccount(trx, { issuer, subject, user_id: userId, created_at: at }))) {
    const other = await findExternalAccount(trx, issuer, subject);
    if (other) return other.user_id;
    throw refused("Somebody signed in with this account at the same moment. Try again.");
  }
  await auditAct(
    trx,
    { orgId, type: "system", id: "tracedeck", ip: device.ip },
    { at, action: "sso.link", target: userId, detail: { method: kind, issuer, subject } },
  );
  return userId;
}

/** Whoever has not been here and comes from a verified domain joins the first org. */
async function newcomer(
  deps: Deps,
  trx: Trx,
  after: Admitting,
  person: { email: string; name: string | null; ip: string | null; confirmedBy: Kept },
  kind: ProviderKind,
): Promise<string | null> {
  if (!isOfVerifiedDomain(deps, person.email) || (kind === "code_host" && isSsoEnforced(deps))) return null;
  const orgId = await firstOrgId(trx);
  return orgId && joinByDomain(deps, trx, after, { ...person, orgId });
}

function providerOf(deps: Deps, kind: ProviderKind): Provider {
  const provider = kind === "sso" ? deps.identityState.sso : deps.identityState.codeHost;
  if (provider) return provider;
  throw new AppError("not_found", "This server has no such way to sign in; settings.json names none.");
}

function told(deps: Deps, provider: Provider, error: unknown): unknown {
  if (error instanceof ProviderUnreachableError) {
    deps.log.warn("A provider that people sign in with does not answer", { provider: provider.name });
    const page = deps.config.settings.sso.status_page_url;
    const where = provider.kind === "sso" && page ? ` ${page} says whether it works.` : "";
    return new AppError(
      "sso_unavailable",
      `${provider.name} does not answer; try again in a minute.${where}`,
      {
        headers: { "retry-after": String(RETRY_SECONDS) },
      },
    );
  }
  if (!(error instanceof ProviderRefusalError)) return error;
  deps.log.info("A provider's answer was no sign-in", { provider: provider.name, reason: error.message });
  return refused(`${provider.name} did not sign you in. Try again.`);
}

const refused = (message: string) =>
  new AppError("unauthorized", message, { headers: { "www-authenticate": "Bearer" } });

const noAccount = () =>
  new AppError(
    "forbidden",
    "No account here has your address. Ask an admin of your organisation to invite you.",
  );
