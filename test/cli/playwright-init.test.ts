import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type PlaywrightProject, playwrightProject } from "../helpers/playwright-project.ts";
import { runProgram } from "../helpers/program.ts";

setDefaultTimeout(240_000);

const made: PlaywrightProject[] = [];
afterAll(() => {
  for (const project of made) project.remove();
});

const SPEC = `import { expect, test } from "IMPORT";
test("adds", async ({ page }) => { await page.setContent("<b>1</b>"); await expect(page.locator("b")).toHaveText("1"); });
`;
const HOW = `use: { launchOptions: LAUNCH }, workers: 1,`;

/** A project of a person who has not heard of Tracedeck yet, whose config is of some shape. */
async function fresh(
  config: (how: string) => string,
  name = "playwright.config.ts",
): Promise<PlaywrightProject> {
  const project = await playwrightProject();
  made.push(project);
  const launch = /launchOptions":(\{.*?\})\}/.exec(
    readFileSync(join(project.folder, "playwright.config.ts"), "utf8"),
  )![1]!;
  for (const file of [
    "playwright.config.ts",
    "tracedeck-reporter.cjs",
    "tracedeck-fixture.cjs",
    "tracedeck-fixture.d.cts",
  ])
    rmSync(join(project.folder, file));
  project.write(name, config(HOW.replace("LAUNCH", launch)));
  project.write("shop.spec.ts", SPEC.replace("IMPORT", "@playwright/test"));
  return project;
}

const init = (folder: string, ...args: string[]) =>
  runProgram(["playwright", "init", folder, "--data", join(folder, ".data"), ...args]);

/** What cannot be sent waits: the reporter was asked, with a trace. */
async function runs(project: PlaywrightProject): Promise<void> {
  const { code, output } = await project.run([], {
    TRACEDECK_URL: "http://127.0.0.1:9",
    TRACEDECK_KEY: "none",
  });
  expect(output).toContain("1 passed");
  expect(output).toContain("1 kept for later");
  expect(code).toBe(0);
}

test.each([
  [
    "defineConfig",
    "playwright.config.ts",
    (how: string) =>
      `import { defineConfig } from "@playwright/test";\nexport default defineConfig({\n  testDir: ".",\n  ${how}\n});\n`,
  ],
  [
    "module.exports",
    "playwright.config.js",
    (how: string) => `const config = { reporter: 'dot', ${how} };\nmodule.exports = config;\n`,
  ],
  [
    "a typed constant",
    "playwright.config.mts",
    (how: string) =>
      `import type { PlaywrightTestConfig } from "@playwright/test";\nconst config: PlaywrightTestConfig = {\n  reporter: process.env.CI ? "dot" : [["line"]],\n  ${how}\n};\nexport default config;\n`,
  ],
])("the lines are added to a config with %s, once, and the tests run with them", async (_, name, config) => {
  const project = await fresh(config, name);
  const first = await init(project.folder, "--edit");
  expect(first.stdout).toContain(`edited ${join(project.folder, name)}: the reporter and traces`);
  expect(first.stdout).toContain("It needs a server, and none runs here.");
  const text = readFileSync(join(project.folder, name), "utf8");
  const again = await init(project.folder, "--edit");
  expect(again.stdout).toContain(`ready ${join(project.folder, name)}`);
  expect(readFileSync(join(project.folder, name), "utf8")).toBe(text);
  await runs(project);
});

test("a mode that leaves no trace of a test that is not retried is told", async () => {
  const template = () => `export default { use: { trace: "on-first-retry" } };\n`;
  const { folder } = await fresh(template, "playwright.config.ts");
  const { stdout } = await init(folder, "--edit");
  expect(stdout).toContain('Its traces are "on-first-retry": a test that is not retried leaves none.');
  expect(readFileSync(join(folder, "playwright.config.ts"), "utf8")).toContain('trace: "on-first-retry"');
});

test("the one file that makes `test` is wrapped when that is asked for, and the tests run with it", async () => {
  const project = await fresh(
    (how) =>
      `import { defineConfig } from '@playwright/test';\nexport default defineConfig({ reporter: 'line', ${how} });\n`,
  );
  mkdirSync(join(project.folder, "support"));
  project.write(
    "support/test.ts",
    "import { test as base } from '@playwright/test';\nexport const test = base.extend<{ word: string }>({ word: async ({}, use) => use('x') });\nexport { expect } from '@playwright/test';\n",
  );
  project.write("shop.spec.ts", SPEC.replace("IMPORT", "./support/test"));
  const { stdout } = await init(project.folder, "--edit", "--edit-tests");
  expect(stdout).toContain(`edited ${join(project.folder, "support/test.ts")}: native capture`);
  const text = readFileSync(join(project.folder, "support/test.ts"), "utf8");
  expect(text).toContain("import { withTracedeck } from '../tracedeck-fixture.cjs';");
  expect((await init(project.folder, "--edit", "--edit-tests")).stdout).toContain("has native capture");
  expect(readFileSync(join(project.folder, "support/test.ts"), "utf8")).toBe(text);
  await runs(project);
});

test("a config that is computed is left alone, with the lines that it needs; without --edit nothing is changed", async () => {
  const computed = "import { make } from './make';\nexport default make();\n";
  const project = await fresh(() => computed);
  const { stdout, code } = await init(project.folder, "--edit");
  expect(code).toBe(0);
  expect(stdout).toContain("is yours to edit, since the object of its settings is not in it in plain sight");
  expect(stdout).toContain("['./tracedeck-reporter.cjs']");
  expect(readFileSync(join(project.folder, "playwright.config.ts"), "utf8")).toBe(computed);
  const plain = "export default { reporter: 'list' };\n";
  project.write("playwright.config.ts", plain);
  expect((await init(project.folder)).stdout).toContain("or let --edit add them:");
  expect(readFileSync(join(project.folder, "playwright.config.ts"), "utf8")).toBe(plain);
});

test("what it needs is said: the key that is missing for an address", async () => {
  const project = await fresh(() => "export default {};\n");
  const asked = (env: Record<string, string>) => runProgram(["playwright", "init", project.folder], { env });
  expect((await asked({ TRACEDECK_URL: "https://t.example" })).stdout).toContain(
    "needs a key: set TRACEDECK_KEY",
  );
  expect((await asked({ TRACEDECK_URL: "https://t.example", TRACEDECK_KEY: "k" })).stdout).toContain(
    "with the key of TRACEDECK_KEY",
  );
});
