import type { CompiledScenario } from "../../run/language/ast.ts";

const ACTS = new Set([
  "go",
  "click",
  "double_click",
  "press",
  "check",
  "uncheck",
  "select",
  "request",
  "drag",
  "upload",
]);

/** The number of the last act up to a step that may have brought the page to where it is; what it sent is sent again. */
export function lastActUpTo({ steps }: Pick<CompiledScenario, "steps">, failed: number): number {
  const act = steps.findLast(({ index, action }) => index <= failed && ACTS.has(action.verb));
  return act?.index ?? Math.max(1, failed);
}
