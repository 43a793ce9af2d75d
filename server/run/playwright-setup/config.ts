import {
  bare,
  constantOf,
  type Expression,
  hasSpread,
  indentAt,
  type ObjectExpression,
  propertyOf,
  readSource,
  type Source,
} from "./source.ts";

export const REPORTER = "./tracedeck-reporter.cjs";

/** A file after its lines were added, or why they were not: it has a shape that is not understood. */
export type Edited = { text: string; added: string[] } | { problem: string };

/**
 * Adds the reporter and `trace: 'on'` to a Playwright config. What is there stays: other reporters, another mode of traces.
 * Nothing is added that is there, and nothing is guessed: values that are computed elsewhere are left to their author.
 */
export function addToConfig(text: string): Edited {
  const source = readSource(text);
  if (!source) return { problem: "it could not be read as TypeScript or JavaScript" };
  const config = configOf(source);
  if (!config) return { problem: "the object of its settings is not in it in plain sight" };
  const added: string[] = [];
  const problem = addReporter(source, config, added) ?? addTrace(source, config, added);
  if (problem !== null) return { problem };
  if (added.length === 0) return { text, added };
  const edited = source.edited();
  return edited === null ? { problem: "the lines do not fit into it" } : { text: edited, added };
}

/** The mode of traces that a Playwright config names in plain sight; null for any other. */
export function traceModeOf(text: string): string | null {
  const source = readSource(text);
  const config = source && configOf(source);
  const use = config && propertyOf(config, "use");
  const settings = use?.type === "ObjectProperty" ? objectOf(source!, use.value as Expression) : null;
  const trace = settings && propertyOf(settings, "trace");
  const value = trace?.type === "ObjectProperty" ? bare(trace.value as Expression) : null;
  return value?.type === "StringLiteral" ? value.value : null;
}

/** What the file exports: `export default`, `module.exports =`, of an object, a `defineConfig(…)` or a constant of either. */
function configOf(source: Source): ObjectExpression | null {
  for (const statement of source.statements) {
    if (statement.type === "ExportDefaultDeclaration")
      return objectOf(source, statement.declaration as Expression);
    if (statement.type !== "ExpressionStatement") continue;
    const { expression } = statement;
    if (expression.type !== "AssignmentExpression" || expression.operator !== "=") continue;
    const { start, end } = expression.left;
    if (source.text.slice(start!, end!).replace(/\s/g, "") === "module.exports")
      return objectOf(source, expression.right);
  }
  return null;
}

function objectOf(source: Source, node: Expression, depth = 0): ObjectExpression | null {
  const value = bare(node);
  if (!value || depth > 3) return null;
  if (value.type === "ObjectExpression") return value;
  if (value.type === "Identifier") {
    const found = constantOf(source, value.name);
    return found && objectOf(source, found, depth + 1);
  }
  // Of `defineConfig(base, own)` the last one wins.
  if (value.type !== "CallExpression" || value.callee.type !== "Identifier") return null;
  const last = value.arguments.at(-1);
  return value.callee.name === "defineConfig" && last
    ? objectOf(source, last as Expression, depth + 1)
    : null;
}

/** @returns why it cannot be; null when it is there now */
function addReporter(source: Source, config: ObjectExpression, added: string[]): string | null {
  const own = `[${source.quote}${REPORTER}${source.quote}]`;
  const property = propertyOf(config, "reporter");
  if (!property) {
    if (hasSpread(config)) return "its reporters may come from what it spreads";
    const [open, close] = [source.quote, source.quote];
    insertProperty(source, config, `reporter: [[${open}list${close}], ${own}]`);
    added.push("reporter");
    return null;
  }
  if (property.type !== "ObjectProperty") return "its reporter is no plain value";
  const value = property.value as Expression;
  if (source.text.slice(value.start!, value.end!).includes("tracedeck-reporter")) return null;
  const problem = extendReporter(source, value, own);
  if (problem === null) added.push("reporter");
  return problem;
}

function extendReporter(source: Source, node: Expression, own: string, depth = 0): string | null {
  const value = bare(node);
  if (!value || depth > 3) return "its reporter is no plain value";
  if (value.type === "StringLiteral") {
    source.put(value.start!, value.end!, `[[${source.text.slice(value.start!, value.end!)}], ${own}]`);
    return null;
  }
  if (value.type === "ArrayExpression") {
    const last = value.elements.at(-1);
    const place = last ? last.end! : value.start! + 1;
    const isTall = last && source.text.slice(value.start!, last.start!).includes("\n");
    const gap = isTall ? `\n${indentAt(source.text, last.start!)}` : " ";
    source.put(place, place, last ? `,${gap}${own}` : own);
    return null;
  }
  if (value.type === "ConditionalExpression")
    return (
      extendReporter(source, value.consequent, own, depth + 1) ??
      extendReporter(source, value.alternate, own, depth + 1)
    );
  if (value.type === "Identifier") {
    const found = constantOf(source, value.name);
    if (found && source.text.slice(found.start!, found.end!).includes("tracedeck-reporter")) return null;
    if (found && found.type !== "Identifier") return extendReporter(source, found, own, depth + 1);
  }
  return "its reporter is no plain value";
}

function addTrace(source: Source, config: ObjectExpression, added: string[]): string | null {
  const on = `trace: ${source.quote}on${source.quote}`;
  const property = propertyOf(config, "use");
  if (!property) {
    if (hasSpread(config)) return "its `use` may come from what it spreads";
    insertProperty(source, config, `use: { ${on} }`);
    added.push("trace");
    return null;
  }
  const use = property.type === "ObjectProperty" ? objectOf(source, property.value as Expression) : null;
  if (!use) return "its `use` is no plain object";
  const trace = propertyOf(use, "trace");
  if (!trace) {
    if (hasSpread(use)) return "its `use` may have a `trace` in what it spreads";
    insertProperty(source, use, on);
    added.push("trace");
    return null;
  }
  const value = trace.type === "ObjectProperty" ? bare(trace.value as Expression) : null;
  if (value?.type === "StringLiteral" && value.value === "off") {
    source.put(value.start!, value.end!, `${source.quote}on${source.quote}`);
    added.push("trace");
  }
  return null;
}

/** Puts a property first in an object, in the way its others stand. */
function insertProperty(source: Source, object: ObjectExpression, text: string): void {
  const [first] = object.properties;
  const place = object.start! + 1;
  if (!first) {
    source.put(place, object.end! - 1, ` ${text} `);
    return;
  }
  const isTall = source.text.slice(place, first.start!).includes("\n");
  source.put(place, place, isTall ? `\n${indentAt(source.text, first.start!)}${text},` : ` ${text},`);
}
