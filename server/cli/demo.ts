import { existsSync, mkdirSync, readdirSync } from "node:fs";
import type { Command } from "commander";
import { startShop } from "../../fixtures/app/shop.ts";
import { scenariosFor } from "../../fixtures/scenarios.ts";
import { dataFolder } from "../../store/data-folder.ts";
import { loadConfig, resolveDemoDir } from "../config.ts";
import type { Served } from "../main.ts";
import { writeFileAtomic } from "../platform/files.ts";
import { isPortFree } from "../platform/ports.ts";
import { addScenarios } from "../run/scenarios/sync.ts";
import { DEMO_SETTINGS, makeSamples } from "./demo/make.ts";
import { type CommonOptions, example, withData } from "./options.ts";
import { say } from "./output.ts";
import { announce, serveHere, stopSignal, untilStopped } from "./serve.ts";

interface DemoOptions extends CommonOptions {
  port?: string;
  open: boolean;
  empty?: boolean;
}

const SHOP_PORT = 4180;

/** `demo`: the server with a sample team's month, and the sample shop that its scenarios are for. */
export function demoCommand(program: Command): void {
  const command = program
    .command("demo")
    .description("start a server with a month of sample traces, on a data folder of its own")
    .option("--port <port>", "port to listen on, 0 for any free one (default: 4173)")
    .option(
      "--empty",
      "without samples, on a second folder of its own; with --data on that folder, which keeps the samples that it has",
    )
    .option("--no-open", "do not open a browser window");
  example(withData(command), "tracedeck demo");
  command.action(async (options: DemoOptions) => {
    const isEmpty = options.empty ?? false;
    const dataDir = resolveDemoDir(options, { isEmpty });
    if (!isEmpty) prepare(dataDir);
    const served = await serveHere(loadConfig({ data: dataDir, port: options.port }), program);
    const stop = stopSignal();
    const ending = new AbortController();
    const shop = startShop({ port: (await isPortFree(SHOP_PORT)) ? SHOP_PORT : 0 });
    try {
      const { deps, credentials } = served.runtime;
      // The shop may be elsewhere than last time: whoever is told of the server finds scenarios that lead to it.
      if (!isEmpty) await addScenarios(deps, credentials.org_id, scenariosFor(shop.url));
      announce(served, { mayOpen: options.open });
      say(`The sample shop is at ${shop.url}`);
      const filling = isEmpty ? null : fill(served, dataDir, ending.signal);
      await untilStopped(served, stop);
      ending.abort();
      await filling;
    } finally {
      ending.abort();
      await shop.stop();
      await served.close();
    }
  });
}

/** A new folder of the demo has settings under which a month shows every tier. One that holds anything stays as it is. */
function prepare(dataDir: string): void {
  if (existsSync(dataDir) && readdirSync(dataDir).length > 0) return;
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const text = `${JSON.stringify(DEMO_SETTINGS, null, 2)}\n`;
  writeFileAtomic(dataFolder(dataDir).settings, text, { mode: 0o600 });
}

async function fill(served: Served, dataDir: string, signal: AbortSignal): Promise<void> {
  const { deps, credentials } = served.runtime;
  try {
    const count = await makeSamples(deps, credentials.org_id, { dataDir, base: served.url, signal });
    if (count > 0 && !signal.aborted) say(`${count} sample traces of the last 30 days are in.`);
  } catch (error) {
    if (!signal.aborted)
      deps.log.error("the samples could not all be put in; the next start goes on", { error });
  }
}
