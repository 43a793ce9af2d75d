/**
 * A server that looks at its clock minute after minute and ends each run that it made. It looks once, says so, and goes on when it is
 * told a line. Arguments: data folder, server id, from, to (epoch ms).
 */
import { createTestClock, testApp } from "./app.ts";

const [dataDir, serverId, from, to] = process.argv.slice(2) as [string, string, string, string];
const clock = createTestClock(Number(from));
const t = await testApp({ dataDir, serverId, clock });
await t.tick();
console.log(clock.now());
for await (const _ of console) break;
while (clock.now() < Number(to)) {
  clock.advance(60_000);
  // Another server may hold the records for long.
  await t.tick().catch(() => {});
  await t.store.records
    .updateTable("runs")
    .set({ status: "passed", ended_at: clock.now() })
    .where("check_id", "is not", null)
    .where("admitted_at", "is not", null)
    .where("status", "=", "queued")
    .execute();
  console.log(clock.now());
}
await t.close();
