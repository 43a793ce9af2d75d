import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { compileScenario } from "../../../../server/run/language/compile.ts";
import { Frontmatter } from "../../../../server/run/language/frontmatter-schema.ts";
import { METHODS } from "../../../../server/run/language/http-words.ts";
import { readStep, VERB_NAMES } from "../../../../server/run/language/steps.ts";

const page = readFileSync(join(import.meta.dir, "../../../../server/run/language/LANGUAGE.md"), "utf8");
const block = (name: string): string =>
  new RegExp(`\`\`\`${name}\\n([\\s\\S]*?)\`\`\``).exec(page)?.[1] ?? "";
const examples = block("steps").trimEnd().split("\n");

test("every example of the language page is read by the parser, and every verb has one", () => {
  expect(examples.length).toBeGreaterThanOrEqual(VERB_NAMES.length);
  for (const line of examples) expect(() => readStep(line, 0)).not.toThrow();
  for (const verb of VERB_NAMES)
    expect([verb, examples.some((line) => line.startsWith(`${verb} `) || line === verb)]).toEqual([
      verb,
      true,
    ]);
  const file = { name: "page.scenario.md", text: block("scenario") };
  expect(compileScenario(file, () => null)).toMatchObject({
    scenario: { slug: "guest-checkout", steps: { length: 7 } },
    problems: [],
  });
});

test("every word of the examples is one of the grammar's, or a role or variable", () => {
  const grammar = block("ebnf");
  const words = new Set([...grammar.matchAll(/"([A-Za-z]+)"/g)].map(([, word]) => word));
  for (const method of METHODS) expect([method, words.has(method)]).toEqual([method, true]);
  for (const verb of VERB_NAMES)
    for (const word of verb.split(" ")) expect([word, words.has(word)]).toEqual([word, true]);
  const rules = [...grammar.matchAll(/^(\w+) +=/gm)].map(([, rule]) => rule);
  for (const rule of ["step", "action", "expectation", "target", "text", "reference", "duration"])
    expect(rules).toContain(rule);
});

test("every key of the frontmatter is explained", () => {
  for (const key of Object.keys(Frontmatter.properties))
    expect(page).toMatch(new RegExp(`^\\| \`${key}\` +\\|`, "m"));
});
