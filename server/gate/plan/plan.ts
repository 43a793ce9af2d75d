import { type CommitRecording, keepCommitRecordings } from "../../../store/records/commit-recordings.ts";
import { coverageOf } from "../../../store/records/coverage.ts";
import type { Trx } from "../../../store/records/db.ts";
import { insertGateScenarios } from "../../../store/records/gate-scenarios.ts";
import { findGate, type GateRow } from "../../../store/records/gates.ts";
import { recordingsOf } from "../../../store/records/recordings.ts";
import { findScenario, upsertScenario } from "../../../store/records/scenarios.ts";
import type { Deps } from "../../deps.ts";
import { commit } from "../../jobs/commit.ts";
import { scheduleRules } from "../../run/regions.ts";
import type { RunPlan } from "../../run/runs/execute.ts";
import type { CodeHost, RepositoryFile } from "../code-host/types.ts";
import { moveGate } from "../flow/move.ts";
import { LOOK } from "../kinds.ts";
import { type Address, addressOf } from "./address.ts";
import type { HeadInput, HeadOutput, HeadScenario } from "./compile-task.ts";
import { concernedBy, needsAddress, type Reason } from "./concerned.ts";
import { type HeadRecordings, readHeadRecordings } from "./recordings.ts";
import { hostOf, PlanError, readBefore, readCommit } from "./source.ts";
import { startRuns } from "./start-runs.ts";

/** More is no gate but a nightly run. */
const MOST_RUNS = 300;
/** How long a gate waits for an address (decisions, section 7), and how often it looks. */
export const WAIT_MS = 10 * 60_000;
export const LOOK_EVERY_MS = 30_000;

/** A scenario of the head commit that the change concerns. */
interface Concerned extends HeadScenario {
  reasons: Reason[];
  /** Of the recordings of the commit, those that its clones answer from, by the name that it gives them. */
  own: Record<string, CommitRecording>;
  /** Why its clones cannot answer; null when they can. */
  unrecorded: string | null;
}

/**
 * Finds out what a gate is about: which scenarios of its head commit the change concerns, and where they run. Then they are queued, or
 * it waits for an address. Again after a crash it begins anew: nothing is written down before all is known.
 * @throws CodeHostError
 */
export async function planGate(deps: Deps, gateId: string): Promise<void> {
  const gate = await findGate(deps.store.records, gateId);
  if (gate?.status !== "queued") return;
  try {
    await plan(deps, gate);
  } catch (error) {
    if (!(error instanceof PlanError)) throw error;
    await failPlan(deps, gate.id, error.message);
  }
}

/** Ends a gate that cannot be planned: that is no verdict on the commit. */
export async function failPlan(deps: Deps, gateId: string, message: string): Promise<void> {
  await commit(deps, async (trx, after) => {
    const gate = await findGate(trx, gateId);
    if (gate) await moveGate(deps, trx, after, gate, "error", { reason: message });
  });
}

async function plan(deps: Deps, gate: GateRow): Promise<void> {
  const host = await hostOf(deps, gate);
  const commitFiles = await readCommit(deps, gate, host);
  const { changed, files } = commitFiles;
  const { ready, problems } = await compile(deps, files, () => readBefore(deps, gate, host, commitFiles));
  const concerned = await concernedOf(deps, gate, host, ready, changed);
  const isBroken = problems.some(({ isNew }) => isNew);
  const withheld = concerned.flatMap((one) => whyWithheld(gate, one) ?? []);
  const runs = concerned.filter((one) => whyWithheld(gate, one) === null);
  const address: Address =
    isBroken || !runs.some(({ scenario }) => needsAddress(scenario))
      ? { url: "" }
      : await addressOf(deps, gate, host);
  await commit(deps, async (trx, after) => {
    const now = deps.clock.now();
    const noted = { problems: JSON.stringify(problems) };
    const move = (to: GateRow["status"], reason: string | null, more: Partial<GateRow> = {}) =>
      moveGate(deps, trx, after, gate, to, { ...noted, reason, ...more });
    if (isBroken) {
      const count = new Set(problems.flatMap(({ path, isNew }) => (isNew ? [path] : []))).size;
      await move("failed", `${files_(count)} of the commit ${count === 1 ? "does" : "do"} not compile.`);
      return;
    }
    if (concerned.length === 0) {
      const none =
        files.length === 0 ? "The commit has no scenario files." : "What changed concerns no scenario.";
      await move("passed", none);
      return;
    }
    const canRun = runs.length > 0 && (address.url !== null || address.canCome);
    const isWaiting = address.url === null && canRun;
    const status = canRun ? (isWaiting ? "waiting" : "running") : "failed";
    const reason =
      address.url === null ? address.why : canRun ? null : `No scenario could be run. ${withheld[0]}`;
    const moved = await move(status, reason, {
      ...(address.url ? { base_url: address.url } : {}),
      ...(isWaiting && { wait_until: now + WAIT_MS }),
    });
    if (!moved) return;
    await keepConcerned(deps, trx, gate, concerned);
    if (status === "running") await startRuns(deps, trx, after, gate, address.url);
    if (isWaiting)
      await after.add({
        kind: LOOK,
        payload: { gate_id: gate.id, turn: 1 },
        dedupeKey: `${gate.id} 1`,
        runAt: now + LOOK_EVERY_MS,
      });
  });
}

/**
 * Compiles the files of the head commit. Those of before are asked for only when something is wrong: a file may stop compiling by what
 * another one says, so all of them count and not the changed ones alone.
 */
async function compile(
  deps: Deps,
  files: RepositoryFile[],
  readFilesBefore: () => Promise<RepositoryFile[] | null>,
): Promise<HeadOutput> {
  const rules = scheduleRules(deps.config.settings);
  const run = (before: HeadInput["before"]) =>
    deps.tasks.run<HeadOutput>("gate.compile", { files, before, rules } satisfies HeadInput);
  const alone = await run(null);
  const before = alone.problems.length === 0 ? null : await readFilesBefore();
  return before === null ? alone : run(before);
}

const files_ = (count: number): string => (count === 1 ? "A scenario file" : `${count} scenario files`);

async function concernedOf(
  deps: Deps,
  gate: GateRow,
  host: CodeHost | null,
  ready: HeadScenario[],
  changed: Parameters<typeof concernedBy>[2],
): Promise<Concerned[]> {
  const { records } = deps.store;
  const found: (HeadScenario & { reasons: Reason[]; synced: string[] })[] = [];
  for (const head of ready) {
    const known = await findScenario(records, gate.org_id, head.scenario.slug);
    const used = known ? (await coverageOf(records, known.id)).map(({ path }) => path) : [];
    const reasons = concernedBy(head, used, changed);
    if (reasons.length === 0) continue;
    // What the org has synced is none of a fork's.
    const isOurs = known !== null && gate.is_fork === 0 && Object.keys(head.recordings).length > 0;
    const synced = isOurs ? (await recordingsOf(records, known.id)).map(({ name }) => name) : [];
    found.push({ ...head, reasons, synced });
  }
  if (found.length > MOST_RUNS)
    throw new PlanError(
      `What changed concerns ${found.length} scenarios, and a gate runs at most ${MOST_RUNS}: narrower "covers" name less.`,
    );
  const recordings = await readHeadRecordings(deps, gate, host, found);
  return found.map((one) => ({ ...one, ...recordedFor(gate, one, one.synced, recordings) }));
}

/** What the clones of a scenario answer from: what its commit has counts before what was synced. */
function recordedFor(
  { is_fork }: GateRow,
  head: HeadScenario,
  synced: readonly string[],
  { ready, problems }: HeadRecordings,
): Pick<Concerned, "own" | "unrecorded"> {
  const own: Concerned["own"] = {};
  const missing: string[] = [];
  for (const [name, path] of Object.entries(head.recordings)) {
    const problem = problems.get(path);
    if (problem !== undefined) return { own, unrecorded: problem };
    const recording = ready.get(path);
    if (recording) own[name] = recording;
    else if (!synced.includes(name)) missing.push(name);
  }
  if (missing.length === 0) return { own, unrecorded: null };
  const unrecorded =
    is_fork === 1
      ? `Its commit lacks its recorded answers ${missing.join(", ")}, and code of a fork gets none but its own.`
      : `Its recorded answers ${missing.join(", ")} are neither in the commit nor on the server: commit them beside its file, or bring them with "tracedeck scenarios sync".`;
  return { own, unrecorded };
}

/** Why a scenario is not run; null when it is. */
function whyWithheld({ is_fork }: GateRow, { scenario, unrecorded }: Concerned): string | null {
  if (unrecorded !== null) return unrecorded;
  if (is_fork === 0) return null;
  if (scenario.secrets.length === 0) return null;
  return `It needs ${scenario.secrets.join(", ")}, and code of a fork gets no secrets.`;
}

async function keepConcerned(deps: Deps, trx: Trx, gate: GateRow, concerned: Concerned[]): Promise<void> {
  const { org_id: orgId, head_sha, is_fork } = gate;
  const now = deps.clock.now();
  const rows = [];
  for (const one of concerned) {
    const { slug, title } = one.scenario;
    const known = await findScenario(trx, orgId, slug);
    // A branch renames nothing: what is known of the scenario stays as it is.
    const { id } = known ?? (await upsertScenario(trx, { id: deps.ids.uuid(), orgId, slug, title, now }));
    const withheld = whyWithheld(gate, one);
    const own = Object.entries(one.own);
    if (withheld === null)
      await keepCommitRecordings(
        trx,
        own.map(([, recording]) => recording),
        now,
      );
    const run: RunPlan = {
      scenario: one.scenario,
      source: one.text,
      code_sha: head_sha,
      ...(own.length > 0 && { recordings: Object.fromEntries(own.map(([name, { hash }]) => [name, hash])) }),
      ...(is_fork === 1 && { is_untrusted: true }),
    };
    rows.push({
      ...{ gate_id: gate.id, slug, scenario_id: id, title, path: one.path },
      reasons: JSON.stringify(one.reasons),
      plan: withheld === null ? JSON.stringify(run) : null,
      withheld,
    });
  }
  await insertGateScenarios(trx, rows);
}
