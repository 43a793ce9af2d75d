import type { Browser, BrowserContext, BrowserContextOptions } from "playwright-core";
import type { CompiledScenario } from "../language/ast.ts";
import { markWorkers } from "./workers.ts";

/** How the world looks from where a run is made (settings `regions`). */
export interface RegionProfile {
  locale?: string | null;
  timezone?: string | null;
  geolocation?: { latitude: number; longitude: number } | null;
  network?: { latency_ms?: number | null; download_kbps?: number | null; upload_kbps?: number | null } | null;
  proxy?: string | null;
}

export const SYNTHETIC_HEADER = "X-Synthetic-Source";
export const SYNTHETIC_SOURCE = "product-monitor";
export const VIEWPORT = { width: 1280, height: 720 };

const MARK = { [SYNTHETIC_HEADER]: SYNTHETIC_SOURCE };

/** Chromium's word for that loopback is no exception. */
const ALL_PROXIED = "<-loopback>";

/** Marks every page and worker before its own code runs (specification, section 2.7). */
const FLAG = "Object.defineProperty(self, '__PRODUCT_SYNTHETIC__', { value: true });";

/** A fresh context: no cookie, no storage, no clock of an earlier run. */
export async function openContext(
  browser: Browser,
  options: {
    region: RegionProfile;
    excludeOrigins: readonly string[];
    /** What everything goes through, loopback too; null for the region's own. */
    proxy?: string | null;
  },
): Promise<BrowserContext> {
  const { region } = options;
  const server = options.proxy ?? region.proxy;
  const given: BrowserContextOptions = {
    viewport: VIEWPORT,
    acceptDownloads: false,
    // What a service worker asks for carries no mark, and no step could say what it was.
    serviceWorkers: "block",
    extraHTTPHeaders: MARK,
    ...(region.locale && { locale: region.locale }),
    ...(region.timezone && { timezoneId: region.timezone }),
    ...(region.geolocation && { geolocation: region.geolocation, permissions: ["geolocation"] }),
    ...(server && { proxy: { server, bypass: ALL_PROXIED } }),
  };
  const context = await browser.newContext(given);
  await context.addInitScript({ content: FLAG });
  const excluded = new Set(options.excludeOrigins);
  // Shared workers have their headers for every origin: where one is to get none, none gets them.
  markWorkers(browser, context, { script: FLAG, headers: excluded.size > 0 ? {} : MARK });
  if (excluded.size > 0) await leaveOut(context, excluded);
  await shapeNetwork(context, region.network ?? null);
  return context;
}

/**
 * Gives the pages a clock that steps can move. Only where one does: it replaces the timers of every page. Scripts that are
 * to keep the real clock must have been added before.
 */
export async function installClock(
  context: BrowserContext,
  scenario: CompiledScenario,
  now: number,
): Promise<void> {
  if (movesClock(scenario)) await context.clock.install({ time: now });
}

const movesClock = ({ steps }: CompiledScenario): boolean =>
  steps.some(({ action }) => action.verb === "advance_clock" || action.verb === "set_clock");

/** Origins that would refuse a request because of the header are asked without it. */
async function leaveOut(context: BrowserContext, origins: ReadonlySet<string>): Promise<void> {
  await context.route(
    (url) => origins.has(url.origin),
    async (route) => {
      const headers = { ...route.request().headers() };
      delete headers[SYNTHETIC_HEADER.toLowerCase()];
      await route.fallback({ headers });
    },
  );
}

async function shapeNetwork(context: BrowserContext, network: RegionProfile["network"]): Promise<void> {
  if (!network) return;
  context.on("page", async (page) => {
    // A page that closed at once needs no shaping.
    const cdp = await context.newCDPSession(page).catch(() => null);
    await cdp
      ?.send("Network.emulateNetworkConditions", {
        offline: false,
        latency: network.latency_ms ?? 0,
        downloadThroughput: bytesPerSecond(network.download_kbps),
        uploadThroughput: bytesPerSecond(network.upload_kbps),
      })
      .catch(() => {});
  });
}

const bytesPerSecond = (kbps: number | null | undefined): number => (kbps ? (kbps * 1000) / 8 : -1);
