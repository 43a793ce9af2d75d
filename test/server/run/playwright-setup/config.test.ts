import { describe, expect, test } from "bun:test";
import { addToConfig, traceModeOf } from "../../../../server/run/playwright-setup/config.ts";
import { addToTests, isSharedTestFile } from "../../../../server/run/playwright-setup/tests.ts";

const OWN = `["./tracedeck-reporter.cjs"]`;

describe("the lines are added to a config of a usual shape, and nothing else changes", () => {
  test.each([
    [
      "defineConfig without reporter and use",
      'import { defineConfig } from "@playwright/test";\nexport default defineConfig({\n  testDir: "e2e",\n});\n',
      `import { defineConfig } from "@playwright/test";\nexport default defineConfig({\n  use: { trace: "on" },\n  reporter: [["list"], ${OWN}],\n  testDir: "e2e",\n});\n`,
    ],
    [
      "one reporter by name, in single quotes",
      "export default { reporter: 'html', use: { baseURL: 'http://x' } };",
      "export default { reporter: [['html'], ['./tracedeck-reporter.cjs']], use: { trace: 'on', baseURL: 'http://x' } };",
    ],
    [
      "a list of reporters over several lines, and a mode of traces that stays",
      'module.exports = {\n  reporter: [\n    ["line"],\n    ["html", { open: "never" }],\n  ],\n  use: { trace: "retain-on-failure" },\n};\n',
      `module.exports = {\n  reporter: [\n    ["line"],\n    ["html", { open: "never" }],\n    ${OWN},\n  ],\n  use: { trace: "retain-on-failure" },\n};\n`,
    ],
    [
      "a choice between two",
      'export default defineConfig({ reporter: process.env.CI ? "dot" : [["list"]], use: { trace: "on" } });',
      `export default defineConfig({ reporter: process.env.CI ? [["dot"], ${OWN}] : [["list"], ${OWN}], use: { trace: "on" } });`,
    ],
    [
      "a typed constant",
      "const config: PlaywrightTestConfig = { use: {}, reporter: [] };\nexport default config;",
      `const config: PlaywrightTestConfig = { use: { trace: "on" }, reporter: [${OWN}] };\nexport default config;`,
    ],
    [
      "an object that satisfies a type, traces off",
      'export default { reporter: [["list"]], use: { trace: "off" } } satisfies PlaywrightTestConfig;',
      `export default { reporter: [["list"], ${OWN}], use: { trace: "on" } } satisfies PlaywrightTestConfig;`,
    ],
  ])("%s", (_, text, wanted) => {
    const once = addToConfig(text.replaceAll("'", text.includes('"') ? '"' : "'"));
    expect(once).toMatchObject({ text: wanted });
    // Repeated, it adds nothing.
    expect(addToConfig(wanted)).toEqual({ text: wanted, added: [] });
  });
});

test("a mode of traces is told where it stands in plain sight", () => {
  const shared = 'const use = { trace: "on-first-retry" as const };\nexport default defineConfig({ use });';
  expect(traceModeOf(shared)).toBe("on-first-retry");
  expect(traceModeOf("module.exports = { use: { trace: 'retain-on-failure' } };")).toBe("retain-on-failure");
  for (const other of [
    "{}",
    "{ use: {} }",
    "{ use: { trace: process.env.CI ? 'on' : 'off' } }",
    "{ use: own() }",
  ])
    expect(traceModeOf(`export default ${other};`)).toBeNull();
  expect(traceModeOf("no config")).toBeNull();
});

test("what is computed elsewhere is left to its author", () => {
  for (const text of [
    "export default makeConfig();",
    "export default { ...base };",
    "export default { reporter: reporters(), use: {} };",
    "export default { reporter: 'list', use: shared };",
    "export default { reporter: 'list', use: { ...devices['Pixel 5'] } };",
    "export default {",
    "",
  ])
    expect(addToConfig(text)).toHaveProperty("problem");
});

test("a shared test file is known, wrapped once, and no other", () => {
  const shared =
    "import { test as base } from '@playwright/test';\nexport const test = base.extend<{ cart: Cart }>({\n  cart: async ({ page }, use) => use(new Cart(page)),\n});\nexport { expect } from '@playwright/test';\n";
  expect(isSharedTestFile(shared)).toBe(true);
  const wrapped = addToTests(shared, "..");
  expect(wrapped).toMatchObject({
    text: shared
      .replace("test';\n", "test';\nimport { withTracedeck } from '../tracedeck-fixture.cjs';\n")
      .replace("base.extend", "withTracedeck(base.extend")
      .replace("}\n);", "});")
      .replace("\n});", "\n}));"),
  });
  const { text } = wrapped as { text: string };
  expect(addToTests(text, "..")).toEqual({ text, added: [] });
  expect(isSharedTestFile("import { test } from '@playwright/test';\ntest('a', async () => {});")).toBe(
    false,
  );
  expect(isSharedTestFile("// extend @playwright/test\nexport const a = 1;")).toBe(false);
});
