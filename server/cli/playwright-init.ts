import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { createInterface } from "node:readline/promises";
import { dataFolder } from "../../store/data-folder.ts";
import { loadConfig } from "../config.ts";
import { readCredentials } from "../identity/orgs.ts";
import { isServerAt } from "../platform/api-client.ts";
import { writeFileAtomic } from "../platform/files.ts";
import { lockHolder } from "../platform/lock.ts";
import { readServerVariables } from "../platform/server-variables.ts";
import { readTerminal } from "../platform/terminal.ts";
import { addToConfig, type Edited, traceModeOf } from "../run/playwright-setup/config.ts";
import { addToTests, isSharedTestFile } from "../run/playwright-setup/tests.ts";
import type { CommonOptions } from "./options.ts";
import { printable, say, tone } from "./output.ts";

/** In the order in which Playwright looks for them. */
const CONFIGS = ["ts", "js", "mts", "mjs", "cts", "cjs"].map((end) => `playwright.config.${end}`);
const LEFT_OUT = /(^|[\\/])(node_modules|dist|build|playwright-report|test-results|\.[^\\/]+)[\\/]/;
/** Files beyond which a project is not searched for shared test files. */
const MOST_FILES = 5000;

const CONFIG_LINES = [
  "reporter: [['list'], ['./tracedeck-reporter.cjs']],",
  "use: { trace: 'on' },   // or 'retain-on-failure'",
];

const testLines = (fixture: string): string[] => [
  "import { test as base, expect } from '@playwright/test';",
  `import { withTracedeck } from '${fixture}/tracedeck-fixture.cjs';`,
  "export const test = withTracedeck(base);",
];

/** Adds the reporter to the config, where that is wanted, and says what is left to do. */
export async function setUpConfig(dir: string, isAsked: boolean): Promise<void> {
  const name = CONFIGS.find((one) => existsSync(resolve(dir, one)));
  if (!name)
    return tellLines(
      `In the Playwright config, of which there is none in ${printable(resolve(dir))}:`,
      CONFIG_LINES,
    );
  const path = join(dir, name);
  const edited = addToConfig(readFileSync(resolve(path), "utf8"));
  await apply(path, edited, { isAsked, what: "the reporter and traces", lines: CONFIG_LINES });
  const mode = traceModeOf(readFileSync(resolve(path), "utf8"));
  // Playwright's own template has it, with no retries outside of a CI.
  if (mode === "on-first-retry" || mode === "on-all-retries")
    say(
      `Its traces are "${mode}": a test that is not retried leaves none. With "retain-on-failure" every failed attempt leaves one.`,
    );
}

/** The same for the file that makes the `test` of a project; without one its tests need none. */
export async function setUpTests(dir: string, isAsked: boolean): Promise<void> {
  const files = sharedTestFiles(dir);
  if (files.length !== 1) {
    const where =
      files.length === 0
        ? "For native capture besides, which is live while the tests run: a file that they import `test` from"
        : `For native capture besides: where \`test\` is made (${files.map((file) => printable(file)).join(", ")})`;
    return tellLines(`${where}:`, testLines("."));
  }
  const path = join(dir, files[0]!);
  const back = relative(dirname(resolve(path)), resolve(dir)).replaceAll("\\", "/") || ".";
  const fixture = back.startsWith(".") ? back : `./${back}`;
  const edited = addToTests(readFileSync(resolve(path), "utf8"), fixture);
  const lines = [testLines(fixture)[1]!, "export const test = withTracedeck(base.extend({ … }));"];
  await apply(path, edited, { isAsked, what: "native capture", lines });
}

async function apply(
  path: string,
  edited: Edited,
  { isAsked, what, lines }: { isAsked: boolean; what: string; lines: string[] },
): Promise<void> {
  const file = printable(path);
  if ("problem" in edited)
    return tellLines(`${file} is yours to edit, since ${edited.problem}. It needs:`, lines);
  if (edited.added.length === 0) return say(`${tone("ready", "good")} ${file} has ${what}`);
  if (isAsked || (await agrees(`Add ${what} to ${file}?`))) {
    writeFileAtomic(resolve(path), edited.text, { mode: 0o644 });
    return say(`${tone("edited", "good")} ${file}: ${what}`);
  }
  tellLines(`In ${file}, or let --edit add them:`, lines);
}

function tellLines(where: string, lines: string[]): void {
  say();
  say(where);
  for (const line of lines) say(tone(`  ${line}`, "strong"));
}

/** A yes of a person at the terminal; no where there is none. */
async function agrees(question: string): Promise<boolean> {
  if (!readTerminal().isInteractive || process.stdin.isTTY !== true) return false;
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return /^(y|yes)?$/i.test((await terminal.question(`${question} [Y/n] `)).trim());
  } finally {
    terminal.close();
  }
}

function sharedTestFiles(dir: string): string[] {
  const found: string[] = [];
  let looked = 0;
  for (const file of new Bun.Glob("**/*.{ts,mts,js,mjs}").scanSync({ cwd: resolve(dir), onlyFiles: true })) {
    if (LEFT_OUT.test(`/${file}`)) continue;
    looked += 1;
    if (looked > MOST_FILES) break;
    if (isSharedTestFile(readFileSync(resolve(dir, file), "utf8"))) found.push(file);
  }
  return found.toSorted();
}

/** Where the reporter will send, and what is missing for it. */
export async function tellServer(options: CommonOptions): Promise<void> {
  const { url, key } = readServerVariables();
  say();
  if (url && key) return say(`It sends to ${printable(url)} (TRACEDECK_URL) with the key of TRACEDECK_KEY.`);
  if (url)
    return say(
      `It sends to ${printable(url)} (TRACEDECK_URL) and needs a key: set TRACEDECK_KEY to one with the scope traces:write.`,
    );
  const folder = dataFolder(loadConfig({ data: options.data }).dataDir);
  const here = lockHolder(folder.lock)?.url;
  if (here && readCredentials(folder.credentials) && (await isServerAt(here)))
    return say(`It sends to ${here}, the server on this machine, and needs nothing else.`);
  say(
    "It needs a server, and none runs here. Start one, or name one with its address and a key (traces:write):",
  );
  say(tone("  tracedeck serve", "strong"));
  say(tone("  TRACEDECK_URL=https://… TRACEDECK_KEY=…   # in CI: variables of the job", "strong"));
}
