import type { Static, TObject } from "@sinclair/typebox";
import type { TraceRow } from "../../../../store/records/traces.ts";
import type { Deps } from "../../../deps.ts";
import type { Actor } from "../../../identity/actor.ts";
import type { Diffs } from "../../diffs/service.ts";
import type { Clean } from "../../fit.ts";

/** What a chat may look at: one trace, as one of its org, and nothing else. */
export interface Sight {
  deps: Deps;
  trace: TraceRow;
  actor: Pick<Actor, "orgId">;
  diffs: Diffs;
  signal: AbortSignal;
  /** What was recorded goes through it whole, before a tool cuts it. */
  clean: Clean;
  /** Characters at the edge of a text that was cut which may be the rest of a secret. */
  reach: number;
}

interface Definition<Input extends TObject> {
  name: string;
  /** What it is for: all that a model knows before it calls. */
  description: string;
  input: Input;
  /** @throws AppError, whose message the caller of the tool is told */
  look(sight: Sight, args: Static<Input>): Promise<object>;
}

/** A way to look at the trace. None changes anything, and none takes the name of another trace. */
export type ChatTool = Omit<Definition<TObject>, "look"> & {
  /** @param args fit `input` */
  look(sight: Sight, args: never): Promise<object>;
};

export const defineChatTool = <Input extends TObject>(definition: Definition<Input>): ChatTool => definition;
