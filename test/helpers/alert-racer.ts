/** Decides on runs of a data folder that another server has too, as jobs do: what failed is done again. Arguments: data folder, runs. */
import { loadConfig } from "../../server/config.ts";
import { createRuntime } from "../../server/main.ts";
import { followRun } from "../../server/watch/incidents/follow-run.ts";
import { surroundingsOf } from "../../server/watch/incidents/surroundings.ts";

const [dataDir, ...runs] = process.argv.slice(2) as [string, ...string[]];
const { deps } = await createRuntime(loadConfig({ data: dataDir, port: 0 }, {}), { serverId: "second" });
console.log("ready");
for await (const _ of console) break;
for (const id of runs)
  for (let tries = 0; ; tries++)
    try {
      await followRun(deps, surroundingsOf(deps), id);
      break;
    } catch (error) {
      if (tries === 20) throw error;
    }
process.exit(0);
