import { type GateScenarioRow, gateScenarios } from "../../../store/records/gate-scenarios.ts";
import type { GateRow } from "../../../store/records/gates.ts";
import { findTrace } from "../../../store/records/traces.ts";
import type { Deps } from "../../deps.ts";
import { outsideAddress } from "../../identity/orgs.ts";
import { type Fix, fixOfRun } from "../mender/fix-of.ts";
import type { FileProblem } from "../plan/compile-task.ts";
import type { Reason } from "../plan/concerned.ts";
import type { Finding } from "../verdict/finding.ts";

/** A scenario of a gate, as it is told of. */
export interface ToldScenario {
  slug: string;
  title: string;
  path: string;
  reasons: Reason[];
  withheld: string | null;
  runId: string | null;
  finding: Finding | null;
  /** A verified patch of what failed. */
  fix: Fix | null;
  /** A link to what the page looked like, which needs no credential; null where nobody outside could open it. */
  picture: string | null;
}

/** Where people decide. */
export interface DecisionLinks {
  approve: string;
  reject: string;
  /** Epoch ms. */
  endAt: number;
}

/** Everything that is told of a gate. */
export interface GateFacts {
  gate: GateRow;
  scenarios: ToldScenario[];
  problems: FileProblem[];
  /** Where links begin. */
  base: string;
  links: DecisionLinks | null;
}

/** What is told of a gate, from what is stored. */
export async function factsOf(deps: Deps, gate: GateRow, links: DecisionLinks | null): Promise<GateFacts> {
  const scenarios: ToldScenario[] = [];
  for (const row of await gateScenarios(deps.store.records, gate.id)) {
    const finding = row.finding === null ? null : (JSON.parse(row.finding) as Finding);
    scenarios.push({
      ...{ slug: row.slug, title: row.title, path: row.path, withheld: row.withheld, runId: row.run_id },
      ...{ reasons: JSON.parse(row.reasons) as Reason[], finding },
      fix: await fixOf(deps, finding),
      picture: finding?.outcome === "failed" ? await pictureOf(deps, row, finding) : null,
    });
  }
  return {
    ...{ gate, scenarios, links, base: outsideAddress(deps.config) },
    problems: JSON.parse(gate.problems) as FileProblem[],
  };
}

/** The verified patch for what a scenario's run tells; null without one. */
export async function fixOf(deps: Pick<Deps, "store">, finding: Finding | null): Promise<Fix | null> {
  if (finding?.outcome !== "failed" || finding.failure_signature === null) return null;
  return fixOfRun(deps, finding.run_id, finding.failure_signature);
}

/** Code hosts fetch pictures themselves, so one is named only where they can come. */
async function pictureOf(deps: Deps, row: GateScenarioRow, { trace_id }: Finding): Promise<string | null> {
  if (deps.config.publicUrl === null || trace_id === null) return null;
  const trace = await findTrace(deps.store.records, trace_id);
  if (!trace?.final_screenshot) return null;
  const token = await deps.gateState.links.signPicture(
    { gateId: row.gate_id, slug: row.slug },
    deps.clock.now(),
  );
  return `${deps.config.publicUrl}/v1/gate/picture?token=${token}`;
}

/** The pages that a gate leads to. */
export const pagesOf = ({ base, gate }: Pick<GateFacts, "base" | "gate">) => ({
  gate:
    gate.pull_request_id === null
      ? `${base}/gates/${gate.id}`
      : `${base}/pull-requests/${gate.pull_request_id}?gate=${gate.id}`,
  trace: (id: string, step: string | null) =>
    `${base}/traces/${id}${step === null ? "" : `?step=${encodeURIComponent(step)}`}`,
  run: (id: string) => `${base}/runs/${id}`,
  incident: (id: string) => `${base}/incidents/${id}`,
  fix: (attemptId: string) => `${base}/mender/${attemptId}`,
});
