import { createTwoFilesPatch } from "diff";
import type { Action, CompiledStep } from "../../run/language/ast.ts";
import { readDocument } from "../../run/language/document.ts";
import { writeStep } from "./write-step.ts";

/** A change of a scenario's own steps. Numbers of steps are those of the compiled scenario before the change. */
export type StepEdit =
  | { kind: "replace"; step: number; action: Action }
  /** Before a step. */
  | { kind: "insert"; step: number; action: Action };

/**
 * The text of a scenario file with its steps changed; everything else stays byte for byte. Numbers that counted up before
 * count up after.
 * @param steps of the scenario before; null is returned for a step of another file, or one that cannot be written
 */
export function editSteps(
  text: string,
  steps: readonly CompiledStep[],
  edits: readonly StepEdit[],
): string | null {
  // Lines and, between them, how they end.
  const pieces = text.split(/(\r\n|\n|\r)/);
  const usual = pieces[1] ?? "\n";
  const document = readDocument(text);
  const isCounted = document.steps.every(({ text: line }, at) => numberOf(line) === at + 1);
  const written = new Map<number, { before: string[]; instead: string | null }>();
  for (const edit of edits) {
    const step = steps[edit.step - 1];
    if (!step || step.from !== null) return null;
    const source = writeStep(edit.action, edit.kind === "replace" ? step.within_ms : null);
    if (source === null) return null;
    const here = written.get(step.at.line) ?? { before: [], instead: null };
    if (edit.kind === "insert") here.before.push(source);
    else here.instead = source;
    written.set(step.at.line, here);
  }
  let number = 0;
  const stepLines = new Map(document.steps.map((line) => [line.line, line]));
  const result = pieces.map((line, at) => {
    const step = at % 2 === 0 ? stepLines.get(at / 2 + 1) : undefined;
    if (!step) return line;
    const { before = [], instead = null } = written.get(step.line) ?? {};
    const make = (content: string) => {
      number += 1;
      return (
        (isCounted ? renumbered(line.slice(0, step.offset), number) : line.slice(0, step.offset)) + content
      );
    };
    return [...before.map(make), make(instead ?? line.slice(step.offset))].join(usual);
  });
  return result.join("");
}

const numberOf = (line: string): number => Number(/^ {0,3}(\d+)/.exec(line)?.[1]);
const renumbered = (head: string, number: number): string => head.replace(/\d+/, String(number));

/** The unified diff of one file, as `git apply` takes it. @param path in the repository, with slashes */
export function diffOf(path: string, before: string, after: string): string {
  const patch = createTwoFilesPatch(`a/${path}`, `b/${path}`, before, after, "", "", { context: 3 });
  // The library puts a line of "=" first and blanks behind names.
  return patch.replace(/^=+\n/, "").replace(/^(---|\+\+\+) (.*?)\t?$/gm, "$1 $2");
}
