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
import type { CompiledScenario } from "../../server/run/language/ast.ts";
import { compileScenario } from "../../server/run/language/compile.ts";
import { loadPageScripts } from "../../server/run/page-scripts/build.ts";
import { executeScenario } from "../../server/run/runner/execute.ts";
import type { Progress } from "../../server/run/runner/execution.ts";
import { startProgram } from "../helpers/program.ts";
import type { BenchOptions, BenchResult } from "./bench.ts";
import { runUnrecorded } from "./unrecorded.ts";

const RUNS = { full: 9, small: 1 };
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

const UNLIMITED = { reads_per_minute: 100_000, writes_per_minute: 100_000, ingests_per_minute: 100_000 };

/** Of one run, ms. */
interface Times {
  /** From the beginning of the first step to the end of the last one. */
  steps: number;
  /** From an open browser to a closed context, and the trace with all its parts accepted by the server. */
  whole: number;
}

/**
 * What recording a run costs it: the same steps with everything on, against the bare scenario and against plain Playwright. The
 * server that keeps the recording runs on the same machine and takes its share of it.
 */
export async function bench({ isSmall = false }: BenchOptions = {}): Promise<BenchResult[]> {
  const runs = isSmall ? RUNS.small : RUNS.full;
  const folder = mkdtempSync(join(tmpdir(), "tracedeck-bench-"));
  // So many runs in a row are no one's use: to wait for the limit would be measured otherwise.
  await Bun.write(join(folder, "settings.json"), JSON.stringify({ rate_limits: UNLIMITED }));
  const shop = startShop();
  const owned = await launchBrowser({ executable: null });
  const server = await startProgram(folder);
  const client = createApiClient({ url: server.url, apiKey: server.apiKey });
  try {
    const times = { plain: [] as Times[], bare: [] as Times[], captured: [] as Times[] };
    // The first of each warm the browser and the server up.
    for (let run = -1; run < runs; run++) {
      const plain = await runPlain(owned.browser, shop.url);
      const bare = await runBare(owned.browser, shop.url);
      const captured = await runCaptured(owned, shop.url, client);
      if (run < 0) continue;
      times.plain.push(plain);
      times.bare.push(bare);
      times.captured.push(captured);
    }
    const { plain, bare, captured } = times;
    return [
      compare("a recorded run, until its trace is whole, against the bare scenario", "whole", captured, bare),
      compare("the steps of such a run, against the bare scenario", "steps", captured, bare),
      compare("a recorded run, until its trace is whole, against plain Playwright", "whole", captured, plain),
      compare("the steps of such a run, against plain Playwright", "steps", captured, plain),
    ];
  } finally {
    await server.stop();
    await owned.close();
    await shop.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

function compare(name: string, part: keyof Times, these: Times[], those: Times[]): BenchResult {
  const [measured, base] = [these, those].map((all) => median(all.map((one) => one[part])));
  const ratio = measured! / base!;
  return {
    name,
    ratio,
    target: "≤ 1.2",
    ok: ratio <= 1.2,
    detail: `${measured!.toFixed(0)} ms against ${base!.toFixed(0)} ms, medians of ${these.length}`,
  };
}

async function runPlain(browser: Browser, url: string): Promise<Times> {
  const started = performance.now();
  const context = await browser.newContext({ viewport: VIEWPORT, baseURL: url });
  const page = await context.newPage();
  const begun = performance.now();
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
  const steps = performance.now() - begun;
  await context.close();
  return { steps, whole: performance.now() - started };
}

async function runBare(browser: Browser, url: string): Promise<Times> {
  const scenario = compiled();
  const started = performance.now();
  const steps = stepTimes();
  await runUnrecorded(browser, scenario, { baseUrl: url, email: EMAIL, onProgress: steps.onProgress });
  return { steps: steps.took(), whole: performance.now() - started };
}

async function runCaptured(
  { browser, kill }: OwnedBrowser,
  url: string,
  client: ReturnType<typeof createApiClient>,
): Promise<Times> {
  const scenario = compiled();
  const pageScripts = await loadPageScripts();
  const started = performance.now();
  const steps = stepTimes();
  const outcome = await executeScenario({
    scenario,
    baseUrl: url,
    manifest: { source: "manual" },
    region: {},
    excludeOrigins: [],
    allowPrivateTargets: true,
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
    pageScripts,
    sink: createApiSink(client, systemClock),
    clock: systemClock,
    ids: createIds(systemClock),
    signal: new AbortController().signal,
    onProgress: steps.onProgress,
  });
  const whole = performance.now() - started;
  if (outcome.status !== "passed")
    throw new Error(`The run was ${outcome.status}: ${outcome.error?.message}`);
  return { steps: steps.took(), whole };
}

function compiled(): CompiledScenario {
  const { scenario, problems } = compileScenario({ name: "bench.scenario.md", text: SCENARIO }, () => null);
  if (!scenario) throw new Error(problems.map(({ message }) => message).join("; "));
  return scenario;
}

function stepTimes(): { onProgress: (progress: Progress) => void; took(): number } {
  let [begun, done] = [0, 0];
  return {
    onProgress({ type }) {
      if (type === "step") begun ||= performance.now();
      if (type === "step_ended") done = performance.now();
    },
    took: () => done - begun,
  };
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!;
}
