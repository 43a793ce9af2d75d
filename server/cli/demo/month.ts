import type { Month, PlannedTrace } from "../../../fixtures/month/plan.ts";
import { TAPES } from "../../../fixtures/month/tapes.ts";
import { findLastPass } from "../../../store/records/baselines.ts";
import { findCauseOf, putCause } from "../../../store/records/causes.ts";
import type { Trx } from "../../../store/records/db.ts";
import { findRun, insertRun } from "../../../store/records/runs.ts";
import { findScenarioFile } from "../../../store/records/scenarios.ts";
import { findTrace, type TraceRow } from "../../../store/records/traces.ts";
import type { Deps } from "../../deps.ts";
import { type After, commit } from "../../jobs/commit.ts";
import type { RunPlan } from "../../run/runs/execute.ts";
import { createIngestService } from "../../trace/ingest/service.ts";
import { FIND_CAUSE } from "../../trace/kinds.ts";
import { isFinal } from "../../trace/model.ts";
import { publishTraceChange } from "../../trace/publish.ts";
import { type Copy, insertCopy, type Master, openMaster, writeCopy } from "./copy.ts";
import { depsAt, sampler } from "./moment.ts";
import { retime } from "./retime.ts";

/** A recording that is taken in whole, as an upload. */
export interface Take {
  key: string;
  path: string;
  at: number;
  slug: string;
  title: string;
  source: string;
  region: string | null;
  env: Record<string, string>;
  commitSha: string | null;
  pr: number | null;
  run: { id: string; attempt: number | null } | null;
}

export interface Maker {
  deps: Deps;
  orgId: string;
  /** What ids follow from. */
  seed: string;
  /** Ends the work after the trace at hand. */
  signal: AbortSignal;
}

/** Ids of traces. */
interface Made {
  /** By `masterOf`. */
  masters: Map<string, string>;
  /** By key. */
  ids: Map<string, string>;
}

/** Uploads that are checked and unpacked at once. */
const AT_ONCE = 3;
/** Copies of one transaction. */
const BATCH = 20;
const LOOK_MS = 15;
/** Longer than any of the recordings takes to be read on a busy machine. */
const PATIENCE_MS = 120_000;

/**
 * Makes the month: the newest trace of each recording is taken in as an upload is, and the others are copies of it under their own
 * times. Newest first, so that what is shown already stays where it is. What is there already is not made again.
 * @param today what stands on top, the newest first
 * @returns ids of traces by key
 */
export async function makeTraces(
  maker: Maker,
  month: Month,
  today: readonly Take[],
): Promise<Map<string, string>> {
  const ids = new Map<string, string>();
  const masters = new Map<string, string>();
  const takes = [...today];
  const taken = new Set(today.map(masterOf));
  for (const planned of month.traces) {
    const take = toTake(maker, planned);
    if (taken.has(masterOf(take))) continue;
    taken.add(masterOf(take));
    takes.push(take);
  }
  takes.sort((a, b) => b.at - a.at);
  await eachOf(takes, async (take) => {
    if (maker.signal.aborted) return;
    const id = await takeIn(maker, take);
    ids.set(take.key, id);
  });
  for (const take of takes.toReversed()) masters.set(masterOf(take), ids.get(take.key) ?? "");
  const copies = month.traces.filter(({ key }) => !ids.has(key));
  await makeCopies(maker, copies, { masters, ids });
  await tellCauses(maker, takes, copies, { masters, ids });
  await noteRuns(maker, month.traces, ids);
  return ids;
}

/** What copies are made of: a recording as the trace of a scenario. */
const masterOf = ({ path, slug }: Pick<Take, "path" | "slug">): string => `${slug} ${path}`;

function toTake(maker: Maker, planned: PlannedTrace): Take {
  const { key, at, slug, title, source, region, commit: change, pr, run } = planned;
  return {
    ...{ key, path: TAPES[planned.tape], at, slug, title, source, region, pr },
    env: envOf(planned),
    commitSha: change.sha,
    run: { id: runIdOf(maker, planned), attempt: run.attempt },
  };
}

const envOf = ({ branch, commit: { message, author } }: Pick<PlannedTrace, "branch" | "commit">) => ({
  branch,
  commit: message,
  author,
});

/** Takes a recording in by the way of an upload. One that was taken in before is only named. */
async function takeIn({ deps, orgId, seed }: Maker, take: Take): Promise<string> {
  const { key, path, at, slug, title, source, region, env, commitSha, pr, run } = take;
  const form = new FormData();
  const fields = {
    ...{ scenario_slug: slug, scenario_title: title, source, commit_sha: commitSha, pr_number: pr },
    ...{ run_id: run?.id, attempt: run?.attempt },
    ...(Object.keys(env).length > 0 && { env: JSON.stringify(env) }),
  };
  for (const [name, value] of Object.entries(fields))
    if (value !== null && value !== undefined) form.set(name, String(value));
  const bytes = await retime(path, at, region);
  form.set("bundle", new Blob([bytes as Uint8Array<ArrayBuffer>]), path.split("/").at(-1));
  const request = new Request("http://localhost/v1/traces/ingest", {
    method: "POST",
    headers: { "idempotency-key": `demo-${key.replaceAll(" ", "-")}` },
    body: form,
  });
  const service = createIngestService(depsAt(deps, at, `${seed} ${key}`));
  return (await service.upload(sampler(orgId), request)).trace_id;
}

async function makeCopies(
  maker: Maker,
  copies: readonly PlannedTrace[],
  { masters, ids }: Made,
): Promise<void> {
  const { deps, seed, signal } = maker;
  const opened = new Map<string, Promise<Master | null>>();
  const open = (path: string) => {
    const known =
      opened.get(path) ?? whenFinal(maker, masters.get(path)!).then((row) => row && openMaster(deps, row));
    opened.set(path, known);
    return known;
  };
  for (let from = 0; from < copies.length && !signal.aborted; from += BATCH) {
    const written = await Promise.all(copies.slice(from, from + BATCH).map(write));
    const fresh = written.filter((copy) => copy !== null);
    if (fresh.length === 0) continue;
    await commit(deps, async (trx, after) => {
      for (const copy of fresh) await insertCopy(trx, copy);
      const { difference, master } = fresh[0]!;
      publishTraceChange(after, { id: difference.id, org_id: maker.orgId, status: master.trace.status });
    });
  }

  /** Null for a copy that is there. */
  async function write(planned: PlannedTrace): Promise<Copy | null> {
    const { at, stretch, source, commit: change, pr, run, region } = planned;
    const { ids: own } = depsAt(deps, at, `${seed} ${planned.key}`);
    const [id, shortId] = [own.uuid(), own.shortId()];
    ids.set(planned.key, id);
    if (await findTrace(deps.store.records, id)) return null;
    const master = await open(masterOf(toTake(maker, planned)));
    if (!master) return null;
    const row: Partial<TraceRow> = {
      ...{ source, region, code_sha: change.sha, pr_number: pr },
      ...{ run_id: runIdOf(maker, planned), attempt: run.attempt },
      env: JSON.stringify({ ...(JSON.parse(master.trace.env) as object), ...envOf(planned) }),
    };
    return writeCopy(deps, master, { id, shortId, at, stretch, row });
  }
}

/** What the runner calls the run; of a scenario that the product ran itself, the id of that run. */
const runIdOf = ({ deps, seed }: Maker, { at, key, run }: PlannedTrace): string =>
  run.id === "" ? depsAt(deps, at, `${seed} run ${key}`).ids.uuid() : run.id;

/** The trace as it is when its processing has ended; null when the work is to end before. */
async function whenFinal({ deps, signal }: Maker, id: string): Promise<TraceRow | null> {
  const until = deps.clock.monotonic() + PATIENCE_MS;
  for (;;) {
    const trace = await findTrace(deps.store.records, id);
    if (trace === null || signal.aborted) return null;
    if (isFinal(trace.status)) return trace;
    if (deps.clock.monotonic() > until) throw new Error(`The sample trace ${id} is not read in time.`);
    await deps.clock.sleep(LOOK_MS, signal);
  }
}

/**
 * Has the causes of what was taken in looked for again, now that there are passes before it. A copy failed as its master did, against
 * copies of the same pass: its cause is the same.
 */
async function tellCauses(
  maker: Maker,
  takes: readonly Take[],
  copies: readonly PlannedTrace[],
  { masters, ids }: Made,
): Promise<void> {
  const { deps, signal } = maker;
  const { records } = deps.store;
  for (const { key } of takes) {
    const id = ids.get(key);
    const trace = id === undefined ? null : await whenFinal(maker, id);
    if (trace?.status !== "failed" || signal.aborted) continue;
    const pass = await findLastPass(records, trace);
    if (!pass || (await findCauseOf(records, trace.id))?.baseline_id === pass.id) continue;
    await commit(deps, (_trx, after) =>
      after.add({ kind: FIND_CAUSE, payload: { trace_id: trace.id }, dedupeKey: trace.id }),
    );
    await causeAgainst(maker, trace.id, pass.id);
  }
  await inBatches(maker, copies, async (trx, planned, after) => {
    const trace = await findTrace(trx, ids.get(planned.key) ?? "");
    if (trace?.status !== "failed" || (await findCauseOf(trx, trace.id))) return;
    const known = await findCauseOf(trx, masters.get(masterOf(toTake(maker, planned)))!);
    const pass = await findLastPass(trx, trace);
    if (!known) return;
    await putCause(trx, { ...known, trace_id: trace.id, baseline_id: pass?.id ?? null });
    publishTraceChange(after, trace);
  });
}

async function causeAgainst({ deps, signal }: Maker, id: string, passId: string): Promise<void> {
  const until = deps.clock.monotonic() + PATIENCE_MS;
  while (!signal.aborted && deps.clock.monotonic() < until) {
    if ((await findCauseOf(deps.store.records, id))?.baseline_id === passId) return;
    await deps.clock.sleep(LOOK_MS, signal);
  }
}

/** The runs of scenarios that left the month's traces. */
async function noteRuns(
  maker: Maker,
  traces: readonly PlannedTrace[],
  ids: Map<string, string>,
): Promise<void> {
  const { orgId } = maker;
  const plans = new Map<string, RunPlan>();
  const runs = traces.filter(({ region }) => region !== null);
  await inBatches(maker, runs, async (trx, planned) => {
    const { slug, region, commit: change } = planned;
    const trace = await findTrace(trx, ids.get(planned.key) ?? "");
    const file = await findScenarioFile(trx, orgId, slug);
    const id = runIdOf(maker, planned);
    if (!trace || !file?.compiled || (await findRun(trx, id))) return;
    const scenario = plans.get(slug)?.scenario ?? (JSON.parse(file.compiled) as RunPlan["scenario"]);
    const plan: RunPlan = { scenario, source: file.source, code_sha: change.sha };
    plans.set(slug, plan);
    const began = trace.started_at ?? planned.at;
    await insertRun(trx, {
      ...{ id, org_id: orgId, type: "schedule", status: trace.status, trigger: "schedule" },
      ...{ scenario_id: trace.scenario_id, scenario_slug: slug, region: region!, trace_id: trace.id },
      ...{ base_url: null, plan: JSON.stringify(plan), scheduled_at: began, started_at: began },
      ...{ ended_at: trace.ended_at, duration_ms: trace.duration_ms ?? 0 },
      error_message: trace.failure_message,
    });
  });
}

/** Does something with each, some in one transaction: each waits for the disk. */
async function inBatches<One>(
  { deps, signal }: Maker,
  all: readonly One[],
  work: (trx: Trx, one: One, after: After) => Promise<void>,
): Promise<void> {
  for (let from = 0; from < all.length && !signal.aborted; from += BATCH)
    await commit(deps, async (trx, after) => {
      for (const one of all.slice(from, from + BATCH)) await work(trx, one, after);
    });
}

/** Does something with each, so many at once, in their order. */
async function eachOf<One>(all: readonly One[], work: (one: One) => Promise<void>): Promise<void> {
  const left = all.values();
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (const one of left) await work(one);
    }),
  );
}
