/**
 * Hands on the notices of a data folder that are due, and dies by SIGKILL at its n-th statement that writes. Arguments: data folder, n, now (epoch
 * ms). It ends with 0 when there are fewer.
 */
import { noticesTask } from "../../server/watch/notices/hand-on.ts";
import { createTestClock, testApp } from "./app.ts";
import { dyingRecords } from "./dying-records.ts";

const [dataDir, nth, now] = process.argv.slice(2) as [string, string, string];
const { deps } = await testApp({ dataDir, clock: createTestClock(Number(now)) });
const records = dyingRecords(deps.store.records, Number(nth));
await noticesTask({ ...deps, store: { ...deps.store, records } }).run();
process.exit(0);
