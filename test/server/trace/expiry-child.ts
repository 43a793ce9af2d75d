import { expireByAge } from "../../../server/trace/tiers/expire.ts";
import { createTestClock, testApp } from "../../helpers/app.ts";

// Removes what is old enough on a data folder and dies at a step of it, as by a power cut.
const [dataDir, now, step] = process.argv.slice(2) as [string, string, string];
const app = await testApp({ dataDir, clock: createTestClock(Number(now)) });
const die = () => process.kill(process.pid, "SIGKILL");
const { deps, store } = app;
if (step === "files") {
  const removeTrace = store.files.removeTrace.bind(store.files);
  let removed = 0;
  store.files.removeTrace = async (id) => {
    if (removed++ === 2) die();
    return removeTrace(id);
  };
}
const dying = {
  ...deps,
  // The last of the transaction, which is not in yet.
  jobs: step === "within" ? { ...deps.jobs, add: async () => die() && "" } : deps.jobs,
  // The first after it.
  hub: step === "committed" ? { ...deps.hub, publish: () => void die() } : deps.hub,
};
await expireByAge(dying);
await app.runJobs();
