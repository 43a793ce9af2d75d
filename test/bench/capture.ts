import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { startShop } from "../../fixtures/app/shop.ts";
import { createApiClient } from "../../server/platform/api-client.ts";
import { systemClock } from "../../server/platform/clock.ts";
import { createIds } from "../../server/platform/ids.ts";
import { VIEWPORT } from "../../server/run/browsers/context.ts";
import { launchBrowser, type OwnedBrowser } from "../../server/run/browsers/launch.ts";
import { createApiSink } from "../../server/run/capture/api-sink.ts";
import { compileScenario } from "../../server/run/language/compile.ts";
import { loadPageRecorder } from "../../server/run/page-recorder-build.ts";
import { executeScenario } from "../../server/run/runner/execute.ts";
import { startProgram } from "../helpers/program.ts";
import type { BenchResult } from "./run.ts";

const RUNS = 9;
const EMAIL = "synthetic@example.invalid";
const SCENARIO = `---
slug: bench
title: A guest buys beans
---
1. go to "/"
2. click testid "add-beans"
3. expect text "Cart (1)"
4. click link "Cart"
5. click link "Go to checkout"
6. fill field "Email" with "${EMAIL}"
7. fill field "Card number" with "4242424242424242"
8. press "Tab"
9. wait for request POST "/payments/tokens"
10. click button "Pay now"
11. expect text "Your order number is"
`;

/** What recording a run costs it: the same steps with everything on, against plain Playwright. */
export async function bench(): Promise<BenchResult[]> {
  const folder = mkdtempSync(join(tmpdir(), "tracedeck-bench-"));
  const shop = startShop();
  const owned = await launchBrowser({ executable: null });
  const server = await startProgram(folder);
  const client = createApiClient({ url: server.url, apiKey: server.apiKey });
  try {
    const times = { bare: [] as number[], captured: [] as number[] };
    // The first of both warm the browser and the server up.
    for (let run = -1; run < RUNS; run++) {
      const bare = await timed(() => runBare(owned.browser, shop.url));
      const captured = await timed(() => runCaptured(owned, shop.url, client));
      if (run < 0) continue;
      times.bare.push(bare);
      times.captured.push(captured);
    }
    const [bare, captured] = [median(times.bare), median(times.captured)];
    const ratio = captured / bare;
    return [
      {
        name: "a run with everything recorded, against plain Playwright",
        ratio,
        target: "≤ 1.3",
        ok: ratio <= 1.3,
        detail: `${captured.toFixed(0)} ms against ${bare.toFixed(0)} ms, medians of ${RUNS}`,
      },
    ];
  } finally {
    await server.stop();
    await owned.close();
    await shop.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function timed(work: () => Promise<void>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

async function runBare(browser: Browser, url: string): Promise<void> {
  const context = await browser.newContext({ viewport: VIEWPORT, baseURL: url });
  const page = await context.newPage();
  await page.goto("/");
  await page.getByTestId("add-beans").click();
  await page.getByText("Cart (1)").waitFor();
  await page.getByRole("link", { name: "Cart" }).click();
  await page.getByRole("link", { name: "Go to checkout" }).click();
  await page.getByLabel("Email").fill(EMAIL);
  const paid = page.waitForResponse((response) => response.url().includes("/payments/tokens"));
  await page.locator("iframe").contentFrame().getByLabel("Card number").fill("4242424242424242");
  await page.keyboard.press("Tab");
  await paid;
  await page.getByRole("button", { name: "Pay now" }).click();
  await page.getByText("Your order number is").waitFor();
  await context.close();
}

async function runCaptured(
  { browser, kill }: OwnedBrowser,
  url: string,
  client: ReturnType<typeof createApiClient>,
): Promise<void> {
  const { scenario, problems } = compileScenario({ name: "bench.scenario.md", text: SCENARIO }, () => null);
  if (!scenario) throw new Error(problems.map(({ message }) => message).join("; "));
  const outcome = await executeScenario({
    scenario,
    baseUrl: url,
    manifest: { source: "manual" },
    region: {},
    excludeOrigins: [],
    values: {
      secrets: {},
      synthetic: { email: EMAIL, name: "Synthetic 1", region: "r", shard: "1" },
    },
    clones: null,
    fingerprints: {},
    redaction: { headers: [], patterns: [] },
    filesFolder: null,
    browser,
    endBrowser: kill,
    pageRecorder: await loadPageRecorder(),
    sink: createApiSink(client, systemClock),
    clock: systemClock,
    ids: createIds(systemClock),
    signal: new AbortController().signal,
  });
  if (outcome.status !== "passed")
    throw new Error(`The run was ${outcome.status}: ${outcome.error?.message}`);
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!;
}
