/**
 * Carries out what is queued in a data folder and dies by SIGKILL at a moment of the first gate.
 * Arguments: data folder, moment.
 */
import { loadConfig } from "../../server/config.ts";
import { createRuntime } from "../../server/main.ts";

/** The host is asked what changed; it has a comment that nothing here knows of; a run was claimed. */
export type GateMoment = "reading" | "comment" | "run";

const [dataDir, deadly] = process.argv.slice(2) as [string, GateMoment];
const runtime = await createRuntime(loadConfig({ data: dataDir, port: 0 }, {}));
const die = (moment: GateMoment): void => {
  if (moment === deadly) process.kill(process.pid, "SIGKILL");
};
const { gateState, runState } = runtime.deps;
const host = gateState.codeHost!;
gateState.codeHost = {
  ...host,
  async changedFiles(base, head) {
    die("reading");
    return host.changedFiles(base, head);
  },
  async putComment(number, marker, body) {
    const id = await host.putComment(number, marker, body);
    die("comment");
    return id;
  },
};
const { pool } = runState.runs;
runState.runs.pool = {
  ...pool,
  async run(task, watch) {
    die("run");
    return pool.run(task, watch);
  },
};
await runtime.jobs.runDue();
await runtime.close();
