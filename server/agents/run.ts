import type { Deps } from "../deps.ts";
import { rateLimited } from "../http/rate-limits.ts";
import { requireValue } from "../http/validation.ts";
import { requireScope } from "../identity/auth.ts";
import { told } from "../trace/fit.ts";
import type { Caller } from "./caller.ts";
import { explainError } from "./errors.ts";
import type { Tool } from "./tool.ts";

/** What agents call a trace when they have not read the schema. */
const ALIASES = ["id", "trace", "short_id", "url"];
const MOST_NAMED = 5;

/** A tool's answer in the form of MCP: structured, and the same as text for clients that read only that. */
export interface ToolResult {
  [key: string]: unknown;
  content: { type: "text"; text: string }[];
  structuredContent?: Record<string, unknown>;
  isError?: true;
}

/** Calls a tool as REST would be called: scope and limits first, then the arguments, then the wing's own service. */
export async function runTool(deps: Deps, caller: Caller, tool: Tool, given: unknown): Promise<ToolResult> {
  const args = withDigits(tool, withTraceId(tool, given ?? {}));
  const ignored = ignoredOf(tool, args);
  try {
    requireScope(caller.actor, tool.scope);
    if (tool.isWrite) takeWrite(deps, caller);
    requireValue("argument", tool.input, args);
    const answer = await tool.call(deps, caller, args as never);
    return {
      content: [text(JSON.stringify(answer)), ...(ignored === null ? [] : [text(ignored)])],
      structuredContent: answer as Record<string, unknown>,
    };
  } catch (error) {
    if (caller.signal.aborted) throw error;
    const { kind, message } = explainError(deps, tool, error);
    const reason = kind === "invalid_request" && ignored !== null ? `${message} ${ignored}` : message;
    return { content: [text(`${kind}: ${reason}`)], isError: true };
  }
}

const text = (said: string) => ({ type: "text" as const, text: said });

function takeWrite({ rateLimits }: Deps, { actor }: Caller): void {
  const taken = rateLimits.take(actor.orgId, "write");
  if (!taken.allowed) throw rateLimited("requests for this org", taken);
}

function withTraceId(tool: Tool, given: unknown): unknown {
  if (typeof given !== "object" || given === null || Array.isArray(given)) return given;
  if (!("trace_id" in tool.input.properties) || "trace_id" in given) return given;
  const alias = ALIASES.find((name) => name in given && !(name in tool.input.properties));
  if (alias === undefined) return given;
  const { [alias]: named, ...rest } = given as Record<string, unknown>;
  return { ...rest, trace_id: named };
}

/** The number of a step or a cursor is text that reads as a number: agents send it as one. */
function withDigits({ input }: Tool, args: unknown): unknown {
  if (typeof args !== "object" || args === null || Array.isArray(args)) return args;
  const isText = (name: string) =>
    (input.properties[name] as { type?: unknown } | undefined)?.type === "string";
  return Object.fromEntries(
    Object.entries(args).map(([name, value]) => [
      name,
      Number.isSafeInteger(value) && isText(name) ? String(value) : (value as unknown),
    ]),
  );
}

/**
 * What is not known is left aside, as MCP has it, but not in silence: an agent that misspelt a filter would take the answer
 * for a filtered one.
 */
function ignoredOf({ input }: Tool, args: unknown): string | null {
  if (typeof args !== "object" || args === null || Array.isArray(args)) return null;
  const unknown = Object.keys(args).filter((name) => !(name in input.properties));
  if (unknown.length === 0) return null;
  const named = unknown.slice(0, MOST_NAMED).map((name) => JSON.stringify(told(name, 60)));
  const more = unknown.length > MOST_NAMED ? ` and ${unknown.length - MOST_NAMED} more` : "";
  return `Left aside, since there is no such argument: ${named.join(", ")}${more}. There are: ${Object.keys(input.properties).join(", ")}.`;
}
