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

const MEMBER_SCOPES: readonly Scope[] = [
  "traces:read",
  "traces:write",
  "traces:share",
  "runs:read",
  "runs:write",
  "incidents:read",
  "incidents:write",
  "mender:read",
  "scenarios:read",
  "mcp:debug",
];

const ROLE_SCOPES: Record<Role, ReadonlySet<Scope>> = {
  owner: expandScopes(SCOPES),
  admin: expandScopes(SCOPES),
  member: expandScopes(MEMBER_SCOPES),
  billing: expandScopes(["billing:read"]),
};

/** What a signed-in user may do (decisions, section 3). */
export function scopesOfRole(role: Role): ReadonlySet<Scope> {
  return ROLE_SCOPES[role];
}

/** Whether a person with that role may give it to an agent: the role has it, or all that it implies. */
export function isGrantable(role: Role, scope: AgentScope): boolean {
  const own = ROLE_SCOPES[role];
  const implied = IMPLIED[scope] ?? [];
  return own.has(scope) || (implied.length > 0 && implied.every((one) => own.has(one)));
}

/** What a person with that role can hand on of these scopes, with all that it implies: never more than the role has. */
export function scopesGranted(role: Role, granted: readonly AgentScope[]): ReadonlySet<Scope> {
  return expandScopes(granted.filter((scope) => isGrantable(role, scope)));
}
