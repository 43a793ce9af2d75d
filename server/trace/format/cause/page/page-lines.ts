import { cut, oneLine } from "../../error-text.ts";
import { addressOf } from "../words.ts";
import type { SeenElement } from "./page-view.ts";

const LINE = 200;
const DEEPEST = 12;

/** Whether a screen reader, or a test, would meet the element. */
export const isTold = ({ role, own, isHidden, attributes }: SeenElement): boolean =>
  !isHidden && (role !== "" || own !== "" || attributes["data-testid"] !== undefined);

/**
 * A page as a tree of roles and names, indented by what stands in what, in document order.
 * @param seenBy gets each element whole, with the number of its line from 0
 */
export function pageTree(
  elements: readonly SeenElement[],
  seenBy: (element: SeenElement, line: number) => SeenElement = (element) => element,
): string[] {
  const told = elements.filter(isTold);
  const indents = indentsOf(told);
  return told.map((element, line) => indents[line] + lineOf(seenBy(element, line)));
}

/** So many lines of the tree from one on, without what all of them stand in: a page has thousands. */
export function partOfTree(elements: readonly SeenElement[], from: number, most: number): string[] {
  const told = elements.filter(isTold);
  const indents = indentsOf(told).slice(from, from + most);
  const least = Math.min(...indents.map(({ length }) => length));
  return indents.map((indent, at) => indent.slice(least) + lineOf(told[from + at]!));
}

/** The white space before each line, by what its element stands in. */
function indentsOf(told: readonly SeenElement[]): string[] {
  const around: number[] = [];
  return told.map(({ depth }) => {
    while (around.length > 0 && around.at(-1)! >= depth) around.pop();
    const indent = "  ".repeat(Math.min(around.length, DEEPEST));
    around.push(depth);
    return indent;
  });
}

/** An element as its role, name and state. */
export function lineOf({ role, tag, name, own, attributes }: SeenElement): string {
  const said = role === "" || /^(?:list|row|table|main|navigation|form)$/.test(role) ? own : name;
  const states = [
    attributes["data-testid"] && `test id ${attributes["data-testid"]}`,
    "disabled" in attributes && "disabled",
    attributes["aria-disabled"] === "true" && "disabled",
    attributes["aria-invalid"] === "true" && "invalid",
    "checked" in attributes && "checked",
    attributes.value !== undefined && role === "textbox" && `value "${cut(oneLine(attributes.value), 60)}"`,
    role === "link" && attributes.href && `to ${addressOf(attributes.href, { authority: null })}`,
  ].filter(Boolean);
  return cut(
    `- ${role || tag}${said ? ` "${cut(oneLine(said), 100)}"` : ""}${states.length > 0 ? ` [${states.join(", ")}]` : ""}`,
    LINE,
  );
}
