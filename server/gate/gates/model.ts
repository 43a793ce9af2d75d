import { type Static, Type } from "@sinclair/typebox";
import type { GateScenarioRow } from "../../../store/records/gate-scenarios.ts";
import type { GateRow, ListedGate } from "../../../store/records/gates.ts";
import type { RunRow } from "../../../store/records/runs.ts";
import { toIso } from "../../platform/clock.ts";
import { pathProblem } from "../../run/language/paths.ts";
import { RUN_STATUSES } from "../../run/runs/model.ts";
import { nullable, oneOf } from "../../trace/model.ts";
import type { Fix } from "../mender/fix-of.ts";
import type { FileProblem } from "../plan/compile-task.ts";
import type { Reason } from "../plan/concerned.ts";
import type { Finding } from "../verdict/finding.ts";

export const GATE_STATUSES = [
  "queued",
  "waiting",
  "running",
  "passed",
  "failed",
  "error",
  "superseded",
  "cancelled",
] as const;

const Uuid = () => Type.String({ format: "uuid" });
const Time = () => Type.String({ description: "ISO 8601." });
const Sha = () =>
  Type.String({ pattern: "^[0-9a-fA-F]{40}(?:[0-9a-fA-F]{24})?$", description: "A whole commit hash." });
const REPOSITORY = "^[A-Za-z0-9_.-]{1,100}/[A-Za-z0-9_.-]{1,100}$";

/** Bytes of scenario files and paths that a request may carry. */
export const MAX_GATE_BYTES = 8 * 1024 * 1024;

const Files = (description: string, longest = 1024 * 1024) =>
  Type.Array(
    Type.Object(
      {
        path: Type.String({ minLength: 1, maxLength: 500 }),
        text: Type.String({ maxLength: longest }),
      },
      { additionalProperties: false },
    ),
    { maxItems: 2000, description },
  );

export const NewGate = Type.Object(
  {
    repo: Type.Optional(
      Type.String({
        pattern: REPOSITORY,
        description: "owner/name; the repository of settings.json when absent.",
      }),
    ),
    pr: Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1, description: "Number of the pull request." }),
    title: Type.Optional(Type.String({ maxLength: 500 })),
    author: Type.Optional(Type.String({ maxLength: 100 })),
    head_sha: Sha(),
    base_sha: Sha(),
    head_at: Type.Optional(
      Type.String({
        maxLength: 40,
        description:
          "When the pull request got its head commit (ISO 8601): the time of the event that began the CI job, else that of the commit. A gate that is asked for with an earlier time than the pull request's newest gate has is `superseded` at once.",
      }),
    ),
    branch: Type.Optional(Type.String({ maxLength: 250, description: "Of the head." })),
    url: Type.Optional(
      Type.String({
        maxLength: 2000,
        description:
          "Where the commit can be tried; else a deployment or the template of settings.json says so.",
      }),
    ),
    is_fork: Type.Optional(
      Type.Boolean({ description: "Whether the commits are a stranger's: they get no secrets." }),
    ),
    files: Type.Optional(
      Files(
        "The scenario files of the head commit, all of them; else the repository of settings.json is read.",
      ),
    ),
    base_files: Type.Optional(
      Files(
        "The scenario files of the commit that the change began at (the merge base), so that what did not compile before is not laid to the change; those that `changed` does not name may be left out. Else the repository of settings.json is read.",
      ),
    ),
    recordings: Type.Optional(
      Files(
        "The HARs of the head commit that `har:` of its scenarios' clones names; else the repository of settings.json is read, and what it lacks is as `scenarios sync` brought it.",
        MAX_GATE_BYTES,
      ),
    ),
    changed: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 4096 }), {
        maxItems: 20_000,
        description:
          "Paths that differ between the merge base and the head; else the repository is read, and without one all counts as changed.",
      }),
    ),
  },
  {
    additionalProperties: false,
    examples: [
      {
        ...{ repo: "acme/shop", pr: 482, url: "https://pr-482.preview.example" },
        head_sha: "5c8d1f0a9b7e3c2d4f6a8b0c1d2e3f4a5b6c7d8e",
        base_sha: "0f1e2d3c4b5a69788796a5b4c3d2e1f001122334",
        changed: ["src/checkout/pay.ts"],
        files: [{ path: "pay.scenario.md", text: '---\nslug: pay\ntitle: Pay\n---\n1. go to "/"\n' }],
      },
    ],
  },
);
export type NewGate = Static<typeof NewGate>;

/** What is wrong with the paths of a request; null when nothing is. */
export function filesProblem(body: NewGate): string | null {
  for (const field of ["files", "base_files", "recordings"] as const) {
    const seen = new Set<string>();
    for (const [at, { path }] of (body[field] ?? []).entries()) {
      const problem = pathProblem(path);
      if (problem) return `The body's field "${field}.${at}.path", ${JSON.stringify(path)}, ${problem}.`;
      if (seen.has(path)) return `The body's field "${field}" has ${JSON.stringify(path)} twice.`;
      seen.add(path);
    }
  }
  return null;
}

const KnownAnswer = Type.Object({
  kind: oneOf(["production", "base", "flaky"] as const),
  is_same: Type.Boolean({
    description: "Whether it is the same failure: then it is not laid to the commit.",
  }),
  text: Type.String(),
  run_id: nullable(Uuid()),
  incident_id: nullable(Uuid()),
});

const FindingAnswer = Type.Object({
  outcome: oneOf(["passed", "failed", "error"] as const),
  blocks: Type.Boolean({ description: "Whether the gate fails because of it." }),
  run_id: Uuid(),
  trace_id: nullable(Uuid()),
  duration_ms: Type.Integer(),
  headline: nullable(Type.String({ description: "Why it failed, in one sentence." })),
  error_reason: nullable(Type.String()),
  failed_step: Type.Union([
    Type.Object({ step_id: Type.String(), title: Type.String(), path: Type.String(), line: Type.Integer() }),
    Type.Null(),
  ]),
  failure_signature: nullable(Type.String()),
  last_pass: Type.Union([Type.Object({ trace_id: Uuid(), duration_ms: Type.Integer() }), Type.Null()]),
  differs: Type.Array(Type.String(), { description: "What this run has and the compared pass has not." }),
  known: Type.Array(KnownAnswer),
});

export const GateScenario = Type.Object({
  slug: Type.String(),
  title: Type.String(),
  path: Type.String({ description: "In the repository." }),
  reasons: Type.Array(
    Type.Object({
      path: nullable(Type.String()),
      rule: oneOf(["covers", "coverage", "scenario_file", "all"] as const),
    }),
    { description: "Each changed path that concerns it; `all` where nobody knows all that changed." },
  ),
  withheld: nullable(Type.String({ description: "Why it is not run." })),
  run_id: nullable(Uuid()),
  run_status: Type.Union([oneOf(RUN_STATUSES), Type.Null()]),
  base_run_id: nullable(Uuid()),
  finding: Type.Union([FindingAnswer, Type.Null()], { description: "Null while its run goes on." }),
  fix: Type.Union(
    [Type.Object({ attempt_id: Uuid(), status: oneOf(["verified", "applied"] as const) }), Type.Null()],
    { description: "The mender's patch for this failure, which a replay has verified." },
  ),
});
export type GateScenario = Static<typeof GateScenario>;

export const GateItem = Type.Object({
  id: Uuid(),
  kind: oneOf(["pull_request", "merge_group"] as const),
  repo: Type.String({ description: "owner/name" }),
  pull_request_id: nullable(Uuid()),
  pr_number: Type.Union([Type.Integer(), Type.Null()]),
  head_sha: Type.String(),
  head_ref: Type.String(),
  base_sha: Type.String(),
  is_fork: Type.Boolean(),
  attempt: Type.Integer({ description: "From 1: the same commit may be judged again." }),
  trigger: Type.String({ description: "What asked for it: pull_request, merge_group, rerequested, api, …" }),
  status: oneOf(GATE_STATUSES),
  reason: nullable(Type.String({ description: "One sentence." })),
  base_url: nullable(Type.String()),
  wait_until: nullable(Time()),
  decision: Type.Union([oneOf(["approved", "rejected"] as const), Type.Null()], {
    description: "What people made of it; it outweighs the status.",
  }),
  decided_by: nullable(Type.String()),
  decided_at: nullable(Time()),
  passes: Type.Union([Type.Boolean(), Type.Null()], {
    description: "Whether the commit may go on, decision and verdict together; null while nobody knows.",
  }),
  scenario_count: Type.Integer(),
  failed_count: Type.Integer({ description: "Of those that failed or ended in an error." }),
  created_at: Time(),
  started_at: nullable(Time()),
  ended_at: nullable(Time()),
});
export type GateItem = Static<typeof GateItem>;

export const GateAnswer = Type.Composite([
  GateItem,
  Type.Object({
    problems: Type.Array(
      Type.Object({
        path: Type.String(),
        line: Type.Integer(),
        column: Type.Integer(),
        message: Type.String(),
        isNew: Type.Boolean({
          description:
            "False when the file did not compile before the change either: then it is not laid to the commit.",
        }),
      }),
      { description: "Scenario files of the head commit that do not compile." },
    ),
    scenarios: Type.Array(GateScenario),
  }),
]);
export type GateAnswer = Static<typeof GateAnswer>;

export const GateList = Type.Object({ items: Type.Array(GateItem), next_cursor: nullable(Type.String()) });

export const GateListQuery = Type.Object({
  repo: Type.Optional(Type.String({ maxLength: 201, description: "owner/name" })),
  pr: Type.Optional(Type.Integer({ minimum: 1 })),
  pull_request: Type.Optional(Type.String({ format: "uuid" })),
  head: Type.Optional(Sha()),
  status: Type.Optional(oneOf(GATE_STATUSES)),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, description: "50 when absent." })),
  cursor: Type.Optional(Type.String({ maxLength: 200 })),
});
export type GateListQuery = Static<typeof GateListQuery>;

const time = (ms: number | null): string | null => (ms === null ? null : toIso(ms));

export function toGateItem(row: ListedGate, scenarios: readonly GateScenarioRow[]): GateItem {
  const found = scenarios.flatMap(({ finding }) =>
    finding === null ? [] : [JSON.parse(finding) as Finding],
  );
  const { decision, status } = row;
  const isVerdict = status === "passed" || status === "failed" || status === "error";
  return {
    ...{ id: row.id, kind: row.kind, repo: row.repository, pull_request_id: row.pull_request_id },
    ...{ pr_number: row.pr_number, head_sha: row.head_sha, head_ref: row.head_ref, base_sha: row.base_sha },
    ...{ is_fork: row.is_fork === 1, attempt: row.attempt, trigger: row.trigger, status },
    ...{ reason: row.reason, base_url: row.base_url, wait_until: time(row.wait_until) },
    ...{ decision, decided_by: row.decided_by, decided_at: time(row.decided_at) },
    passes: decision !== null ? decision === "approved" : isVerdict ? status === "passed" : null,
    scenario_count: scenarios.length,
    failed_count: found.filter(({ outcome }) => outcome !== "passed").length,
    ...{ created_at: toIso(row.created_at), started_at: time(row.started_at), ended_at: time(row.ended_at) },
  };
}

export function toGate(
  row: GateRow,
  scenarios: readonly GateScenarioRow[],
  runs: ReadonlyMap<string, RunRow>,
  fixes: ReadonlyMap<string, Fix>,
): GateAnswer {
  return {
    ...toGateItem(row, scenarios),
    problems: JSON.parse(row.problems) as FileProblem[],
    scenarios: scenarios.map((one) => ({
      ...{ slug: one.slug, title: one.title, path: one.path, withheld: one.withheld },
      reasons: JSON.parse(one.reasons) as Reason[],
      run_id: one.run_id,
      run_status: (one.run_id === null ? null : runs.get(one.run_id)?.status) ?? null,
      base_run_id: one.base_run_id,
      finding: one.finding === null ? null : (JSON.parse(one.finding) as Finding),
      fix: fixes.get(one.slug) ?? null,
    })),
  };
}
