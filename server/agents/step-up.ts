import type { Actor } from "../identity/actor.ts";
import { AGENT_SCOPES, type AgentScope, expandScopes } from "../identity/scopes.ts";
import type { Tool } from "./tool.ts";

/**
 * What an agent should ask its person for, so that it can call the tool that a message calls: what it has, and the least scope
 * that opens the tool. Null where it has the right, where the person could not grant it, and for agents without a person.
 */
export function scopesToAsk(tools: readonly Tool[], actor: Actor, message: object): AgentScope[] | null {
  if (actor.type !== "oauth") return null;
  const tool = tools.find(({ name }) => name === calledTool(message));
  if (!tool || tool.scope.some((scope) => actor.scopes.has(scope))) return null;
  const opening = AGENT_SCOPES.map((scope) => ({ scope, gives: expandScopes([scope]) }))
    .filter(({ scope, gives }) => actor.grantable.has(scope) && tool.scope.some((one) => gives.has(one)))
    .sort((a, b) => a.gives.size - b.gives.size);
  if (!opening[0]) return null;
  return [...AGENT_SCOPES.filter((scope) => actor.scopes.has(scope)), opening[0].scope];
}

function calledTool(message: object): unknown {
  const { method, params } = message as { method?: unknown; params?: { name?: unknown } | null };
  return method === "tools/call" ? params?.name : undefined;
}
