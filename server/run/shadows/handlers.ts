import { findRun, type RunRow } from "../../../store/records/runs.ts";
import {
  findShadowDiff,
  type ShadowDiffRow,
  setShadowDiffResult,
} from "../../../store/records/shadow-diffs.ts";
import type { Deps } from "../../deps.ts";
import type { JobHandlers } from "../../jobs/types.ts";
import type { RunTask } from "../pool/protocol.ts";
import { executeRun, type RunPlan } from "../runs/execute.ts";
import { runWork } from "../runs/handlers.ts";
import { tellRun } from "../runs/news.ts";
import { settleRun } from "../runs/settle.ts";
import { compareObservations } from "./compare.ts";
import { COMPARE } from "./kinds.ts";
import type { ShadowDiffResult } from "./model.ts";
import { heldAnswers, observe } from "./observe.ts";

type Shutdown = Parameters<typeof executeRun>[3];

export function shadowDiffHandlers(deps: Deps): JobHandlers {
  return [
    {
      kind: COMPARE,
      atMost: deps.config.settings.browser.slots,
      async handle({ run_id }, context) {
        const row = await findShadowDiff(deps.store.records, String(run_id));
        // Removed meanwhile, or compared by a turn that was lost after it.
        if (row && row.result === null) await compare(deps, row, context);
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
    executeRun(deps, runWork(deps), id, shutdown, clones);

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
  await setShadowDiffResult(records, row.run_id, JSON.stringify(result));
  if (ended) tellRun(deps, ended);
}

const hasVerdict = (run: RunRow | null): run is RunRow =>
  run?.status === "passed" || run?.status === "failed";

/** Without production there is nothing to compare with. */
async function giveUp(deps: Deps, row: ShadowDiffRow, production: RunRow | null): Promise<void> {
  const message = `Production was not observed: its run ended ${production?.status ?? "and was removed"}.`;
  const error = { reason: "production_unobserved", message, stepId: null };
  for (const id of [row.repeated_run_id, row.run_id])
    await settleRun(deps, { id }, { status: "aborted", error });
}
