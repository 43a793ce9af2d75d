import {
  firstFailureAfter,
  lastVerdict,
  listRunScenarios,
  type PastTrace,
  pastTraces,
} from "../../../store/records/histories.ts";
import { findScenario } from "../../../store/records/scenarios.ts";
import { lastTestPass, testsOfScenarios } from "../../../store/records/test-run-tests.ts";
import type { Deps } from "../../deps.ts";
import { invalid, notFound } from "../../http/errors.ts";
import type { Actor } from "../../identity/actor.ts";
import { requireTrace } from "../access.ts";
import { toTestRef } from "../model.ts";
import { entriesOf, withHeadlines } from "./entries.ts";
import {
  type BareEntry,
  type History,
  type HistoryList,
  type HistoryListQuery,
  type HistoryQuery,
  type Regression,
  toRun,
  toRunRef,
  USUAL_RUNS,
} from "./model.ts";
import { statisticsOf } from "./statistics.ts";
import { verdictsOf } from "./verdicts.ts";

type HistoryDeps = Pick<Deps, "store">;

const USUAL_SCENARIOS = 50;

/**
 * The last finished traces of a scenario (id or slug) with what they add up to. Replays are left out: they say what an
 * edit does.
 * @throws AppError `not_found`; `invalid_request` when `until` is a trace of another scenario
 */
export async function showHistory(
  deps: HistoryDeps,
  actor: Pick<Actor, "orgId">,
  idOrSlug: string,
  query: HistoryQuery,
): Promise<History> {
  const { records } = deps.store;
  const scenario = await findScenario(records, actor.orgId, idOrSlug);
  if (!scenario) throw notFound("This scenario");
  let until: number | undefined;
  let untilTime: number | undefined;
  if (query.until !== undefined) {
    const trace = await requireTrace(deps, actor, query.until);
    if (trace.scenario_id !== scenario.id)
      throw invalid('The query parameter "until" is a trace of another scenario.');
    until = trace.ord;
    untilTime = trace.created_at;
  }
  const of = { orgId: actor.orgId, scenarioId: scenario.id };
  const limit = query.limit ?? USUAL_RUNS;
  const rows = await pastTraces(records, of, { limit, until });
  const tests = await testsOfScenarios(records, actor.orgId, [scenario.id]);
  return {
    scenario: { ...scenario, test: toTestRef(tests.get(scenario.id)) },
    items: await withHeadlines(deps, await entriesOf(deps, of, rows, { limit, until: untilTime })),
    statistics: statisticsOf(await verdictsOf(deps, of, rows, { limit, until: untilTime })),
    regression: await regressionOf(deps, of, until, untilTime),
  };
}

/**
 * One page of the scenarios that ran, the latest first.
 * @throws AppError `invalid_request` naming the parameter
 */
export async function listHistories(
  deps: HistoryDeps,
  actor: Pick<Actor, "orgId">,
  query: HistoryListQuery,
): Promise<HistoryList> {
  const { records } = deps.store;
  const limit = query.limit ?? USUAL_SCENARIOS;
  const rows = await listRunScenarios(records, {
    orgId: actor.orgId,
    status: query.status,
    text: readText(query.q),
    after: query.cursor === undefined ? undefined : readCursor(query.cursor),
    limit: limit + 1,
  });
  const tests = await testsOfScenarios(
    records,
    actor.orgId,
    rows.map(({ id }) => id),
  );
  const found: (Omit<HistoryList["items"][number], "last"> & { last: BareEntry })[] = [];
  for (const { id, slug, title } of rows.slice(0, limit)) {
    const of = { orgId: actor.orgId, scenarioId: id };
    const past = await pastTraces(records, of, { limit: USUAL_RUNS });
    const entries = await entriesOf(deps, of, past, { limit: USUAL_RUNS });
    const newest = entries[0];
    // Removed since it was listed.
    if (!newest) continue;
    found.push({
      scenario: { id, slug, title, test: toTestRef(tests.get(id)) },
      last: newest,
      runs: entries.map(toRun),
      statistics: statisticsOf(await verdictsOf(deps, of, past, { limit: USUAL_RUNS })),
      regression: await regressionOf(deps, of),
    });
  }
  const last = await withHeadlines(
    deps,
    found.map((one) => one.last),
  );
  return {
    items: found.map((one, at) => ({ ...one, last: last[at]! })),
    next_cursor: rows.length > limit ? writeCursor(rows[limit - 1]!.last_ord) : null,
  };
}

/** Null while the last verdict is a pass, or when there is none. */
async function regressionOf(
  { store: { records } }: HistoryDeps,
  of: { orgId: string; scenarioId: string },
  until?: number,
  untilTime?: number,
): Promise<Regression> {
  const [green, red] = await Promise.all([
    lastVerdict(records, of, "passed", until),
    lastVerdict(records, of, "failed", until),
  ]);
  if (!red || (green && green.ord > red.ord)) return null;
  // A pass that left no trace is one all the same.
  const passedAt = await lastTestPass(records, of, untilTime);
  if (passedAt !== null && passedAt > red.created_at) return null;
  const first: PastTrace = (await firstFailureAfter(records, of, green?.ord ?? 0)) ?? red;
  return { last_green: green && toRunRef(green), first_red: toRunRef(first) };
}

function readText(text: string | undefined): string | undefined {
  if (text?.includes("\0")) throw invalid('The query parameter "q" must not hold NUL characters.');
  return text?.trim() || undefined;
}

const writeCursor = (ord: number) => Buffer.from(`s${ord}`).toString("base64url");

function readCursor(cursor: string): number {
  const match = /^s(\d{1,16})$/.exec(Buffer.from(cursor, "base64url").toString("latin1"));
  if (!match || writeCursor(Number(match[1])) !== cursor)
    throw invalid('The query parameter "cursor" is not one that this list gave out.');
  return Number(match[1]);
}
