import { loadConfig } from "../../../server/config.ts";
import { createRuntime } from "../../../server/main.ts";
import { createLog } from "../../../server/platform/log.ts";
import { storeSmaller } from "../../../server/trace/process/recompress.ts";
import { postProcess } from "../../../server/trace/process/service.ts";
import { createTestClock } from "../../helpers/app.ts";

// Works on a trace of a data folder and dies without a word at the step that it is told.
const [dataDir, traceId, work, dieAt] = process.argv.slice(2) as [string, string, string, string];
const clock = createTestClock();
const config = loadConfig({ data: dataDir, port: 0 }, {});
const { deps } = await createRuntime(config, {
  clock,
  log: createLog({ clock, level: "error", write: () => {} }),
});
const context = { signal: new AbortController().signal, heartbeat: async () => {} };
const onStep = (step: string) => {
  if (step === dieAt) process.kill(process.pid, "SIGKILL");
};
await (work === "process" ? postProcess : storeSmaller)(deps, traceId, context, { onStep });
process.exit(0);
