import { type ParseResult, parse } from "@babel/parser";

type Program = ParseResult["program"];
export type Statement = Program["body"][number];
export type Expression = Extract<Statement, { type: "ExpressionStatement" }>["expression"];
export type ObjectExpression = Extract<Expression, { type: "ObjectExpression" }>;

/** A place in a text and what is to stand there. */
interface Edit {
  from: number;
  to: number;
  text: string;
}

/** A file as written by a person, taken apart, to which lines are added where they belong. */
export interface Source {
  text: string;
  statements: readonly Statement[];
  /** Whether it imports; else it requires. */
  isModule: boolean;
  /** The quotation mark that its author uses. */
  quote: string;
  put(from: number, to: number, text: string): void;
  /** The text with all that was put; null when that would be no program any more. */
  edited(): string | null;
}

const PLUGINS = ["typescript", "decorators-legacy", "importAttributes"] as const;

function statementsOf(text: string): Program | null {
  try {
    return parse(text, { sourceType: "unambiguous", plugins: [...PLUGINS] as never }).program;
  } catch {
    return null;
  }
}

/** Reads TypeScript or JavaScript; null when it is neither. */
export function readSource(text: string): Source | null {
  const program = statementsOf(text);
  if (!program) return null;
  const edits: Edit[] = [];
  return {
    text,
    statements: program.body,
    isModule: program.body.some(({ type }) => type === "ImportDeclaration" || type.startsWith("Export")),
    quote: /["']/.exec(text.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, ""))?.[0] ?? '"',
    put: (from, to, added) => edits.push({ from, to, text: added }),
    edited() {
      let done = text;
      for (const edit of edits.toSorted((a, b) => b.from - a.from))
        done = done.slice(0, edit.from) + edit.text + done.slice(edit.to);
      return statementsOf(done) ? done : null;
    },
  };
}

/** What is meant by `x as T`, `x satisfies T`, `(x)`, `x!`. */
export function bare(node: Expression | null | undefined): Expression | null {
  let at = node ?? null;
  while (
    at &&
    (at.type === "TSAsExpression" ||
      at.type === "TSSatisfiesExpression" ||
      at.type === "TSNonNullExpression" ||
      at.type === "ParenthesizedExpression")
  )
    at = at.expression;
  return at;
}

/** The value of a variable of the file's top level that is declared once and never assigned again; null for any other. */
export function constantOf({ statements }: Source, name: string): Expression | null {
  for (const statement of statements) {
    const declared =
      statement.type === "ExportNamedDeclaration" ? (statement.declaration ?? statement) : statement;
    if (declared.type !== "VariableDeclaration" || declared.kind !== "const") continue;
    for (const { id, init } of declared.declarations)
      if (id.type === "Identifier" && id.name === name) return bare(init);
  }
  return null;
}

/** A property of an object by its plain name. */
export function propertyOf(object: ObjectExpression, name: string) {
  return object.properties.find(
    (property) =>
      property.type === "ObjectProperty" &&
      !property.computed &&
      ((property.key.type === "Identifier" && property.key.name === name) ||
        (property.key.type === "StringLiteral" && property.key.value === name)),
  );
}

export const hasSpread = (object: ObjectExpression): boolean =>
  object.properties.some(({ type }) => type === "SpreadElement");

/** The white space at the beginning of the line of a place. */
export function indentAt(text: string, place: number): string {
  const start = text.lastIndexOf("\n", place - 1) + 1;
  return /^[ \t]*/.exec(text.slice(start))![0];
}
