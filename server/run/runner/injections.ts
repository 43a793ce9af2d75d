import type { BrowserContext, Request, Route } from "playwright-core";
import type { Clock } from "../../platform/clock.ts";
import type { Recorder } from "../capture/recorder.ts";
import { addressPattern } from "../globs.ts";

/** Faults that a scenario puts between the page and the network. */
export interface Injections {
  error(url: string, status: number, times: number | null): Promise<void>;
  latency(url: string, ms: number, times: number | null): Promise<void>;
  clear(): Promise<void>;
}

export function createInjections(
  context: BrowserContext,
  {
    recorder,
    clock,
    signal,
    onAnswered,
  }: {
    recorder: Recorder;
    clock: Clock;
    signal: AbortSignal;
    /** Is told of each request that an error was the answer to. */
    onAnswered?: (request: Request) => Promise<void>;
  },
): Injections {
  const routes: { pattern: RegExp; handler: (route: Route) => Promise<void> }[] = [];

  async function add(url: string, times: number | null, act: (route: Route) => Promise<void>): Promise<void> {
    let left = times ?? Number.POSITIVE_INFINITY;
    const pattern = addressPattern(url);
    const handler = async (route: Route): Promise<void> => {
      if (left <= 0) return route.fallback();
      left -= 1;
      await act(route);
    };
    routes.push({ pattern, handler });
    await context.route(pattern, handler);
  }

  return {
    async error(url, status, times) {
      await add(url, times, async (route) => {
        await onAnswered?.(route.request());
        await route.fulfill({ status, contentType: "text/plain", body: `Injected error ${status}` });
      });
      recorder.emit("error_injection", { url, status });
    },
    async latency(url, ms, times) {
      await add(url, times, async (route) => {
        await clock.sleep(ms, signal);
        // The page may have gone on meanwhile; then nobody waits for the answer.
        await route.fallback().catch(() => {});
      });
      recorder.emit("latency_injection", { url, ms });
    },
    async clear() {
      for (const { pattern, handler } of routes.splice(0)) await context.unroute(pattern, handler);
    },
  };
}
