import type { Deps } from "../deps.ts";
import { rateLimited } from "../http/rate-limits.ts";
import { requireValue } from "../http/validation.ts";
import { requireScope } from "../identity/auth.ts";
import type { Caller } from "./caller.ts";
import { explainError } from "./errors.ts";
import type { Tool } from "./tool.ts";

/** What agents call a trace when they have not read the schema. */
const ALIASES = ["id", "trace", "short_id", "url"];

/** A tool's answer in the form of MCP: structured, and the same as text for clients that read only that. */
export interface ToolResult {
  [key: string]: unknown;
  content: { type: "text"; text: string }[];
  structuredContent?: Record<string, unknown>;
  isError?: true;
}

/** Calls a tool as REST would be called: scope and limits first, then the arguments, then the wing's own service. */
export async function runTool(deps: Deps, caller: Caller, tool: Tool, given: unknown): Promise<ToolResult> {
  try {
    requireScope(caller.actor, tool.scope);
    if (tool.isWrite) takeWrite(deps, caller);
    const args = withTraceId(tool, given ?? {});
    requireValue("argument", tool.input, args);
    const answer = await tool.call(deps, caller, args as never);
    return {
      content: [{ type: "text", text: JSON.stringify(answer) }],
      structuredContent: answer as Record<string, unknown>,
    };
  } catch (error) {
    if (caller.signal.aborted) throw error;
    const { kind, message } = explainError(deps, tool, error);
    return { content: [{ type: "text", text: `${kind}: ${message}` }], isError: true };
  }
}

function takeWrite({ rateLimits }: Deps, { actor }: Caller): void {
  const taken = rateLimits.take(actor.orgId, "write");
  if (!taken.allowed) throw rateLimited("requests for this org", taken);
}

function withTraceId(tool: Tool, given: unknown): unknown {
  if (typeof given !== "object" || given === null || Array.isArray(given)) return given;
  if (!("trace_id" in tool.input.properties) || "trace_id" in given) return given;
  const alias = ALIASES.find((name) => name in given && !(name in tool.input.properties));
  return alias === undefined ? given : { ...given, trace_id: (given as Record<string, unknown>)[alias] };
}
