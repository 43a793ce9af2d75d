import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { findBrowser } from "../../server/platform/browser.ts";
import { quietArguments } from "../../server/run/browsers/launch.ts";

let shared: Promise<Browser> | null = null;

/** The one browser that all tests of this process share. Close it with `closeBrowser` when the file is done. */
export function openBrowser(): Promise<Browser> {
  shared ??= launch();
  return shared;
}

async function launch(): Promise<Browser> {
  const executablePath = findBrowser();
  if (!executablePath) {
    throw new Error("No Chromium was found. Install Chromium or Chrome, or name one in TRACEDECK_BROWSER.");
  }
  return chromium.launch({
    executablePath,
    args: ["--disable-gpu", "--in-process-gpu", ...quietArguments()],
  });
}

export async function closeBrowser(): Promise<void> {
  const browser = await shared;
  shared = null;
  await browser?.close();
}

/** A page whose every complaint is kept: console errors, exceptions, refused content, failed requests of its own. */
export interface WatchedPage {
  page: Page;
  context: BrowserContext;
  complaints: string[];
}

export interface PageOptions {
  size?: { width: number; height: number };
  theme?: "light" | "dark";
  isPhone?: boolean;
}

export const DESKTOP = { width: 1440, height: 900 };
export const PHONE = { width: 390, height: 844 };

/** Opens an empty page in a context of its own. `complaints` fills up with whatever a reader of the console would see. */
export async function openPage(options: PageOptions = {}): Promise<WatchedPage> {
  const browser = await openBrowser();
  const context = await browser.newContext({
    viewport: options.size ?? DESKTOP,
    colorScheme: options.theme ?? "light",
    hasTouch: options.isPhone ?? false,
    isMobile: options.isPhone ?? false,
    locale: "en-GB",
    timezoneId: "UTC",
    reducedMotion: "reduce",
  });
  const page = await context.newPage();
  // Less than a test has, so that who waits in vain is told for what.
  page.setDefaultTimeout(60_000);
  const complaints: string[] = [];
  page.on("console", (message) => {
    if (message.type() !== "error" && message.type() !== "warning") return;
    complaints.push(`${message.text()} (${message.location().url})`);
  });
  page.on("pageerror", (error) => complaints.push(`exception: ${error.message}`));
  page.on("dialog", (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  return { page, context, complaints };
}
