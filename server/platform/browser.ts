import { existsSync, readdirSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "msedge"];

/** A browser to run; or why there is none, as a sentence, and whether one was named. */
export type FoundBrowser = { path: string } | { path: null; missing: string; isNamed: boolean };

/**
 * The browser of the setting `browser.executable`, else what `findBrowser` finds. One that was named and is not there is told by
 * its path: no other stands in for it.
 */
export function chooseBrowser(executable: string | null): FoundBrowser {
  const given = process.env.TRACEDECK_BROWSER;
  const [named, by] = executable
    ? [executable, "The setting browser.executable"]
    : [given, "TRACEDECK_BROWSER"];
  if (named)
    return isFile(named)
      ? { path: named }
      : { path: null, missing: `${by} names ${named}, and there is no such file.`, isNamed: true };
  const path = findBrowser();
  if (path) return { path };
  return {
    path: null,
    isNamed: false,
    missing: "There is no browser here: install Chromium, Chrome or Edge, or name one in TRACEDECK_BROWSER.",
  };
}

const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;

/**
 * Absolute path of a Chromium that is installed here: `TRACEDECK_BROWSER`, one on the PATH, one in its usual place, or
 * the newest that Playwright downloaded. Null when there is none.
 */
export function findBrowser(): string | null {
  const given = process.env.TRACEDECK_BROWSER;
  if (given) return existsSync(given) ? given : null;
  for (const name of NAMES) {
    const path = Bun.which(name);
    if (path) return path;
  }
  return [...usualPlaces(), ...playwrightDownloads()].find((path) => existsSync(path)) ?? null;
}

function usualPlaces(): string[] {
  if (process.platform === "darwin") {
    return [
      "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
      "/Applications/Chromium.app/Contents/MacOS/Chromium",
      "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
    ];
  }
  if (process.platform !== "win32") return [];
  return [process.env.PROGRAMFILES, process.env["PROGRAMFILES(X86)"], process.env.LOCALAPPDATA]
    .filter((root) => root !== undefined)
    .flatMap((root) => [
      join(root, "Google", "Chrome", "Application", "chrome.exe"),
      join(root, "Microsoft", "Edge", "Application", "msedge.exe"),
    ]);
}

function playwrightDownloads(): string[] {
  const caches: Partial<Record<NodeJS.Platform, string>> = {
    darwin: join(homedir(), "Library", "Caches"),
    win32: process.env.LOCALAPPDATA ?? join(homedir(), "AppData", "Local"),
  };
  const cache = caches[process.platform] ?? process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache");
  const root = process.env.PLAYWRIGHT_BROWSERS_PATH ?? join(cache, "ms-playwright");
  if (!existsSync(root)) return [];
  const revision = (folder: string) => Number(folder.split("-").at(-1));
  return readdirSync(root)
    .filter((folder) => /^chromium(_headless_shell)?-\d+$/.test(folder))
    .sort((a, b) => revision(b) - revision(a))
    .flatMap((folder) =>
      [
        "chrome-linux64/chrome",
        "chrome-linux/chrome",
        "chrome-linux/headless_shell",
        "chrome-headless-shell-linux64/chrome-headless-shell",
        "chrome-mac-arm64/Google Chrome for Testing.app/Contents/MacOS/Google Chrome for Testing",
        "chrome-mac/Chromium.app/Contents/MacOS/Chromium",
        "chrome-win64/chrome.exe",
        "chrome-win/chrome.exe",
      ].map((path) => join(root, folder, path)),
    );
}
