import { headlinesOf } from "../../../store/records/causes.ts";
import { testsOfScenarios } from "../../../store/records/test-run-tests.ts";
import { countFacetsWithin } from "../../../store/records/trace-facet-counts.ts";
import { noCounts } from "../../../store/records/trace-facets.ts";
import { findScenarioId, listTraces, type TraceFilters } from "../../../store/records/trace-list.ts";
import { traceCreatedAt } from "../../../store/records/traces.ts";
import type { Deps } from "../../deps.ts";
import { invalid } from "../../http/errors.ts";
import type { Actor } from "../../identity/actor.ts";
import { toIso } from "../../platform/clock.ts";
import {
  type TraceFilterQuery,
  type TraceItem,
  type TraceListQuery,
  toTestRef,
  toTraceItem,
} from "../model.ts";
import { readSearch, readTime } from "../query.ts";
import { decodeCursor, encodeCursor } from "./cursor.ts";

type ListDeps = Pick<Deps, "store" | "clock">;

const DEFAULT_LIMIT = 50;
const MOST_FACETS = 50;

export interface TracePage {
  items: TraceItem[];
  next_cursor: string | null;
}

/**
 * One page of the org's traces, newest first.
 * @throws AppError `invalid_request` naming the parameter
 */
export async function showTraces(
  deps: ListDeps,
  actor: Pick<Actor, "orgId">,
  query: TraceListQuery,
): Promise<TracePage> {
  const limit = query.limit ?? DEFAULT_LIMIT;
  const filters = await toFilters(deps, actor.orgId, query, limit + 1);
  if (!filters) return { items: [], next_cursor: null };
  const { traces, lookedTo } = await listTraces(deps.store.records, filters);
  const now = deps.clock.now();
  const rows = traces.slice(0, limit);
  const failed = rows.filter(({ status }) => status !== "passed").map(({ id }) => id);
  const headlines = await headlinesOf(deps.store.records, failed);
  const tests = await testsOfScenarios(deps.store.records, actor.orgId, [
    ...new Set(rows.map((row) => row.scenario_id)),
  ]);
  const items = rows.map((row) =>
    toTraceItem(row, now, {
      headline: headlines.get(row.id) ?? null,
      test: toTestRef(tests.get(row.scenario_id)),
    }),
  );
  const last = traces.length > limit ? traces[limit - 1]!.id : lookedTo;
  return { items, next_cursor: last && encodeCursor({ createdAt: traceCreatedAt(last), id: last }) };
}

/** Null when nothing can match. */
async function toFilters(
  deps: ListDeps,
  orgId: string,
  query: TraceListQuery,
  limit: number,
): Promise<TraceFilters | null> {
  const filters: TraceFilters = { orgId, limit };
  if (query.status !== undefined) filters.status = query.status;
  if (query.source !== undefined) filters.source = query.source;
  if (query.tier !== undefined) filters.tier = query.tier;
  if (query.signature !== undefined) filters.signature = query.signature;
  if (query.not_status !== undefined) filters.notStatus = query.not_status;
  if (query.not_source !== undefined) filters.notSource = query.not_source;
  if (query.not_tier !== undefined) filters.notTier = query.not_tier;
  if (query.pr !== undefined) filters.pr = query.pr;
  if (query.code_sha !== undefined) filters.codeSha = query.code_sha;
  if (query.region !== undefined) filters.region = query.region;
  if (query.kind !== undefined) filters.kind = query.kind;
  if (query.min_duration_ms !== undefined) filters.minDurationMs = query.min_duration_ms;
  if (query.max_duration_ms !== undefined) filters.maxDurationMs = query.max_duration_ms;
  if (query.min_size !== undefined) filters.minSize = query.min_size;
  if (query.max_size !== undefined) filters.maxSize = query.max_size;
  if (query.pinned !== undefined) filters.pinned = query.pinned === "true" || query.pinned === "1";
  if (query.scenario_id !== undefined) filters.scenarioId = query.scenario_id.toLowerCase();
  if (query.from !== undefined) filters.from = readTime("from", query.from);
  if (query.to !== undefined) filters.to = readTime("to", query.to);
  if (filters.from !== undefined && filters.to !== undefined && filters.from > filters.to)
    throw invalid('The query parameter "from" lies after "to".');
  if (query.cursor !== undefined) {
    const place = decodeCursor(query.cursor);
    if (!place) throw invalid('The query parameter "cursor" is not one that this list gave out.');
    filters.after = place.id;
  }
  if (query.q !== undefined && query.q.trim() !== "") {
    const words = readSearch("q", query.q);
    if (words === null) return null;
    filters.words = words;
  }
  if (query.step !== undefined && query.step.trim() !== "") {
    const words = readSearch("step", query.step);
    if (words === null) return null;
    filters.stepWords = words;
  }
  if (query.scenario !== undefined) {
    const id = await findScenarioId(deps.store.records, orgId, query.scenario);
    if (id === null || (filters.scenarioId !== undefined && filters.scenarioId !== id)) return null;
    filters.scenarioId = id;
  }
  return filters;
}

/**
 * How many traces there are per status, source, tier, scenario and failure, for a list's side panel: of each value as many
 * as the list would show with it in the place of its kind's own filter.
 * @throws AppError `invalid_request` naming the parameter
 */
export async function showFacets(deps: ListDeps, actor: Pick<Actor, "orgId">, query: TraceFilterQuery) {
  const filters = await toFilters(deps, actor.orgId, query, MOST_FACETS);
  const counts = filters ? await countFacetsWithin(deps.store.records, filters, MOST_FACETS) : noCounts();
  return {
    ...counts,
    signatures: counts.signatures.map((signature) => ({ ...signature, last_at: toIso(signature.last_at) })),
  };
}
