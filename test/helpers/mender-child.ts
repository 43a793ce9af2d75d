/**
 * Carries out what is queued in a data folder, and dies by SIGKILL at a moment of the first attempt to mend. Arguments: data folder,
 * moment; for `applied` the attempt's id as well.
 */
import { loadConfig } from "../../server/config.ts";
import { applyAttempt } from "../../server/gate/mender/service.ts";
import { createRuntime } from "../../server/main.ts";
import { RUNNER } from "./program.ts";

/** It is looked at; a replay of it runs; a repetition passed; the code host has its pull request. */
export type MenderMoment = "gate.diagnose" | "replay" | "gate.effects" | "applied";

const [dataDir, deadly, attemptId] = process.argv.slice(2) as [string, MenderMoment, string?];
const runtime = await createRuntime(loadConfig({ data: dataDir, port: 0 }, {}), { runner: RUNNER });
const die = (moment: string): void => {
  if (moment === deadly) process.kill(process.pid, "SIGKILL");
};
const { deps } = runtime;
const { tasks, gateState, runState } = deps;
const { run } = tasks;
tasks.run = ((name: string, ...rest: [never, never]) => {
  die(name);
  return run(name, ...rest);
}) as typeof tasks.run;
const { pool } = runState.replays;
runState.replays.pool = {
  ...pool,
  async run(task, watch) {
    die("replay");
    return pool.run(task, watch);
  },
};
const host = gateState.codeHost;
if (host)
  gateState.codeHost = {
    ...host,
    async propose(wanted) {
      const proposed = await host.propose(wanted);
      die("applied");
      return proposed;
    },
  };
if (attemptId) {
  const { org_id: orgId } = await deps.store.records
    .selectFrom("mender_attempts")
    .select("org_id")
    .where("id", "=", attemptId)
    .executeTakeFirstOrThrow();
  await applyAttempt(deps, { orgId, userId: null, type: "system", id: "child" } as never, attemptId);
} else await runtime.jobs.runDue();
await runtime.close();
