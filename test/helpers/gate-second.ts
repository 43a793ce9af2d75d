/**
 * A second server on a data folder that another one has too: it listens, and for each line that it is given it carries out what is due
 * and answers with a line. Argument: data folder.
 */
import { loadConfig } from "../../server/config.ts";
import { listen } from "../../server/listen.ts";
import { createRuntime } from "../../server/main.ts";
import { createTestClock } from "./app.ts";
import { RUNNER } from "./program.ts";

const config = loadConfig({ data: process.argv[2]!, port: 0 }, {});
const runtime = await createRuntime(config, {
  serverId: "second",
  clock: createTestClock(),
  runner: RUNNER,
});
console.log(listen(runtime.app, config));
for await (const _ of console) {
  await runtime.jobs.runDue();
  await runtime.periodic.find(({ name }) => name === "gates.untold")!.run();
  await runtime.jobs.runDue();
  console.log("done");
}
await runtime.close();
