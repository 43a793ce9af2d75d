import type { Role } from "../../store/records/schema.ts";

/** Every scope a key or token may carry (decisions, section 3). */
export const SCOPES = [
  "traces:read",
  "traces:write",
  "traces:share",
  "runs:read",
  "runs:write",
  "scheduled_checks:manage",
  "incidents:read",
  "incidents:write",
  "mender:read",
  "mender:apply",
  "scenarios:read",
  "audit:read",
  "keys:manage",
  "webhooks:manage",
  "billing:read",
  "scim:manage",
  "mcp:read",
  "mcp:write",
  "mcp:run",
  "mcp:clone:write",
  "mcp:trace:read",
  "mcp:debug",
  "mcp:explore",
  "mcp:act",
  "mcp:approve",
  "mcp:identity",
  "secrets:manage",
  "members:manage",
] as const;

export type Scope = (typeof SCOPES)[number];

/** What agents may be given by OAuth (specification, section 5.3). */
export const AGENT_SCOPES = [
  "mcp:read",
  "mcp:write",
  "mcp:run",
  "mcp:clone:write",
  "mcp:trace:read",
  "mcp:debug",
  "mcp:explore",
  "mcp:act",
  "mcp:approve",
  "mcp:identity",
] as const satisfies readonly Scope[];

export type AgentScope = (typeof AGENT_SCOPES)[number];

const IMPLIED: Partial<Record<Scope, readonly Scope[]>> = {
  "mcp:read": ["scenarios:read", "runs:read", "incidents:read", "traces:read"],
  "mcp:write": ["incidents:write", "runs:write"],
  "mcp:run": ["runs:write"],
  "mcp:trace:read": ["traces:read"],
};

/** The granted scopes and all that they imply. */
export function expandScopes(granted: readonly Scope[]): ReadonlySet<Scope> {
  return new Set(granted.flatMap((scope) => [scope, ...(IMPLIED[scope] ?? [])]));
}

/** What a role may do: the scopes of whoever has it, and the same in words. */
interface RoleRow {
  may: string;
  scopes: readonly Scope[];
}

/**
 * The one table of roles (decisions, section 3). An operation asks for a scope, which this table gives or does not; what no
 * scope opens asks for a role besides: `RESERVED`.
 */
export const ROLES: Record<Role, RoleRow> = {
  owner: { may: "everything", scopes: SCOPES },
  admin: { may: "everything but deleting or transferring the org", scopes: SCOPES },
  member: {
    may: "scenarios, runs, traces, incidents, chat; see fixes and reject them",
    scopes: [
      "traces:read",
      "traces:write",
      "traces:share",
      "runs:read",
      "runs:write",
      "incidents:read",
      "incidents:write",
      "mender:read",
      "scenarios:read",
      "mcp:read",
      "mcp:write",
      "mcp:run",
      "mcp:trace:read",
      "mcp:debug",
    ],
  },
  billing: { may: "plan and usage, and its own profile", scopes: ["billing:read"] },
};

/** What only some roles may do, whatever the scopes. */
export const RESERVED = {
  deleteOrg: ["owner"],
  transferOrg: ["owner"],
  /** Making owners, and taking that role away. */
  changeOwners: ["owner"],
  renameOrg: ["owner", "admin"],
} as const satisfies Record<string, readonly Role[]>;

/** Any of these shows that a credential has to do with more than the bill. */
export const BEYOND_BILLING: readonly Scope[] = SCOPES.filter((scope) => scope !== "billing:read");

const ROLE_SCOPES = new Map(
  Object.entries(ROLES).map(([role, { scopes }]) => [role as Role, expandScopes(scopes)]),
);

/** What a signed-in user may do (decisions, section 3). */
export function scopesOfRole(role: Role): ReadonlySet<Scope> {
  return ROLE_SCOPES.get(role)!;
}

/** Whether a person with that role may give it to an agent: the role has it, or all that it implies. */
export function isGrantable(role: Role, scope: AgentScope): boolean {
  const own = ROLE_SCOPES.get(role)!;
  const implied = IMPLIED[scope] ?? [];
  return own.has(scope) || (implied.length > 0 && implied.every((one) => own.has(one)));
}

/** What a person with that role can hand on of these scopes, with all that it implies: never more than the role has. */
export function scopesGranted(role: Role, granted: readonly AgentScope[]): ReadonlySet<Scope> {
  return expandScopes(granted.filter((scope) => isGrantable(role, scope)));
}
