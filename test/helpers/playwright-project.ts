import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findBrowser } from "../../server/platform/browser.ts";
import { loadPlaywrightFiles } from "../../server/run/playwright-build.ts";

const root = join(import.meta.dir, "..", "..");

export interface PlaywrightProject {
  folder: string;
  /** Writes a file of the project. */
  write(name: string, text: string): void;
  /** Runs `playwright test` in Node, as a person does, to its end. */
  run(args?: string[], env?: Record<string, string>): Promise<{ code: number; output: string; ms: number }>;
  remove(): void;
}

/**
 * A folder as `tracedeck playwright init` leaves it, with the real `@playwright/test` and a config. It runs one test at a time,
 * since each worker loads Playwright anew and has a browser of its own; a test that needs several at once says `--workers`.
 */
export async function playwrightProject(
  options: { reporter?: Record<string, unknown>; use?: Record<string, unknown>; config?: string } = {},
): Promise<PlaywrightProject> {
  const folder = mkdtempSync(join(tmpdir(), "tracedeck-playwright-"));
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  for (const [name, text] of Object.entries(await loadPlaywrightFiles())) write(name, text);
  const isRoot = process.getuid?.() === 0;
  const use = {
    trace: "on",
    launchOptions: { executablePath: findBrowser(), args: isRoot ? ["--no-sandbox"] : [] },
    ...options.use,
  };
  write("package.json", '{ "private": true }');
  write(
    "playwright.config.ts",
    `import { defineConfig } from "@playwright/test";
export default defineConfig({
  testDir: ".",
  workers: 1,
  fullyParallel: true,
  reporter: [["line"], ["./tracedeck-reporter.cjs", ${JSON.stringify(options.reporter ?? {})}]],
  use: ${JSON.stringify(use)},
  ${options.config ?? ""}
});
`,
  );
  return {
    folder,
    write,
    async run(args = [], env = {}) {
      const started = performance.now();
      const child = Bun.spawn(
        ["node", join(folder, "node_modules/@playwright/test/cli.js"), "test", ...args],
        {
          cwd: folder,
          env: { PATH: process.env.PATH!, HOME: "/nonexistent", TMPDIR: tmpdir(), ...env },
          stdio: ["ignore", "pipe", "pipe"],
        },
      );
      const [out, problems, code] = await Promise.all([
        new Response(child.stdout).text(),
        new Response(child.stderr).text(),
        child.exited,
      ]);
      return { code, output: Bun.stripANSI(out + problems), ms: performance.now() - started };
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
