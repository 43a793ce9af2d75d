import { existsSync, readdirSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "msedge"];
/**
 * Chromium without windows, which Playwright takes for itself too. A start and a context take less than half of the processor's
 * time that Chromium takes in its headless mode.
 */
const SHELLS = [
  // Debian's command is a script that stays between: who ends it leaves the browser running.
  "/usr/lib/chromium/chromium-headless-shell",
  "chromium-headless-shell",
  "chrome-headless-shell",
];

const DOWNLOADED_SHELLS = [
  "chrome-headless-shell-linux64/chrome-headless-shell",
  "chrome-headless-shell-mac-arm64/chrome-headless-shell",
  "chrome-headless-shell-mac-x64/chrome-headless-shell",
  "chrome-headless-shell-win64/chrome-headless-shell.exe",
  "chrome-linux/headless_shell",
  "chrome-mac/headless_shell",
  "chrome-win/headless_shell.exe",
];
const DOWNLOADED = [
  "chrome-linux64/chrome",
  "chrome-linux/chrome",
  "chrome-mac-arm64/Google Chrome for Testing.app/Contents/MacOS/Google Chrome for Testing",
  "chrome-mac/Chromium.app/Contents/MacOS/Chromium",
  "chrome-win64/chrome.exe",
  "chrome-win/chrome.exe",
];

/** A browser to run; or why there is none, as a sentence, and whether one was named. */
export type FoundBrowser = { path: string } | { path: null; missing: string; isNamed: boolean };

/**
 * The browser of the setting `browser.executable`, else what `findBrowser` finds. One that was named and is not there is told by
 * its path: no other stands in for it.
 * @param isHeaded whether it is to show a window
 */
export function chooseBrowser(executable: string | null, isHeaded = false): FoundBrowser {
  const given = process.env.TRACEDECK_BROWSER;
  const [named, by] = executable
    ? [executable, "The setting browser.executable"]
    : [given, "TRACEDECK_BROWSER"];
  if (named)
    return isFile(named)
      ? { path: named }
      : { path: null, missing: `${by} names ${named}, and there is no such file.`, isNamed: true };
  const path = findBrowser(isHeaded);
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
 * the newest that Playwright downloaded; unless it is to show a window, a headless shell comes first. Null when there is none.
 */
export function findBrowser(isHeaded = false): string | null {
  const given = process.env.TRACEDECK_BROWSER;
  if (given) return existsSync(given) ? given : null;
  for (const name of isHeaded ? NAMES : [...SHELLS, ...NAMES]) {
    const path = Bun.which(name);
    if (path) return path;
  }
  return [...usualPlaces(), ...playwrightDownloads(isHeaded)].find((path) => existsSync(path)) ?? null;
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

function playwrightDownloads(isHeaded: boolean): string[] {
  const caches: Partial<Record<NodeJS.Platform, string>> = {
    darwin: join(homedir(), "Library", "Caches"),
    win32: process.env.LOCALAPPDATA ?? join(homedir(), "AppData", "Local"),
  };
  const cache = caches[process.platform] ?? process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache");
  const root = process.env.PLAYWRIGHT_BROWSERS_PATH ?? join(cache, "ms-playwright");
  if (!existsSync(root)) return [];
  const downloaded = readdirSync(root);
  const paths = (prefix: string, programs: string[]) =>
    newestFirst(downloaded, prefix).flatMap((folder) =>
      programs.map((program) => join(root, folder, program)),
    );
  return [
    ...(isHeaded ? [] : paths("chromium_headless_shell-", DOWNLOADED_SHELLS)),
    ...paths("chromium-", DOWNLOADED),
  ];
}

/** Folders `<prefix><revision>`. */
function newestFirst(folders: string[], prefix: string): string[] {
  const revision = (folder: string) => Number(folder.slice(prefix.length));
  return folders
    .filter((folder) => folder.startsWith(prefix) && Number.isInteger(revision(folder)))
    .sort((a, b) => revision(b) - revision(a));
}
