/**
 * Decides on a run of a data folder, and dies by SIGKILL at its n-th statement that writes. Arguments: data folder, run, n. It ends with
 * 0 when there are fewer.
 */
import { loadConfig } from "../../server/config.ts";
import { createRuntime } from "../../server/main.ts";
import { followRun } from "../../server/watch/incidents/follow-run.ts";
import { surroundingsOf } from "../../server/watch/incidents/surroundings.ts";

const [dataDir, id, nth] = process.argv.slice(2) as [string, string, string];
const { deps } = await createRuntime(loadConfig({ data: dataDir, port: 0 }, {}));
let writes = 0;
const dying = deps.store.records.withPlugin({
  transformQuery({ node }) {
    const isWrite = /^(Insert|Update|Delete)QueryNode$/.test(node.kind);
    if (isWrite && ++writes > Number(nth)) process.kill(process.pid, "SIGKILL");
    return node;
  },
  transformResult: async ({ result }) => result,
});
await followRun({ ...deps, store: { ...deps.store, records: dying } }, surroundingsOf(deps), id);
process.exit(0);
