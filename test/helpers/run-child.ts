/**
 * Carries out what is queued in a data folder and dies by SIGKILL at a moment of the first run.
 * Arguments: data folder, moment.
 */
import { loadConfig } from "../../server/config.ts";
import { createRuntime } from "../../server/main.ts";
import type { RunnerPool } from "../../server/run/pool/pool.ts";
import type { SinkCall } from "../../server/run/pool/protocol.ts";
import { RUNNER } from "./program.ts";

/** It is claimed; some of it is kept; its trace has ended, and it has not. */
export type Moment = "claimed" | "chunk" | "end";

const [dataDir, deadly] = process.argv.slice(2) as [string, Moment];
const runtime = await createRuntime(loadConfig({ data: dataDir, port: 0 }, {}), { runner: RUNNER });
const work = runtime.deps.runState.runs;
const die = (moment: SinkCall["method"] | Moment) => {
  if (moment === deadly) process.kill(process.pid, "SIGKILL");
};
const { pool } = work;
const deadlyPool: RunnerPool = {
  ...pool,
  async run(task, watch) {
    die("claimed");
    return pool.run(task, {
      ...watch,
      async keep(what) {
        const kept = await watch.keep(what);
        die(what.method);
        return kept;
      },
    });
  },
};
work.pool = deadlyPool;
await runtime.jobs.runDue();
await runtime.close();
