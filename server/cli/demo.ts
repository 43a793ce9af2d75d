import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { startShop } from "../../fixtures/app/shop.ts";
import { SAMPLES, type Sample } from "../../fixtures/samples.ts";
import { scenariosFor } from "../../fixtures/scenarios.ts";
import { upsertScenario } from "../../store/records/scenarios.ts";
import { loadConfig, resolveDemoDir } from "../config.ts";
import type { Served } from "../main.ts";
import { createApiClient } from "../platform/api-client.ts";
import { writeFileAtomic } from "../platform/files.ts";
import { isPortFree } from "../platform/ports.ts";
import { uploadBundle } from "../platform/upload.ts";
import { addScenarios } from "../run/scenarios/sync.ts";
import { callWith } from "./call.ts";
import { type CommonOptions, example, withData } from "./options.ts";
import { say } from "./output.ts";
import { announce, serveHere, stopSignal, untilStopped } from "./serve.ts";

interface DemoOptions extends CommonOptions {
  port?: string;
  open: boolean;
}

const SHOP_PORT = 4180;
const SEEDED = "demo.json";

/** `demo`: the server with sample traces and scenarios, and the sample shop that they are for. */
export function demoCommand(program: Command): void {
  const command = program
    .command("demo")
    .description("start a server with sample traces, on a data folder of its own")
    .option("--port <port>", "port to listen on, 0 for any free one (default: 4173)")
    .option("--no-open", "do not open a browser window");
  example(withData(command), "tracedeck demo");
  command.action(async (options: DemoOptions) => {
    const dataDir = resolveDemoDir(options);
    const served = await serveHere(loadConfig({ data: dataDir, port: options.port }), program);
    const stop = stopSignal();
    const shop = startShop({ port: (await isPortFree(SHOP_PORT)) ? SHOP_PORT : 0 });
    try {
      const { deps, credentials } = served.runtime;
      // The shop may be elsewhere than last time: whoever is told of the server finds scenarios that lead to it.
      await addScenarios(deps, credentials.org_id, scenariosFor(shop.url));
      announce(served, { mayOpen: options.open });
      say(`The sample shop is at ${shop.url}`);
      await seed(served, dataDir);
      await untilStopped(served, stop);
    } finally {
      await shop.stop();
      await served.close();
    }
  });
}

/** Uploads each sample once in the life of the folder: whoever removed one meant it. */
async function seed(served: Served, dataDir: string): Promise<void> {
  const path = join(dataDir, SEEDED);
  const seeded = new Set(existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as string[]) : []);
  const missing = SAMPLES.map((sample, index) => ({ sample, key: `${sample.scenarioSlug}-${index}` })).filter(
    ({ key }) => !seeded.has(key),
  );
  if (missing.length === 0) return;
  for (const { sample, key } of missing) {
    await upload(served, sample, key);
    seeded.add(key);
    writeFileAtomic(path, JSON.stringify([...seeded]), { mode: 0o600 });
  }
  say(`${missing.length} sample traces are in.`);
}

async function upload(served: Served, sample: Sample, key: string): Promise<void> {
  const { deps, credentials } = served.runtime;
  const { scenarioSlug: slug, title, source, commit, prNumber, run } = sample;
  await upsertScenario(deps.store.records, {
    id: deps.ids.uuid(),
    orgId: credentials.org_id,
    slug,
    title,
    now: deps.clock.now(),
  });
  const client = createApiClient({ url: `http://127.0.0.1:${served.port}`, apiKey: credentials.api_key });
  await callWith(() =>
    uploadBundle(client, {
      path: sample.path,
      boundary: `tracedeck-${deps.ids.secret(24)}`,
      // A start that was killed between the upload and the note of it does not upload twice.
      idempotencyKey: `demo-${key}`,
      fields: {
        scenario_slug: slug,
        source,
        ...(commit ? { commit_sha: commit } : {}),
        ...(prNumber ? { pr_number: String(prNumber) } : {}),
        ...(run ? { run_id: run.id, attempt: String(run.attempt) } : {}),
      },
      onProgress: () => {},
    }),
  );
}
