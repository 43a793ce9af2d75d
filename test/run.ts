/**
 * What `npm test` is to other projects: makes sure that a browser and the other programs of the tests are there, runs every test
 * (or the files given as arguments), tells every failure once more at the end and closes with the line
 * `N passed, N failed`.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findBrowser } from "../server/platform/browser.ts";
import { createStrayErrors, tellFailures } from "./helpers/failure-report.ts";
import { missingPackages } from "./helpers/packages.ts";

/** Ten times and more what the slowest test takes on a machine that does nothing else. */
const TEST_TIMEOUT_MS = 120_000;
/** Bytes of output kept to find the closing summary in. */
const TAIL = 4096;

const mayInstall = process.getuid?.() === 0 && Bun.which("apt-get") !== null;
const hasBrowser = findBrowser() !== null || installBrowser();
const packages = missingPackages();
// Tests whose program is not there say how to get it.
if (packages.length > 0 && mayInstall) installPackages(["--no-install-recommends", ...packages]);
if (!hasBrowser) {
  console.error(
    "The tests need a Chromium, and none could be installed. Install one (Debian: `apt-get install chromium`; " +
      "elsewhere: `bunx playwright-core install --with-deps chromium`), or name one in TRACEDECK_BROWSER, and run this again.",
  );
  process.exit(1);
}

const root = join(import.meta.dir, "..");
const reports = mkdtempSync(join(tmpdir(), "tracedeck-tests-"));
const junit = join(reports, "junit.xml");
const run = Bun.spawn(
  [
    process.execPath,
    "test",
    "--parallel=2",
    `--timeout=${TEST_TIMEOUT_MS}`,
    "--reporter=junit",
    `--reporter-outfile=${junit}`,
    ...process.argv.slice(2),
  ],
  { stdio: ["ignore", "inherit", "pipe"], cwd: root },
);
const decoder = new TextDecoder();
const strays = createStrayErrors();
let tail = "";
for await (const chunk of run.stderr) {
  process.stderr.write(chunk);
  const text = decoder.decode(chunk, { stream: true });
  strays.take(text);
  tail = (tail + text).slice(-TAIL);
}
const exitCode = await run.exited;
const passed = figure("pass");
// A run that died without a failing test to its name, or that found no test, has failed all the same.
const failed = figure("fail") || Number(exitCode !== 0 || passed === 0);
const told = [...toldFailures(), ...strays.told()];
if (told.length > 0) console.error(`\nWhat failed, once more:\n\n${told.join("\n\n")}\n`);
rmSync(reports, { recursive: true, force: true });
if (passed === 0) console.error("No test passed: nothing was run, or nothing could be.");
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

/** A number of bun's closing summary. Its JUnit report is no substitute: files that fail to load are missing there. */
function figure(name: "pass" | "fail"): number {
  const lines = Bun.stripANSI(tail).matchAll(new RegExp(`^ *(\\d+) ${name}$`, "gm"));
  return Number([...lines].at(-1)?.[1] ?? 0);
}

/** A run that was killed leaves no report. */
function toldFailures(): string[] {
  if (!existsSync(junit)) return [];
  return tellFailures(readFileSync(junit, "utf8"), (file) => readFileSync(join(root, file), "utf8"));
}

function installBrowser(): boolean {
  if (mayInstall) installPackages(["chromium"]);
  else {
    console.log("No Chromium found; downloading Playwright's.");
    Bun.spawnSync([process.execPath, "x", "playwright-core", "install", "chromium"], {
      stdio: ["ignore", "inherit", "inherit"],
    });
  }
  return findBrowser() !== null;
}

function installPackages(names: string[]): void {
  console.log(`Installing Debian's ${names.filter((name) => !name.startsWith("-")).join(", ")}.`);
  const options = {
    stdio: ["ignore", "inherit", "inherit"] as ["ignore", "inherit", "inherit"],
    // In this runlevel no package starts a service of its own.
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive", RUNLEVEL: "1" },
  };
  Bun.spawnSync(["apt-get", "update", "-qq"], options);
  Bun.spawnSync(["apt-get", "install", "-y", "-qq", ...names], options);
}
