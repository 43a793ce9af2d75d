import { insertToolCall } from "../../../store/records/chats.ts";
import { storageFault } from "../../../store/storage-faults.ts";
import { AppError, type ErrorCode, errorBody } from "../../http/errors.ts";
import { closeSchema, requireValue } from "../../http/validation.ts";
import { ANSWER_BYTES, bytesOf, shortened } from "../fit.ts";
import { type Mask, masked } from "./mask.ts";
import type { ToolCall } from "./model.ts";
import { CHAT_TOOLS } from "./tools/all.ts";
import type { Sight } from "./tools/tool.ts";

/** Looks of one answer. */
export const MOST_LOOKS = 24;
const LONGEST_ARGUMENTS = 4_000;

/** What came of a look. */
export type Looked =
  | { ok: true; result: Record<string, unknown> }
  | { ok: false; error: string; message: string };

export interface Looks {
  /**
   * Calls a tool by its name, and writes that down where everybody sees it, before its result is used.
   * @param given arguments, as a model or the analyst gives them; a text that is no JSON is refused in words
   */
  look(name: string, given: unknown): Promise<Looked>;
  readonly count: number;
}

/** @param told gets each call once it is written down */
export function createLooks(
  sight: Sight,
  mask: Mask,
  { messageId, told }: { messageId: string; told: (call: ToolCall) => void },
): Looks {
  const { deps } = sight;
  let count = 0;

  async function call(name: string, given: unknown): Promise<Looked> {
    if (count > MOST_LOOKS)
      return failed(
        "invalid_request",
        `An answer looks at most ${MOST_LOOKS} times; answer with what is known.`,
      );
    const tool = CHAT_TOOLS.find((one) => one.name === name);
    if (!tool)
      return failed(
        "not_found",
        `There is no tool of this name. There are: ${CHAT_TOOLS.map((one) => one.name).join(", ")}.`,
      );
    try {
      requireValue("argument", closeSchema(tool.input), given);
      const result = masked(mask, await tool.look(sight, given as never)) as Record<string, unknown>;
      return {
        ok: true,
        result: bytesOf(result) <= ANSWER_BYTES ? result : (shortened(result) as typeof result),
      };
    } catch (error) {
      sight.signal.throwIfAborted();
      if (error instanceof AppError) return failed(error.kind, mask(error.message));
      const fault = storageFault(error);
      deps.log.error("a look at a trace failed", { tool: name, trace: sight.trace.id, error });
      return fault
        ? failed("unavailable", `${fault}.`)
        : failed("internal", "The server failed; its log tells why.");
    }
  }

  return {
    get count() {
      return count;
    },
    async look(name, given) {
      const began = deps.clock.monotonic();
      const position = count++;
      const looked = await call(name, given);
      const kept: ToolCall = {
        ...{ id: deps.ids.uuid(), name: name.slice(0, 100) },
        arguments:
          bytesOf(given) <= LONGEST_ARGUMENTS ? masked(mask, given ?? {}) : shortened(masked(mask, given)),
        result: looked.ok ? looked.result : { error: looked.error, message: looked.message },
        ...{ duration_ms: Math.round(deps.clock.monotonic() - began), ok: looked.ok },
      };
      await insertToolCall(deps.store.records, {
        ...{ id: kept.id, message_id: messageId, position, name: kept.name, duration_ms: kept.duration_ms },
        ...{
          arguments: JSON.stringify(kept.arguments),
          result: JSON.stringify(kept.result),
          ok: kept.ok ? 1 : 0,
        },
      });
      told(kept);
      return looked;
    },
  };
}

function failed(kind: ErrorCode, message: string): Looked {
  return { ok: false, ...errorBody(kind, message) };
}
