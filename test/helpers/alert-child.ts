/**
 * Decides on a run of a data folder, and dies by SIGKILL at its n-th statement that writes. Arguments: data folder, run, n. It ends with
 * 0 when there are fewer.
 */
import { loadConfig } from "../../server/config.ts";
import { createRuntime } from "../../server/main.ts";
import { followRun } from "../../server/watch/incidents/follow-run.ts";
import { surroundingsOf } from "../../server/watch/incidents/surroundings.ts";
import { dyingRecords } from "./dying-records.ts";

const [dataDir, id, nth] = process.argv.slice(2) as [string, string, string];
const { deps } = await createRuntime(loadConfig({ data: dataDir, port: 0 }, {}));
const dying = dyingRecords(deps.store.records, Number(nth));
await followRun({ ...deps, store: { ...deps.store, records: dying } }, surroundingsOf(deps), id);
process.exit(0);
