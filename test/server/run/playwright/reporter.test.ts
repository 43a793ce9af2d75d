import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { cpSync, existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { type TestApp, testApp } from "../../../helpers/app.ts";
import { type PlaywrightProject, playwrightProject } from "../../../helpers/playwright-project.ts";
import { runProgram } from "../../../helpers/program.ts";

setDefaultTimeout(120_000);

const UNLIMITED = { reads_per_minute: 100_000, writes_per_minute: 100_000, ingests_per_minute: 100_000 };
const SHA = "4d07b3f1c2a95e8d6b7f0a1c3e5d7f9b2a4c6e80";

interface Listed {
  id: string;
  scenario_slug: string;
  scenario_title: string;
  status: string;
  source: string | null;
  code_sha: string | null;
}

let app: TestApp;
let url: string;
beforeAll(async () => {
  app = await testApp({ settings: { rate_limits: UNLIMITED } });
  url = app.listen();
});
afterAll(() => app.close());

const here = () => ({ TRACEDECK_URL: url, TRACEDECK_KEY: app.apiKey });

/** Traces of the scenarios whose slug holds a word, oldest first. */
async function tracesOf(word: string, of = app): Promise<Listed[]> {
  await of.runJobs();
  const { items } = (await (await of.api("/v1/traces?limit=100")).json()) as { items: Listed[] };
  return items.filter(({ scenario_slug }) => scenario_slug.includes(word)).reverse();
}
async function detail(id: string): Promise<Record<string, unknown>> {
  return (await (await app.api(`/v1/traces/${id}`)).json()) as Record<string, unknown>;
}
async function project(options: Parameters<typeof playwrightProject>[0], body: string) {
  const made = await playwrightProject(options);
  made.write("shop.spec.ts", `import { test, expect } from "@playwright/test";\n${body}`);
  return made;
}
async function using(made: PlaywrightProject, work: (made: PlaywrightProject) => Promise<void>) {
  try {
    await work(made);
  } finally {
    made.remove();
  }
}
const outboxOf = ({ folder }: PlaywrightProject) => {
  const path = join(folder, ".tracedeck-outbox");
  return existsSync(path) ? readdirSync(path).filter((name) => /\.(json|zip)$/.test(name)) : [];
};
const page = (text: string) => `await page.setContent(${JSON.stringify(text)});`;

describe("the reporter of Playwright", () => {
  test("uploads every attempt with its title, project, number, commit and pull request", async () => {
    const made = await project(
      { config: 'retries: 1, projects: [{ name: "desktop" }],' },
      `test.describe("cart", () => {
        test("keeps two items", async ({ page }) => { ${page("<p>two")} await expect(page.locator("p")).toHaveText("two"); });
        test("is flaky", async ({ page }, info) => { ${page("<p>x")} expect(info.retry).toBe(1); });
      });`,
    );
    await using(made, async () => {
      const env = { ...here(), GITHUB_SHA: SHA, GITHUB_REF: "refs/pull/482/merge", GITHUB_RUN_ID: "77" };
      const { code, output } = await made.run([], env);
      expect(output).toContain("1 flaky");
      expect(code).toBe(0);
      expect(output).toMatch(new RegExp(`tracedeck: 3 traces uploaded  ${url}/test-runs/\\w{12}\n`));
      const keeps = await tracesOf("keeps-two-items");
      expect(keeps).toHaveLength(1);
      expect(keeps[0]).toMatchObject({
        scenario_title: "cart › keeps two items [desktop]",
        status: "passed",
        source: "pr",
        code_sha: SHA,
      });
      expect(await detail(keeps[0]!.id)).toMatchObject({ pr_number: 482 });
      expect(keeps[0]!.scenario_slug).toMatch(/^desktop-shop-cart-keeps-two-items-[0-9a-f]{8}$/);
      const flaky = await tracesOf("is-flaky");
      expect(flaky.map(({ status }) => status).sort()).toEqual(["failed", "passed"]);
      const details = await Promise.all(flaky.map(({ id }) => detail(id)));
      expect(new Set(details.map(({ run_id }) => run_id)).size).toBe(1);
      expect(details[0]!.run_id).toMatch(/^77-1-\w{8}$/);
      const byAttempt = details.sort((a, b) => Number(a.attempt) - Number(b.attempt));
      expect(byAttempt.map(({ attempt, status }) => [attempt, status])).toEqual([
        [1, "failed"],
        [2, "passed"],
      ]);
      const { summary } = byAttempt[1]!.signed_urls as { summary: string };
      const { environment } = (await (
        await app.api(new URL(summary).pathname + new URL(summary).search)
      ).json()) as {
        environment: Record<string, string>;
      };
      expect(environment).toMatchObject({ project: "desktop", attempt: "2", file: "shop.spec.ts:4" });
      expect(outboxOf(made)).toEqual([]);
    });
  });

  test("keeps what it cannot send; the next run sends it, or a person does, with or without a server", async () => {
    const made = await project(
      {},
      `test("offline one", async () => {});
      test("offline two", async () => {});`,
    );
    await using(made, async () => {
      const down = await made.run([], { TRACEDECK_URL: "http://127.0.0.1:9", TRACEDECK_KEY: "k" });
      expect(down.code).toBe(0);
      expect(down.output).toContain("tracedeck: 0 traces uploaded, 2 kept for later");
      expect(down.output).toContain("ingest --outbox");
      expect(outboxOf(made)).toHaveLength(4);

      const byHand = join(made.folder, "by-hand");
      cpSync(join(made.folder, ".tracedeck-outbox"), byHand, { recursive: true });
      const data = join(made.folder, "data");
      const sent = await runProgram(["ingest", "--outbox", byHand, "--data", data]);
      expect(sent.stdout).toMatch(/^(\w{12} {2}\S+ {2}passed {2}\S+\.zip\n){2}$/);
      const again = await runProgram(["ingest", "--outbox", byHand, "--data", data]);
      expect([again.code, again.stderr]).toEqual([0, `Nothing waits in ${byHand}.\n`]);
      const listed = await runProgram(["traces", "list", "--data", data, "--json"]);
      const { items } = JSON.parse(listed.stdout) as { items: Listed[] };
      expect(items.map(({ scenario_title }) => scenario_title).sort()).toEqual([
        "offline one",
        "offline two",
      ]);

      const up = await made.run(["--grep", "one"], here());
      expect(up.output).toContain("tracedeck: 3 traces uploaded");
      expect(outboxOf(made)).toEqual([]);
      expect(await tracesOf("offline-one")).toHaveLength(2);
      expect(await tracesOf("offline-two")).toHaveLength(1);
    });
  });

  test("thirty tests at once with hostile titles are thirty scenarios, and no title breaks out of its field", async () => {
    const titles = [
      "../../etc/passwd",
      "<img src=x onerror=alert(1)>",
      "line\\nbreak\\r\\n--boundary",
      "\\u0000 nul",
      "ünï çødé 漢字 🛒",
      "\\ud800 alone",
      "\\u202e right to left",
      "same title",
      "Same Title!",
      "same·title",
      "😀",
      "x".repeat(3000),
      ...Array.from({ length: 18 }, (_, at) => `plain ${at}`),
    ];
    const made = await project(
      { use: { trace: { mode: "on", screenshots: false, snapshots: false, sources: false } } },
      titles.map((title) => `test("hostile ${title.replace(/"/g, '\\"')}", async () => {});`).join("\n"),
    );
    await using(made, async () => {
      const { code, output } = await made.run(["--workers", "4"], here());
      expect(output).toContain("tracedeck: 30 traces uploaded");
      expect(code).toBe(0);
      const kept = await tracesOf("hostile");
      expect(kept).toHaveLength(30);
      expect(new Set(kept.map(({ scenario_slug }) => scenario_slug)).size).toBe(30);
      for (const { scenario_slug, scenario_title } of kept) {
        expect(scenario_slug).toMatch(/^[a-z0-9][a-z0-9-]{0,63}$/);
        // biome-ignore lint/suspicious/noControlCharactersInRegex: none may be there
        expect(scenario_title).not.toMatch(/[\x00-\x1f]/);
      }
      const shown = kept.map(({ scenario_title }) => scenario_title);
      expect(shown).toContain("hostile <img src=x onerror=alert(1)>");
      expect(shown).toContain("hostile line break --boundary");
    });
  });

  test("a wrong key keeps everything and says so; a suite without traces is told how to record them", async () => {
    const made = await project({ use: { trace: "off" } }, `test("untold", async () => {});`);
    await using(made, async () => {
      const untraced = await made.run([], here());
      expect(untraced.output.match(/set `use: \{ trace: 'on' \}`/g)).toHaveLength(1);
      const denied = await made.run(["--trace", "on"], {
        TRACEDECK_URL: url,
        TRACEDECK_KEY: "product_sk_wrong",
      });
      expect(denied.code).toBe(0);
      expect(denied.output).toContain("0 traces uploaded, 1 kept for later");
      expect(outboxOf(made)).toHaveLength(2);
    });
  });

  test("only failures are sent where that is asked for, and a server that says no to one is not asked again", async () => {
    const made = await project(
      { reporter: { onlyFailed: true, source: "nonsense" } },
      `test("only good", async () => {});
      test("only bad", async () => { expect(1).toBe(2); });`,
    );
    await using(made, async () => {
      const { code, output } = await made.run([], here());
      expect(code).toBe(1);
      expect(output).toContain("refused: shop-only-bad-");
      expect(output).toContain("`source` must be one of");
      expect(outboxOf(made)).toHaveLength(1);
      expect(await tracesOf("only-")).toEqual([]);
    });
  });

  test("a server that asks for patience gets it, and the end of the run is bounded all the same", async () => {
    const busy = await testApp({ settings: { rate_limits: { ...UNLIMITED, ingests_per_minute: 1 } } });
    const made = await project(
      { reporter: { patienceSeconds: 2 } },
      // Traces are sent beside the tests: the first has arrived before the last test ends, however slow the machine is.
      `test("patient 1", async () => {});
      test("patient 2", async () => {});
      test("patient 3", async ({ request }) => {
        const headers = { authorization: "Bearer " + process.env.TRACEDECK_KEY };
        await expect(async () => {
          const answer = await request.get(process.env.TRACEDECK_URL + "/v1/traces", { headers });
          expect((await answer.json()).items).toHaveLength(1);
        }).toPass();
      });`,
    );
    try {
      const run = await made.run([], { TRACEDECK_URL: busy.listen(), TRACEDECK_KEY: busy.apiKey });
      expect(run.code).toBe(0);
      expect(run.output).toContain("tracedeck: 1 trace uploaded, 2 kept for later");
      expect(await tracesOf("patient", busy)).toHaveLength(1);
    } finally {
      made.remove();
      await busy.close();
    }
  });
});
