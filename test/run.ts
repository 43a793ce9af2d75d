/**
 * What `npm test` is to other projects: makes sure that a browser is there, runs every test (or the files given as
 * arguments) and ends with the line `N passed, N failed`.
 */
import { join } from "node:path";
import { findBrowser } from "../server/platform/browser.ts";

/** Twenty times what the slowest test takes on a machine that does nothing else. */
const TEST_TIMEOUT_MS = 60_000;
/** Bytes of output kept to find the closing summary in. */
const TAIL = 4096;

const browser = findBrowser() ?? installBrowser();
if (!browser) {
  console.error(
    "The tests need a Chromium, and none could be installed. Install one (Debian: `apt-get install chromium`; " +
      "elsewhere: `bunx playwright-core install --with-deps chromium`), or name one in TRACEDECK_BROWSER, and run this again.",
  );
  process.exit(1);
}

const run = Bun.spawn(
  [process.execPath, "test", "--parallel=2", `--timeout=${TEST_TIMEOUT_MS}`, ...process.argv.slice(2)],
  {
    stdio: ["ignore", "inherit", "pipe"],
    cwd: join(import.meta.dir, ".."),
  },
);
const decoder = new TextDecoder();
let tail = "";
for await (const chunk of run.stderr) {
  process.stderr.write(chunk);
  tail = (tail + decoder.decode(chunk, { stream: true })).slice(-TAIL);
}
const exitCode = await run.exited;
const passed = figure("pass");
// A run that died without a failing test to its name, or that found no test, has failed all the same.
const failed = figure("fail") || Number(exitCode !== 0 || passed === 0);
if (passed === 0) console.error("No test passed: nothing was run, or nothing could be.");
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

/** A number of bun's closing summary. Its JUnit report is no substitute: files that fail to load are missing there. */
function figure(name: "pass" | "fail"): number {
  const lines = Bun.stripANSI(tail).matchAll(new RegExp(`^ *(\\d+) ${name}$`, "gm"));
  return Number([...lines].at(-1)?.[1] ?? 0);
}

function installBrowser(): string | null {
  if (process.getuid?.() === 0 && Bun.which("apt-get")) {
    console.log("No Chromium found; installing Debian's.");
    const options = {
      stdio: ["ignore", "inherit", "inherit"] as ["ignore", "inherit", "inherit"],
      env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
    };
    Bun.spawnSync(["apt-get", "update", "-qq"], options);
    Bun.spawnSync(["apt-get", "install", "-y", "-qq", "chromium"], options);
  } else {
    console.log("No Chromium found; downloading Playwright's.");
    Bun.spawnSync([process.execPath, "x", "playwright-core", "install", "chromium"], {
      stdio: ["ignore", "inherit", "inherit"],
    });
  }
  return findBrowser();
}
