import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { createSigninLink } from "../../server/identity/sessions/service.ts";
import { type TestApp, type TestAppOptions, testApp } from "./app.ts";
import { openPage, type PageOptions, type WatchedPage } from "./browser.ts";

const FIXTURES = join(import.meta.dir, "..", "..", "fixtures", "playwright");
const OUTPUT = join(import.meta.dir, "..", "output");

/** Path of a recorded Playwright archive. */
export const recorded = (name: string): string => join(FIXTURES, name, "trace.zip");

interface Opening {
  isSignedIn?: boolean;
  /** What the page takes for now (epoch ms); the machine's time when absent. */
  now?: number;
}

export interface ViewerApp {
  app: TestApp;
  /** Address of the server, without a slash at the end. */
  base: string;
  /** Stores a recorded archive and reads it. */
  ingest(name: string, fields?: Record<string, string>): Promise<{ id: string; shortId: string }>;
  /** A page of its own at a path, signed in unless told otherwise. */
  open(path: string, options?: PageOptions & Opening): Promise<WatchedPage>;
  close(): Promise<void>;
}

/** The real server on a socket, for pages in a real browser. */
export async function viewerApp(options: TestAppOptions = {}): Promise<ViewerApp> {
  // A clock that stands gives nothing back, and every page of a test signs in from the same address.
  const limits = {
    reads_per_minute: 100_000,
    writes_per_minute: 100_000,
    anonymous: { shares_per_minute: 100_000, sign_ins_per_minute: 100_000 },
  };
  const rate_limits = { ...limits, ...(options.settings?.rate_limits as object | undefined) };
  const app = await testApp({ ...options, settings: { ...options.settings, rate_limits } });
  const base = app.listen();
  return {
    app,
    base,
    async ingest(name, fields = {}) {
      const form = new FormData();
      const all = { scenario_slug: name.replace(/^v\d+-/, ""), ...fields };
      for (const [key, value] of Object.entries(all)) form.set(key, value);
      form.set("bundle", Bun.file(recorded(name)), "trace.zip");
      const response = await app.api("/v1/traces/ingest", { method: "POST", body: form });
      if (response.status !== 200) throw new Error(`The upload was refused: ${await response.text()}`);
      const answer = (await response.json()) as { trace_id: string; short_id: string };
      await app.runJobs();
      return { id: answer.trace_id, shortId: answer.short_id };
    },
    async open(path, options = {}) {
      const watched = await openPage(options);
      if (options.now !== undefined) await watched.page.clock.setFixedTime(options.now);
      if (options.isSignedIn !== false) {
        const link = await createSigninLink(app.deps, { orgId: app.orgId, base });
        // The cookie is what is wanted, not the page that the answer leads to.
        await watched.page.request.get(link.url, { maxRedirects: 0 });
      }
      await watched.page.goto(base + path);
      return watched;
    },
    close: () => app.close(),
  };
}

/** For people to look at: keeps a picture of the page in test/output where `TEST_PICTURES` asks for them. Nothing asserts them. */
export async function picture(page: Page, name: string): Promise<void> {
  if (!process.env.TEST_PICTURES) return;
  mkdirSync(OUTPUT, { recursive: true });
  await page.screenshot({ path: join(OUTPUT, `${name}.png`) });
}

/** As the browser does when the window is hidden behind another one, or seen again. */
export function setVisible(page: Page, isVisible: boolean): Promise<void> {
  return page.evaluate(
    (state) => {
      Object.defineProperty(document, "visibilityState", { configurable: true, get: () => state });
      document.dispatchEvent(new Event("visibilitychange"));
    },
    isVisible ? "visible" : "hidden",
  );
}

/** Whether something sticks out to the right of the window. */
export function overflow(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
}
