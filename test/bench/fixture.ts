import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startShop } from "../../fixtures/app/shop.ts";
import { type PlaywrightProject, playwrightProject } from "../helpers/playwright-project.ts";
import { type RunningServer, startProgram } from "../helpers/program.ts";
import type { BenchOptions, BenchResult } from "./bench.ts";

/** How often the five tests stand in a suite, after those that warm its worker up, and how often the suite is run in each way. */
const SIZES = { full: { copies: 2, runs: 3 }, small: { copies: 1, runs: 1 } };
const TARGET = 1.15;
const UNLIMITED = { reads_per_minute: 100_000, writes_per_minute: 100_000, ingests_per_minute: 100_000 };
const RESULTS = "results.json";
const WARM = "warm";

/** As `withTracedeck` is added to a suite: a line in the file that makes `test`. */
const BASE = {
  plain: `export { test } from "@playwright/test";`,
  recorded: `import { test as base } from "@playwright/test";
import { withTracedeck } from "./tracedeck-fixture.cjs";
export const test = withTracedeck(base);
`,
};
type Kind = keyof typeof BASE;

const SPEC = (copies: number) => `import { expect } from "@playwright/test";
import { test } from "./base";

test.describe.configure({ mode: "default" });

const TESTS = {
  "the basket counts": async ({ page }) => {
    await page.goto("/");
    await page.getByTestId("add-kettle").click();
    await expect(page.locator("#count")).toHaveText("1");
    await page.getByTestId("add-beans").click();
    await expect(page.locator("#count")).toHaveText("2");
  },
  "the cart shows what it costs": async ({ page }) => {
    await page.goto("/");
    await page.getByTestId("add-beans").click();
    await expect(page.locator("#count")).toHaveText("1");
    await page.getByTestId("cart-link").click();
    await expect(page.getByTestId("total")).toBeVisible();
  },
  "a member signs in": async ({ page }) => {
    await page.goto("/signin");
    await page.getByLabel("Email").fill("ada@example.com");
    await page.getByLabel("Password").fill("mornings");
    await page.getByRole("button", { name: "Sign in" }).click();
    await expect(page.getByText("Ada").first()).toBeVisible();
    await page.goto("/admin");
  },
  "a guest pays with a card": async ({ page }) => {
    await page.goto("/");
    await page.getByTestId("add-beans").click();
    await expect(page.locator("#count")).toHaveText("1");
    await page.goto("/checkout");
    await page.getByLabel("Email").fill("guest@example.com");
    const card = page.frameLocator('iframe[title="Card details"]').getByLabel("Card number");
    await card.fill("4242424242424242");
    await card.blur();
    await page.getByRole("button", { name: "Pay now" }).click();
    await expect(page.getByText("Your order number is")).toBeVisible();
  },
  "the sale price is shown": async ({ page }) => {
    await page.goto("/sale");
    await expect(page.getByTestId("price")).toBeVisible();
  },
};

for (const copy of ["${WARM}", ...Array(${copies}).keys()])
  for (const [title, body] of Object.entries(TESTS)) test(\`\${copy} \${title}\`, body);
`;

/** Of Playwright's report in JSON. */
interface Suite {
  specs: { title: string; tests: { results: { startTime: string }[] }[] }[];
  suites?: Suite[];
}

/**
 * What the fixture costs a test of a suite: the time from the first test to the end of the run, in which all is counted that is done for
 * it, whoever does it and whenever. Once with Playwright's own trace, as `playwright init` sets a suite up, and once without.
 */
export async function bench({ isSmall = false }: BenchOptions = {}): Promise<BenchResult[]> {
  const size = isSmall ? SIZES.small : SIZES.full;
  const folder = mkdtempSync(join(tmpdir(), "tracedeck-bench-"));
  await Bun.write(join(folder, "settings.json"), JSON.stringify({ rate_limits: UNLIMITED }));
  const shop = startShop();
  const server = await startProgram(folder);
  try {
    return [
      await measure("a Playwright test with the fixture, against the same without it", "off"),
      await measure(
        "a Playwright test with the fixture, against the same without it, both traced by Playwright",
        "on",
      ),
    ];
  } finally {
    await server.stop();
    await shop.stop();
    rmSync(folder, { recursive: true, force: true });
  }

  async function measure(name: string, trace: "on" | "off"): Promise<BenchResult> {
    const projects = {
      plain: await projectOf("plain", size.copies, { baseURL: shop.url, trace }),
      recorded: await projectOf("recorded", size.copies, { baseURL: shop.url, trace }),
    };
    const times: Record<Kind, number[]> = { plain: [], recorded: [] };
    try {
      for (let run = 0; run < size.runs; run++)
        for (const kind of ["plain", "recorded"] as const)
          times[kind].push(await timeOfTest(projects[kind], server));
    } finally {
      for (const { remove } of Object.values(projects)) remove();
    }
    const [plain, recorded] = [median(times.plain), median(times.recorded)];
    const ratio = recorded / plain;
    return {
      name,
      ratio,
      target: `≤ ${TARGET}`,
      ok: ratio <= TARGET,
      detail: `${recorded.toFixed(0)} ms against ${plain.toFixed(0)} ms, medians of ${size.runs} suites`,
    };
  }
}

async function projectOf(
  kind: Kind,
  copies: number,
  use: Record<string, unknown>,
): Promise<PlaywrightProject> {
  const reporter = [["json", { outputFile: RESULTS }], ["./tracedeck-reporter.cjs"]];
  const project = await playwrightProject({ use, config: `reporter: ${JSON.stringify(reporter)},` });
  project.write("base.ts", BASE[kind]);
  project.write("shop.spec.ts", SPEC(copies));
  return project;
}

/** Ms of a test. */
async function timeOfTest(project: PlaywrightProject, server: RunningServer): Promise<number> {
  const env = { TRACEDECK_URL: server.url, TRACEDECK_KEY: server.apiKey };
  const { code, output } = await project.run([], env);
  const ended = Date.now();
  if (code !== 0) throw new Error(output);
  const { suites }: { suites: Suite[] } = await Bun.file(join(project.folder, RESULTS)).json();
  const begun = suites
    .flatMap(specsOf)
    .filter(({ title }) => !title.startsWith(WARM))
    .map(({ tests }) => Date.parse(tests[0]!.results[0]!.startTime));
  return (ended - Math.min(...begun)) / begun.length;
}

const specsOf = ({ specs, suites = [] }: Suite): Suite["specs"] => [...specs, ...suites.flatMap(specsOf)];
const median = (values: number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1]!;
