import { findCauseOf } from "../../../store/records/causes.ts";
import {
  type FailureFilters,
  type FailureGroup as FailureGroupRow,
  type FailurePart,
  firstSeen,
  listFailureGroups,
} from "../../../store/records/failures.ts";
import { lastVerdict } from "../../../store/records/histories.ts";
import { findScenario, scenariosById } from "../../../store/records/scenarios.ts";
import { lastTestPass, testsOfScenarios } from "../../../store/records/test-run-tests.ts";
import { findTraceByOrd, traceOrdAt } from "../../../store/records/traces.ts";
import type { Deps } from "../../deps.ts";
import { invalid } from "../../http/errors.ts";
import type { Actor } from "../../identity/actor.ts";
import { toIso } from "../../platform/clock.ts";
import { toTestRef } from "../model.ts";
import { readSearch, readTime } from "../query.ts";
import { decodeFailureCursor, encodeFailureCursor, type FailureCursor } from "./cursor.ts";
import { type FailureGroup, type FailureList, type FailureListQuery, PARTS } from "./model.ts";

type FailureDeps = Pick<Deps, "store" | "clock">;

const USUAL_LIMIT = 50;
const USUAL_PERIOD_MS = 30 * 24 * 60 * 60_000;
const MOST_SCENARIOS = 20;
const MESSAGE_LENGTH = 1000;
/** How many pages are looked through for groups of a state. */
const MOST_PAGES = 10;

/**
 * One page of the failures of a period, grouped by signature. Failed traces without a signature are in no group, and
 * replays are left out.
 * @throws AppError `invalid_request` naming the parameter
 */
export async function listFailures(
  deps: FailureDeps,
  actor: Pick<Actor, "orgId">,
  query: FailureListQuery,
): Promise<FailureList> {
  const { records } = deps.store;
  const limit = query.limit ?? USUAL_LIMIT;
  const sort = query.sort ?? "last_seen";
  const cursor = query.cursor === undefined ? null : readCursor(query.cursor, sort);
  const { from, to } = cursor ?? readPeriod(query, deps.clock.now());
  const nothing = { from: toIso(from), to: toIso(to), items: [], next_cursor: null };
  const filters: FailureFilters = { orgId: actor.orgId, from, to };
  if (query.source !== undefined) filters.source = query.source;
  if (query.q !== undefined && query.q.trim() !== "") {
    const words = readSearch("q", query.q);
    if (words === null) return nothing;
    filters.words = words;
  }
  if (query.scenario !== undefined) {
    const scenario = await findScenario(records, actor.orgId, query.scenario);
    if (!scenario) return nothing;
    filters.scenarioId = scenario.id;
  }
  const items: FailureGroup[] = [];
  let after = cursor?.after ?? null;
  for (let page = 0; page < MOST_PAGES; page++) {
    const groups = await listFailureGroups(records, filters, { sort, after, limit: limit + 1, parts: PARTS });
    const described = await describe(deps, filters, groups.slice(0, limit));
    for (const [at, group] of described.entries()) {
      const { count, last_ord: lastOrd } = groups[at]!;
      after = { count, lastOrd };
      if (group && (query.state === undefined || group.state === query.state)) items.push(group);
      if (items.length === limit && at + 1 < groups.length)
        return { ...nothing, items, next_cursor: encodeFailureCursor({ sort, from, to, after }) };
    }
    if (groups.length <= limit) return { ...nothing, items };
    if (query.state === undefined) break;
  }
  return { ...nothing, items, next_cursor: after && encodeFailureCursor({ sort, from, to, after }) };
}

function readPeriod(query: FailureListQuery, now: number): { from: number; to: number } {
  // What happens in this very millisecond counts as well.
  const to = query.to === undefined ? now + 1 : readTime("to", query.to);
  const from = query.from === undefined ? Math.max(0, to - USUAL_PERIOD_MS) : readTime("from", query.from);
  if (from < 0 || to < 0) throw invalid('The query parameters "from" and "to" must not lie before 1970.');
  if (from > to) throw invalid('The query parameter "from" lies after "to".');
  return { from, to };
}

function readCursor(text: string, sort: FailureCursor["sort"]): FailureCursor {
  const cursor = decodeFailureCursor(text);
  if (!cursor) throw invalid('The query parameter "cursor" is not one that this list gave out.');
  if (cursor.sort !== sort) throw invalid('The query parameter "cursor" belongs to a list sorted otherwise.');
  return cursor;
}

/**
 * All that a page says of its groups: some steps into indexes for each. Null stands for
 * one that was removed since it was counted.
 */
async function describe(
  deps: FailureDeps,
  filters: FailureFilters,
  groups: FailureGroupRow[],
): Promise<(FailureGroup | null)[]> {
  const { records } = deps.store;
  const scenarios = await scenariosById(records, [
    ...new Set(groups.flatMap(({ parts }) => parts.map(({ scenario_id }) => scenario_id))),
  ]);
  const tests = await testsOfScenarios(records, filters.orgId, [...scenarios.keys()]);
  const lastPass = new Map<string, number>();
  for (const scenarioId of scenarios.keys()) {
    const pass = await lastVerdict(records, { orgId: filters.orgId, scenarioId }, "passed");
    // A pass that left no trace is one all the same.
    const passedAt = await lastTestPass(records, { orgId: filters.orgId, scenarioId });
    lastPass.set(scenarioId, Math.max(pass?.ord ?? -1, passedAt === null ? -1 : traceOrdAt(passedAt)));
  }
  return Promise.all(
    groups.map(async (group): Promise<FailureGroup | null> => {
      const last = await findTraceByOrd(records, group.last_ord);
      if (!last) return null;
      const concerned = scenariosOf(group.parts).map(({ id, count, last_ord }) => ({
        ...(scenarios.get(id) ?? { id, slug: "", title: "" }),
        test: toTestRef(tests.get(id)),
        count,
        last_seen: toIso(millisecondsOf(last_ord)),
        is_resolved: (lastPass.get(id) ?? -1) > last_ord,
      }));
      const first =
        (await firstSeen(records, filters.orgId, group.signature, filters.scenarioId)) ?? last.created_at;
      return {
        signature: group.signature,
        message: last.failure_message?.slice(0, MESSAGE_LENGTH) ?? null,
        step: last.failed_step_title,
        count: group.count,
        state: concerned.every(({ is_resolved }) => is_resolved)
          ? "resolved"
          : first >= filters.from
            ? "new"
            : "ongoing",
        first_seen: toIso(first),
        last_seen: toIso(last.created_at),
        histogram: histogramOf(group.parts),
        scenarios: concerned.slice(0, MOST_SCENARIOS),
        scenario_count: concerned.length,
        last_trace: {
          id: last.id,
          short_id: last.short_id,
          status: last.status,
          scenario_slug: last.scenario_slug,
          scenario_title: last.scenario_title,
          code_sha: last.code_sha,
          headline: (await findCauseOf(records, last.id))?.headline ?? null,
        },
      };
    }),
  );
}

/** The scenarios of a group, the most frequent first. */
function scenariosOf(parts: FailurePart[]): { id: string; count: number; last_ord: number }[] {
  const byId = new Map<string, { id: string; count: number; last_ord: number }>();
  for (const { scenario_id: id, count, last_ord } of parts) {
    const known = byId.get(id) ?? { id, count: 0, last_ord: 0 };
    byId.set(id, { id, count: known.count + count, last_ord: Math.max(known.last_ord, last_ord) });
  }
  return [...byId.values()].sort((a, b) => b.count - a.count || b.last_ord - a.last_ord);
}

function histogramOf(parts: FailurePart[]): number[] {
  const counts = Array.from({ length: PARTS }, () => 0);
  for (const { part, count } of parts) counts[part] = (counts[part] ?? 0) + count;
  return counts;
}

const millisecondsOf = (ord: number) => Math.floor(ord / 4096);
