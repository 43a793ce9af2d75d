import type { Actor } from "../identity/actor.ts";
import type { AuthRequirement } from "../identity/auth.ts";

/** What writing scenarios asks for. Running them is not enough for an agent: it writes where a person let it (`mcp:write`). */
export const WRITE_SCENARIOS = {
  scope: "runs:write",
  agentScope: "mcp:write",
} as const satisfies AuthRequirement;

/** Whether somebody who may run scenarios may also write them. */
export function mayWriteScenarios({ type, scopes }: Pick<Actor, "type" | "scopes">): boolean {
  return type !== "oauth" || scopes.has(WRITE_SCENARIOS.agentScope);
}
