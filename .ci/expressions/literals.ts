import { parse } from "@babel/parser";

/** A regular expression as it stands in a file. */
export interface Literal {
  path: string;
  line: number;
  source: string;
  flags: string;
}

/** Every regular expression literal of a file. @throws SyntaxError */
export function literalsOf(path: string, text: string): Literal[] {
  const plugins: ("typescript" | "jsx")[] = path.endsWith("x") ? ["typescript", "jsx"] : ["typescript"];
  const literals: Literal[] = [];
  const visit = (node: unknown): void => {
    if (typeof node !== "object" || node === null) return;
    if (isLiteral(node))
      literals.push({ path, line: node.loc.start.line, source: node.pattern, flags: node.flags });
    for (const [name, value] of Object.entries(node)) if (!BESIDE.has(name)) visit(value);
  };
  visit(parse(text, { sourceType: "module", plugins }).program);
  return literals;
}

/** What of a node is no part of the program. */
const BESIDE = new Set(["loc", "leadingComments", "innerComments", "trailingComments", "extra"]);

interface LiteralNode {
  pattern: string;
  flags: string;
  loc: { start: { line: number } };
}

const isLiteral = (node: object): node is LiteralNode => "type" in node && node.type === "RegExpLiteral";
