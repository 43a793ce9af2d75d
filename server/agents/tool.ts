import type { Static, TObject } from "@sinclair/typebox";
import type { Deps } from "../deps.ts";
import type { Scope } from "../identity/scopes.ts";
import type { Caller } from "./caller.ts";

interface Definition<Input extends TObject, Output extends TObject> {
  name: string;
  title: string;
  /** What it is for and when to call it: all that an agent knows before it calls. */
  description: string;
  /** One of these scopes is asked of the credential, at every call. */
  scope: readonly Scope[];
  /** Whether it changes something: it then counts against the limit of writes as well. */
  isWrite?: boolean;
  /** What to do when what was named does not exist. */
  whenMissing?: string;
  input: Input;
  output: Output;
  call(deps: Deps, caller: Caller, args: Static<Input>): Promise<Static<Output>>;
}

/** A tool as both transports offer it. */
export type Tool = Omit<Definition<TObject, TObject>, "call"> & {
  /** @param args fit `input` */
  call(deps: Deps, caller: Caller, args: never): Promise<object>;
};

export const defineTool = <Input extends TObject, Output extends TObject>(
  definition: Definition<Input, Output>,
): Tool => definition;
