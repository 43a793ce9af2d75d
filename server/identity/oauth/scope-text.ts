import { OAuthError } from "../../http/oauth-error.ts";
import { AGENT_SCOPES, type AgentScope } from "../scopes.ts";

/** What an agent asks for that does not say: enough to find, explain and replay a failure. */
export const USUAL_SCOPES: readonly AgentScope[] = ["mcp:read", "mcp:run"];

/** What each scope lets an agent do, for the person who is asked. */
export const SCOPE_WORDS: Record<AgentScope, string> = {
  "mcp:read": "See traces, runs, scenarios and incidents",
  "mcp:write": "Change scenarios and incidents, and review fixes",
  "mcp:run": "Run scenarios and replay traces",
  "mcp:clone:write": "Start, change and stop cloud clones",
  "mcp:trace:read": "See traces",
  "mcp:debug": "Ask the AI debugger, which is billed",
  "mcp:explore": "Browse and map other sites",
  "mcp:act": "Do things on other sites that change them",
  "mcp:approve": "Ask for approvals of exact actions, and redeem them",
  "mcp:identity": "Set up test identities, and read their one-time codes and messages",
};

/**
 * The scopes of a `scope` parameter, in the order of the list; the usual ones where there is none.
 * @throws OAuthError `invalid_scope` for one that is not known
 */
export function readScopes(text: string | undefined): AgentScope[] {
  const asked = new Set((text ?? "").split(" ").filter((one) => one !== ""));
  if (asked.size === 0) return [...USUAL_SCOPES];
  const known = AGENT_SCOPES.filter((scope) => asked.delete(scope));
  if (asked.size > 0)
    throw new OAuthError("invalid_scope", `The parameter scope may have ${AGENT_SCOPES.join(", ")}.`);
  return known;
}
