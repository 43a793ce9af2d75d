import { type Browser, chromium } from "playwright-core";
import { chooseBrowser } from "../../platform/browser.ts";
import { RunnerError } from "../errors.ts";
import { boundMessages } from "./bound-messages.ts";
import { defaultArguments, failLostCalls } from "./internals.ts";

/** A browser of ours, and how to be sure that nothing of it stays. */
export interface OwnedBrowser {
  browser: Browser;
  /** Of its first process, which leads the group of all others. */
  pid: number;
  close(): Promise<void>;
  /** Ends every process of it at once. */
  kill(): void;
}

/** Nothing that a browser does of its own accord reaches the network. */
const QUIET = [
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--disable-default-apps",
  "--disable-dev-shm-usage",
  "--disable-quic",
  "--no-first-run",
  // Chromium does so by itself, a headless shell does not: a frame of another site that hangs would hang its page.
  "--site-per-process",
];

/**
 * Two pages of the address bar's suggestions, which nobody sees in a browser without a window: they are loaded into a process of
 * their own for each context, and take as much of the processor as a short run does.
 */
const LEFT_OUT = ["WebUIOmniboxPopup", "WebUIOmniboxAimPopup"];
const DISABLED = "--disable-features=";

/**
 * A proxy takes no datagrams, and without it WebRTC sends them to any address that a page names. The switch has had two
 * names.
 */
const PROXIED_ONLY = ["webrtc-ip-handling-policy", "force-webrtc-ip-handling-policy"].map(
  (name) => `--${name}=disable_non_proxied_udp`,
);

/** Command line of a browser that does nothing of its own accord, besides what Playwright says to it. */
export function quietArguments(): string[] {
  // The last such switch counts alone, so it has to name what Playwright leaves out too.
  const known = defaultArguments(chromium).find((argument) => argument.startsWith(DISABLED));
  const features = [...(known?.slice(DISABLED.length).split(",") ?? []), ...LEFT_OUT];
  const isRoot = process.getuid?.() === 0;
  return [...QUIET, DISABLED + features.join(","), ...(isRoot ? ["--no-sandbox"] : [])];
}

/** What Playwright says first; the log of the browser follows it there. */
const reasonOf = (error: unknown): string =>
  Bun.stripANSI(error instanceof Error ? error.message : String(error))
    .split("\n", 1)[0]!
    .slice(0, 500);

/** @throws RunnerError `browser_missing`, `browser_unavailable` */
export async function launchBrowser(options: {
  executable: string | null;
  headed?: boolean;
  /** Whether its contexts are to reach nothing but through their proxies. */
  isProxied?: boolean;
}): Promise<OwnedBrowser> {
  const found = chooseBrowser(options.executable, options.headed);
  if (found.path === null) throw new RunnerError("browser_missing", found.missing);
  const executablePath = found.path;
  failLostCalls(chromium);
  let browser: Browser;
  try {
    browser = await chromium.launch({
      executablePath,
      headless: !options.headed,
      args: [...quietArguments(), ...(options.isProxied ? PROXIED_ONLY : [])],
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
    });
  } catch (error) {
    throw new RunnerError(
      "browser_unavailable",
      `The browser ${executablePath} did not start: ${reasonOf(error)}`,
      error,
    );
  }
  boundMessages(browser);
  const pid = await processOf(browser);
  return {
    browser,
    pid,
    close: () => browser.close(),
    kill() {
      try {
        // Playwright starts it as the leader of a process group of its own.
        process.kill(process.platform === "win32" ? pid : -pid, "SIGKILL");
      } catch (error) {
        if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
      }
    },
  };
}

async function processOf(browser: Browser): Promise<number> {
  const cdp = await browser.newBrowserCDPSession();
  const { processInfo } = await cdp.send("SystemInfo.getProcessInfo");
  await cdp.detach();
  const main = processInfo.find(({ type }) => type === "browser");
  if (!main) throw new RunnerError("browser_unavailable", "The browser does not tell its process.");
  return main.id;
}
