/**
 * Carries out what is queued in a data folder and dies by SIGKILL at a moment of the first gate.
 * Arguments: data folder, moment.
 */
import { loadConfig } from "../../server/config.ts";
import { createRuntime } from "../../server/main.ts";
import { createTestClock } from "./app.ts";
import { RUNNER } from "./program.ts";

/**
 * In the order of a gate: the host is asked what changed; a run was claimed; its steps have begun; it has ended, and the host is asked for
 * the base; the verdict is written down, and the host does not know it; the host has the check run, the comment, and nothing here
 * knows that.
 */
export type GateMoment = "reading" | "run" | "running" | "judging" | "verdict" | "check" | "comment";

const [dataDir, deadly] = process.argv.slice(2) as [string, GateMoment];
const runtime = await createRuntime(loadConfig({ data: dataDir, port: 0 }, {}), {
  clock: createTestClock(),
  runner: RUNNER,
});
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
  async previewUrl(sha) {
    die("judging");
    return host.previewUrl(sha);
  },
  async updateCheckRun(id, run) {
    if (run.status === "completed") die("verdict");
    await host.updateCheckRun(id, run);
    if (run.status === "completed") die("check");
  },
  async putComment(number, marker, body) {
    const id = await host.putComment(number, marker, body);
    if (body.includes("The gate fails")) die("comment");
    return id;
  },
};
const { pool } = runState.runs;
runState.runs.pool = {
  ...pool,
  async run(task, watch) {
    die("run");
    return pool.run(task, {
      ...watch,
      log(line) {
        die("running");
        watch.log(line);
      },
    });
  },
};
await runtime.jobs.runDue();
await runtime.close();
