import { findRun, type RunRow } from "../../../store/records/runs.ts";
import {
  findShadowDiff,
  type ShadowDiffRow,
  setShadowDiffResult,
} from "../../../store/records/shadow-diffs.ts";
import type { Deps } from "../../deps.ts";
import { commit } from "../../jobs/commit.ts";
import { withKeptLease } from "../../jobs/lease.ts";
import type { JobHandlers } from "../../jobs/types.ts";
import { finishRun } from "../../trace/process/completion.ts";
import type { RunTask } from "../pool/protocol.ts";
import { executeRun, type RunPlan } from "../runs/execute.ts";
import { COMPARE } from "../runs/kinds.ts";
import { settleRun, verdictOfRun } from "../runs/settle.ts";
import { compareObservations } from "./compare.ts";
import type { ShadowDiffResult } from "./model.ts";
import { heldAnswers, observe } from "./observe.ts";

type Shutdown = Parameters<typeof executeRun>[3];

export function shadowDiffHandlers(deps: Deps): JobHandlers {
  return [
    {
      kind: COMPARE,
      atMost: deps.config.settings.browser.slots,
      handle: withKeptLease(deps, async ({ run_id }, context) => {
        const row = await findShadowDiff(deps.store.records, String(run_id));
        // Removed meanwhile, or compared by an attempt that was lost after it.
        if (row && row.result === null) await compare(deps, row, context);
      }),
      async onDead({ run_id }, why) {
        const row = await findShadowDiff(deps.store.records, String(run_id));
        if (row)
          await end(deps, row, { reason: "comparison_failed", message: `It was not compared: ${why}` });
      },
    },
  ];
}

/** Makes the observations, one after the other, as far as they have not been made; then compares them. */
async function compare(deps: Deps, row: ShadowDiffRow, shutdown: Shutdown): Promise<void> {
  const { records } = deps.store;
  const shadow = await findRun(records, row.run_id);
  if (!shadow) return;
  const { scenario } = JSON.parse(shadow.plan) as RunPlan;
  const isCompared = ({ method }: { method: string }) => scenario.idempotent || method === "GET";
  const make = (id: string, clones?: RunTask["clones"]) =>
    executeRun(deps, deps.runState.runs, id, shutdown, clones);

  await make(row.production_run_id, null);
  const production = await findRun(records, row.production_run_id);
  if (!hasVerdict(production)) return giveUp(deps, row, production);
  const first = await observe(deps, production.trace_id, scenario.clones);
  // What must not be sent twice is answered as it was the first time.
  const held = heldAnswers(first.filter(({ method }) => method !== "GET"));
  await make(row.repeated_run_id, scenario.idempotent ? null : { recordings: { held }, isHeld: true });
  await make(row.run_id);

  const repeated = await findRun(records, row.repeated_run_id);
  const ended = await findRun(records, row.run_id);
  const [again, clone] = [
    await observe(deps, repeated?.trace_id ?? null, scenario.clones),
    await observe(deps, ended?.trace_id ?? null, scenario.clones),
  ].map((all) => all.filter(isCompared)) as [typeof first, typeof first];
  const observations = first.filter(isCompared);
  const result: ShadowDiffResult = {
    production: { observations },
    clone: { observations: clone },
    ...compareObservations(observations, again, clone),
  };
  await commit(deps, async (within, after) => {
    await setShadowDiffResult(within, row.run_id, JSON.stringify(result));
    const run = await findRun(within, row.run_id);
    if (run) await finishRun(within, after, run);
  });
}

const hasVerdict = (run: RunRow | null): run is RunRow =>
  run !== null && ["passed", "failed"].includes(verdictOfRun(run) ?? "");

/** Without production there is nothing to compare with. */
async function giveUp(deps: Deps, row: ShadowDiffRow, production: RunRow | null): Promise<void> {
  const how = (production && verdictOfRun(production)) ?? "and was removed";
  const message = `Production was not observed: its run ended ${how}.`;
  await end(deps, row, { reason: "production_unobserved", message });
}

/** Runs that nothing more comes of. */
async function end(
  deps: Deps,
  row: ShadowDiffRow,
  error: { reason: string; message: string },
): Promise<void> {
  const verdict = { status: "aborted", error: { ...error, stepId: null } } as const;
  for (const id of [row.repeated_run_id, row.run_id]) await settleRun(deps, { id }, verdict, true);
}
