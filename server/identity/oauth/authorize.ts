import { findOrg } from "../../../store/records/identity.ts";
import {
  consentedScopes,
  isApprovedClient,
  putConsent,
  touchOAuthClient,
} from "../../../store/records/oauth-clients.ts";
import { insertGrant } from "../../../store/records/oauth-grants.ts";
import type { Role } from "../../../store/records/schema.ts";
import type { Deps } from "../../deps.ts";
import { OAuthError } from "../../http/oauth-error.ts";
import { type CommitDeps, commit } from "../../jobs/commit.ts";
import { auditAct } from "../audit.ts";
import type { Credential } from "../credentials/credential.ts";
import { createSecret, hashSecret } from "../key-secrets.ts";
import { type AgentScope, isGrantable } from "../scopes.ts";
import type { Demand, Target } from "./demand.ts";

type AuthorizeDeps = CommitDeps & Pick<Deps, "store" | "clock" | "ids" | "config">;

/** A person who is signed in, and from where. */
export interface Person {
  credential: Credential;
  userId: string;
  ip: string | null;
}

/** An org that a person may let a program into. */
export interface Choice {
  orgId: string;
  name: string;
  role: Role;
  /** What the person's role there lets the program have of what it asks for; at least one. */
  scopes: AgentScope[];
}

const CODE_MS = 60_000;
/** Orgs that the page offers. */
const MOST_CHOICES = 50;

/**
 * The orgs that a person can choose from, that of the session first.
 * @throws OAuthError `access_denied` when the roles there allow nothing of it
 */
export async function choicesOf(deps: AuthorizeDeps, person: Person, demand: Demand): Promise<Choice[]> {
  const { orgId: own, orgs } = person.credential;
  const ids = [own, ...[...orgs.keys()].filter((id) => id !== own)].slice(0, MOST_CHOICES);
  const choices: Choice[] = [];
  for (const orgId of ids) {
    const role = orgs.get(orgId)?.role;
    if (!role) continue;
    const scopes = demand.scopes.filter((scope) => isGrantable(role, scope));
    const org = scopes.length > 0 ? await findOrg(deps.store.records, orgId) : undefined;
    if (org) choices.push({ orgId, name: org.name, role, scopes });
  }
  if (choices.length === 0)
    throw new OAuthError("access_denied", "Your role lets no program have any of what this one asks for.");
  return choices;
}

/**
 * Why the person need not be asked: it has allowed the same before, or an admin has approved the program for everybody.
 * Only where it is for the org of the session; null when the person is to be asked.
 */
export async function knownAnswer(
  deps: AuthorizeDeps,
  person: Person,
  { client }: Target,
  demand: Demand,
  choices: readonly Choice[],
): Promise<{ choice: Choice; why: "remembered" | "approved" } | null> {
  const choice = choices.find(({ orgId }) => orgId === person.credential.orgId);
  if (!choice || demand.mustAsk) return null;
  const { records } = deps.store;
  if (mayApprove(deps) && (await isApprovedClient(records, choice.orgId, client.id)))
    return { choice, why: "approved" };
  const known = await consentedScopes(records, {
    orgId: choice.orgId,
    userId: person.userId,
    clientId: client.id,
  });
  return choice.scopes.every((scope) => known.includes(scope)) ? { choice, why: "remembered" } : null;
}

/** Whether admins may approve programs for their org (specification, section 5.3, rule 3). */
export function mayApprove({ config }: Pick<Deps, "config">): boolean {
  return config.settings.plan === "enterprise";
}

/**
 * Grants a program what a person has allowed, and returns the code that it trades for tokens.
 * @param why how the person came to allow it; what was asked now is remembered
 */
export async function grantCode(
  deps: AuthorizeDeps,
  person: Person,
  { client, redirectUri }: Target,
  { challenge, resource }: Demand,
  { choice, why }: { choice: Choice; why: "asked" | "remembered" | "approved" },
): Promise<string> {
  const { secret: code } = createSecret("oac", deps.ids);
  const now = deps.clock.now();
  const { orgId, scopes } = choice;
  const id = deps.ids.uuid();
  const of = { orgId, userId: person.userId, clientId: client.id };
  await commit(deps, async (trx) => {
    await insertGrant(trx, {
      id,
      org_id: orgId,
      user_id: person.userId,
      client_id: client.id,
      scopes: JSON.stringify(scopes),
      resource,
      redirect_uri: redirectUri,
      code_hash: hashSecret(code),
      code_challenge: challenge,
      code_expires_at: now + CODE_MS,
      created_at: now,
      expires_at: now + CODE_MS,
    });
    if (why === "asked") {
      const before = await consentedScopes(trx, of);
      await putConsent(trx, of, [...new Set([...before, ...scopes])], now);
    }
    await touchOAuthClient(trx, client.id, now);
    await auditAct(
      trx,
      { orgId, ...person.credential.principal, ip: person.ip },
      {
        at: now,
        action: "oauth_grant.consent",
        target: id,
        detail: { client_id: client.clientId, client: client.name, user_id: person.userId, scopes, why },
      },
    );
  });
  return code;
}
