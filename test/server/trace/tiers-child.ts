import { moveDown } from "../../../server/trace/tiers/down.ts";
import { restoreTrace } from "../../../server/trace/tiers/restore.ts";
import { createTestClock, testApp } from "../../helpers/app.ts";

// Does one move between tiers on a data folder and dies at a step of it, as by a power cut.
const [dataDir, now, traceId, move, step] = process.argv.slice(2) as [string, string, string, string, string];
const app = await testApp({ dataDir, clock: createTestClock(Number(now)) });
const hooks = {
  onStep(reached: string) {
    if (reached === step) process.kill(process.pid, "SIGKILL");
  },
};
if (move === "restore") await restoreTrace(app.deps, traceId, new AbortController().signal, hooks);
else await moveDown(app.deps, traceId, move === "warm" ? "warm" : "cold", hooks);
await app.close();
