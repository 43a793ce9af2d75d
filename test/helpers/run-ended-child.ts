/** Ends the queued run of a data folder and dies by SIGKILL before anybody can take the job of its end. Arguments: data folder, run. */
import { loadConfig } from "../../server/config.ts";
import { createRuntime } from "../../server/main.ts";
import { settleRun } from "../../server/run/runs/settle.ts";

const [dataDir, id] = process.argv.slice(2) as [string, string];
const { deps } = await createRuntime(loadConfig({ data: dataDir, port: 0 }, {}));
await settleRun(deps, { id }, { status: "aborted", error: null });
process.kill(process.pid, "SIGKILL");
