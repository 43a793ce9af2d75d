import { type McpServer, ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import { Type } from "@sinclair/typebox";
import type { Deps } from "../deps.ts";
import { requireValue } from "../http/validation.ts";
import { requireScope } from "../identity/auth.ts";
import { tracePrompt } from "../trace/prompts/service.ts";
import type { Caller } from "./caller.ts";
import { explainError } from "./errors.ts";
import { standardSchema } from "./schema.ts";
import { FIND_A_TRACE, TraceId } from "./tools/shared.ts";
import { requireNamedTrace } from "./trace-reference.ts";

const Arguments = Type.Object({ trace_id: TraceId });
const PROMPT = { name: "why_did_this_fail", scope: ["traces:read"], whenMissing: FIND_A_TRACE } as const;

/** What a person picks in their client to hand a failure to the agent. */
export function registerPrompts(server: McpServer, deps: Deps, caller: Caller): void {
  server.registerPrompt(
    PROMPT.name,
    {
      title: "Why did this fail?",
      description: "A failed run with everything that is known of its cause, as a task for the agent.",
      argsSchema: standardSchema(Arguments),
    },
    async (args: unknown) => {
      try {
        requireScope(caller.actor, PROMPT.scope);
        requireValue("argument", Arguments, args);
        const { trace } = await requireNamedTrace(deps, caller, (args as { trace_id: string }).trace_id);
        const text = await tracePrompt(deps, trace, caller.publicOrigin, "member");
        return {
          description: "Why a recorded run failed",
          messages: [{ role: "user" as const, content: { type: "text" as const, text } }],
        };
      } catch (error) {
        const { kind, message } = explainError(deps, PROMPT, error);
        const code = kind === "internal" ? ProtocolErrorCode.InternalError : ProtocolErrorCode.InvalidParams;
        throw new ProtocolError(code, `${kind}: ${message}`);
      }
    },
  );
}
