import { type Shop, startShop } from "../../fixtures/app/shop.ts";
import type { ApiClient } from "../../server/platform/api-client.ts";
import { systemClock } from "../../server/platform/clock.ts";
import { createIds } from "../../server/platform/ids.ts";
import { launchBrowser, type OwnedBrowser } from "../../server/run/browsers/launch.ts";
import { createApiSink } from "../../server/run/capture/api-sink.ts";
import type { CaptureSink } from "../../server/run/capture/sink.ts";
import type { CompiledScenario } from "../../server/run/language/ast.ts";
import { compileScenario, type ScenarioFile } from "../../server/run/language/compile.ts";
import { indexBySlug } from "../../server/run/language/folder.ts";
import { loadPageScripts } from "../../server/run/page-scripts/build.ts";
import { executeScenario } from "../../server/run/runner/execute.ts";
import type { Execution, Outcome } from "../../server/run/runner/execution.ts";
import type { TraceEvent } from "../../server/trace/format/event.ts";
import { type TestApp, testApp } from "./app.ts";

/** The sample shop, a store and a browser: what runs of scenarios need. */
export interface RunLab {
  app: TestApp;
  shop: Shop;
  /** Another one takes its place when it has ended. */
  readonly owned: OwnedBrowser;
  /** Runs numbered steps against the shop and waits until the trace is settled. */
  run(steps: string[], options?: Partial<Execution> & { frontmatter?: string }): Promise<Outcome>;
  /** The same for a file of its own, against the shop whatever address it names. */
  runFile(file: ScenarioFile, options?: Partial<Execution> & { others?: ScenarioFile[] }): Promise<Outcome>;
  events(traceId: string, query?: string): Promise<TraceEvent[]>;
  /** Where recordings go when requests to the store are answered by `request`. */
  sink(request: ApiClient["request"]): CaptureSink;
  close(): Promise<void>;
}

const UNLIMITED = { reads_per_minute: 100_000, writes_per_minute: 100_000, ingests_per_minute: 100_000 };

export async function runLab(): Promise<RunLab> {
  const app = await testApp({ settings: { rate_limits: UNLIMITED } });
  const shop = startShop();
  let owned = await launchBrowser({ executable: null });
  const sink = (request: ApiClient["request"]) => createApiSink({ request }, systemClock);

  function compile(file: ScenarioFile, others: ScenarioFile[] = []): CompiledScenario {
    const { scenario, problems } = compileScenario(file, indexBySlug(others));
    if (!scenario) throw new Error(problems.map(({ message }) => message).join("; "));
    return scenario;
  }

  async function execute(scenario: CompiledScenario, options: Partial<Execution>): Promise<Outcome> {
    if (!owned.browser.isConnected()) owned = await launchBrowser({ executable: null });
    const outcome = await executeScenario({
      scenario,
      baseUrl: shop.url,
      manifest: { source: "manual" },
      region: {},
      excludeOrigins: [],
      allowPrivateTargets: true,
      values: {
        secrets: {},
        synthetic: {
          email: "synthetic+r+lab+1@example.invalid",
          name: "Synthetic 1",
          region: "r",
          shard: "1",
        },
      },
      clones: { recordings: {} },
      fingerprints: {},
      redaction: { headers: [], patterns: [] },
      filesFolder: null,
      browser: owned.browser,
      endBrowser: owned.kill,
      pageScripts: await loadPageScripts(),
      sink: sink((path, init) => app.api(path, init)),
      clock: systemClock,
      ids: createIds(systemClock),
      signal: new AbortController().signal,
      ...options,
    });
    await app.runJobs();
    return outcome;
  }

  return {
    app,
    shop,
    get owned() {
      return owned;
    },
    run(steps, { frontmatter = "", ...options } = {}) {
      const numbered = steps.map((step, at) => `${at + 1}. ${step}`).join("\n");
      const text = `---\nslug: lab\ntitle: Lab\n${frontmatter}\n---\n${numbered}`;
      return execute(compile({ name: "lab.scenario.md", text }), options);
    },
    runFile: (file, { others, ...options } = {}) => execute(compile(file, others), options),
    sink,
    async events(traceId, query = "") {
      const response = await app.api(`/v1/traces/${traceId}/events?limit=1000${query}`);
      return ((await response.json()) as { events: TraceEvent[] }).events;
    },
    async close() {
      await owned.close();
      await shop.stop();
      await app.close();
    },
  };
}
