import { numberIn, type StackFrame, textIn } from "../event.ts";
import type { Context } from "./context.ts";
import { list, record, stackFrames } from "./shape.ts";

/** Gives the library's calls the stacks that a `.stacks` file holds: `{ files, stacks: [[id, [[file, line, column, function]]]] }`. */
export function applyStacks(context: Context, value: unknown): void {
  const { files, stacks } = record(value);
  const paths = list(files);
  for (const item of list(stacks)) {
    const [id, frames] = list(item);
    // Until version 9 calls were numbered.
    const action = context.actions.get(typeof id === "number" ? `call@${id}` : textIn(id));
    if (action && !action.stack) action.stack = framesOf(list(frames), paths);
  }
}

function framesOf(frames: unknown[], paths: unknown[]): StackFrame[] | undefined {
  return stackFrames(
    frames.map((frame) => {
      const [file, line, column, name] = list(frame);
      return { file: paths[numberIn(file)], line, column, function: name };
    }),
  );
}
