import { findBrowser } from "../../server/platform/browser.ts";
import { missingPackages } from "../helpers/packages.ts";

const mayInstall = process.getuid?.() === 0 && Bun.which("apt-get") !== null;

const SHELL = "chromium-headless-shell";
let isUpdated = false;

/**
 * Installs what the tests need and this machine lacks: a Chromium, and where the package manager may be used the programs
 * that some tests talk to. Tests whose program is still missing say how to get it.
 * @returns false when there is no browser, which nearly everything needs
 */
export function installNeeds(): boolean {
  const hasBrowser = findBrowser() !== null || installBrowser();
  const packages = missingPackages();
  if (packages.length > 0 && mayInstall) installPackages(["--no-install-recommends", ...packages]);
  // By itself: not every distribution has it, and the tests pass with Chromium as well, in twice the time.
  if (mayInstall && !Bun.which(SHELL)) installPackages(["--no-install-recommends", SHELL]);
  if (!hasBrowser)
    console.error(
      "The tests need a Chromium, and none could be installed. Install one (Debian: `apt-get install chromium`; " +
        "elsewhere: `bunx playwright-core install --with-deps chromium`), or name one in TRACEDECK_BROWSER, and run this again.",
    );
  return hasBrowser;
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
  if (!isUpdated) Bun.spawnSync(["apt-get", "update", "-qq"], options);
  isUpdated = true;
  Bun.spawnSync(["apt-get", "install", "-y", "-qq", ...names], options);
}
