import { pruneCommitRecordings } from "../../store/records/commit-recordings.ts";
import { pruneGates, untoldGates } from "../../store/records/gates.ts";
import { prunePullRequests } from "../../store/records/pull-requests.ts";
import type { Deps } from "../deps.ts";
import { commit } from "../jobs/commit.ts";
import { withKeptLease } from "../jobs/lease.ts";
import type { JobContext, JobHandlers, PeriodicTask } from "../jobs/types.ts";
import { CodeHostError } from "./code-host/types.ts";
import { dropRuns } from "./flow/drop-runs.ts";
import { DROP_RUNS, JUDGE, LOOK, PLAN, TELL } from "./kinds.ts";
import { lookForAddress } from "./plan/look.ts";
import { failPlan, planGate } from "./plan/plan.ts";
import { tellGate } from "./tell/tell.ts";
import { failJudging, judgeRun } from "./verdict/judge.ts";

const DAY_MS = 24 * 60 * 60_000;
/** A host that was away for longer is told no more of what was then. */
const TOLD_LATER_MS = DAY_MS;
const SWEEP_MS = 15_000;
const AT_ONCE = 500;

/** Jobs of the gate. Each may be done again after a crash at any point. Those that ask the code host take as long as it does. */
export function gateHandlers(deps: Deps): JobHandlers {
  return [
    {
      kind: PLAN,
      handle: withKeptLease(deps, ({ gate_id }, context) =>
        unlessLimited(deps, PLAN, { gate_id }, context, () => planGate(deps, String(gate_id))),
      ),
      onDead: ({ gate_id }, error) =>
        failPlan(deps, String(gate_id), `The commit could not be read: ${error}`),
    },
    {
      kind: LOOK,
      handle: withKeptLease(deps, ({ gate_id, turn }) =>
        lookForAddress(deps, String(gate_id), typeof turn === "number" ? turn : null),
      ),
      onDead: ({ gate_id }, error) =>
        failPlan(deps, String(gate_id), `The commit's address could not be looked for: ${error}`),
    },
    { kind: DROP_RUNS, handle: ({ gate_id }) => dropRuns(deps, String(gate_id)) },
    {
      kind: JUDGE,
      handle: ({ run_id }) => judgeRun(deps, String(run_id)),
      onDead: ({ run_id }, error) => failJudging(deps, String(run_id), error),
    },
    { kind: TELL, handle: withKeptLease(deps, ({ gate_id }) => tellGate(deps, String(gate_id))) },
  ];
}

/** Work that the host's limit stops goes on when the limit has ended; waiting is no failed attempt. */
async function unlessLimited(
  deps: Deps,
  kind: string,
  payload: Record<string, unknown>,
  { id }: JobContext,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof CodeHostError) || error.kind !== "limited" || error.retryAt === null) throw error;
    const runAt = error.retryAt;
    await commit(deps, (_, after) =>
      after.add({ kind, payload, runAt, dedupeKey: `after ${id}`, maxAttempts: 8 }),
    );
  }
}

export function gateTasks(deps: Deps): PeriodicTask[] {
  const { records } = deps.store;
  const due = (limit: number) => {
    const now = deps.clock.now();
    return untoldGates(records, { since: now - TOLD_LATER_MS, now, limit });
  };
  return [
    {
      // A change that came while the host was being told of the one before, and limits of the host that have ended.
      name: "gates.untold",
      everyMs: SWEEP_MS,
      of: "store",
      isDue: async () => (await due(1)).length > 0,
      async run() {
        for (const id of await due(AT_ONCE))
          await commit(deps, (_, after) =>
            after.add({ kind: TELL, payload: { gate_id: id }, dedupeKey: id, maxAttempts: 8 }),
          );
      },
    },
    {
      name: "gates.prune",
      everyMs: 60 * 60_000,
      of: "store",
      async run() {
        const before = deps.clock.now() - deps.config.settings.retention.runs_days * DAY_MS;
        // A transaction each, so that nobody waits long.
        while ((await pruneGates(records, before, AT_ONCE)) === AT_ONCE);
        while ((await prunePullRequests(records, before, AT_ONCE)) === AT_ONCE);
        await pruneCommitRecordings(records, before);
      },
    },
  ];
}
