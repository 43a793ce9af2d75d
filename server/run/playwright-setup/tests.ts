import type { Edited } from "./config.ts";
import { bare, type Expression, readSource, type Source } from "./source.ts";

const FIXTURE = "tracedeck-fixture.cjs";

/** Whether a file makes a test object for others: `export const test = base.extend(…)`. */
export function isSharedTestFile(text: string): boolean {
  // Reading every file of a project takes long; most say neither word.
  if (!text.includes("@playwright/test") || !/\bextend\b/.test(text)) return false;
  const source = readSource(text);
  return source !== null && extendedTest(source) !== null;
}

/**
 * Wraps the test object of a shared test file, so that every test that imports it is captured natively too.
 * @param fixture folder of the fixture as the file would import it: `.`, `../..`
 */
export function addToTests(text: string, fixture: string): Edited {
  const source = readSource(text);
  const test = source && extendedTest(source);
  if (!source || !test) return { problem: "it exports no `test` made by `extend` in plain sight" };
  const said = source.text.slice(test.start!, test.end!);
  if (/\bwithTracedeck\s*\(/.test(said)) return { text, added: [] };
  if (!source.isModule) return { problem: "it has no imports" };
  source.put(test.start!, test.end!, `withTracedeck(${said})`);
  const imports = source.statements.filter(({ type }) => type === "ImportDeclaration");
  const place = imports.at(-1)?.end ?? 0;
  const { quote } = source;
  const line = `import { withTracedeck } from ${quote}${fixture}/${FIXTURE}${quote};`;
  source.put(place, place, place === 0 ? `${line}\n` : `\n${line}`);
  const edited = source.edited();
  return edited === null ? { problem: "the lines do not fit into it" } : { text: edited, added: ["test"] };
}

/** What `test` is made by where the file exports it. */
function extendedTest({ statements }: Source): Expression | null {
  const exported = new Set<string>();
  for (const statement of statements)
    if (statement.type === "ExportNamedDeclaration" && !statement.source)
      for (const specifier of statement.specifiers)
        if (specifier.type === "ExportSpecifier" && (specifier.local as { name?: string }).name === "test")
          exported.add("test");
  for (const statement of statements) {
    const isExport = statement.type === "ExportNamedDeclaration";
    const declared = isExport ? statement.declaration : statement;
    if (declared?.type !== "VariableDeclaration" || (!isExport && !exported.has("test"))) continue;
    for (const { id, init } of declared.declarations) {
      const value = bare(init);
      if (id.type === "Identifier" && id.name === "test" && value && isMade(value)) return value;
    }
  }
  return null;
}

const isMade = (value: Expression): boolean =>
  value.type === "CallExpression" &&
  ((value.callee.type === "MemberExpression" &&
    value.callee.property.type === "Identifier" &&
    value.callee.property.name === "extend") ||
    (value.callee.type === "Identifier" && ["withTracedeck", "mergeTests"].includes(value.callee.name)));
