import { CompiledQuery } from "kysely";
import type { Records } from "./db.ts";
import type { TraceSource, TraceStatus, TraceTier } from "./schema.ts";
import { leftOutExpression, tagExpression } from "./search.ts";
import { facetsMatching } from "./trace-facets.ts";
import { type TraceRow, traceOrd } from "./traces.ts";

export interface TraceFilters {
  orgId: string;
  scenarioId?: string;
  status?: TraceStatus;
  source?: TraceSource;
  signature?: string;
  tier?: TraceTier;
  pinned?: boolean;
  notStatus?: TraceStatus;
  notSource?: TraceSource;
  notTier?: TraceTier;
  pr?: number;
  /** A commit or its beginning. */
  codeSha?: string;
  region?: string;
  /** In titles of steps; from `searchExpression`. */
  stepWords?: string;
  /** A kind of event, or a beginning that ends in a star. */
  kind?: string;
  /** From `searchExpression`. */
  words?: string;
  /** Looked at row by row; both ends included. */
  minDurationMs?: number;
  maxDurationMs?: number;
  minSize?: number;
  maxSize?: number;
  /** Epoch ms, included. */
  from?: number;
  /** Epoch ms, excluded. */
  to?: number;
  /** Id of the last trace of the page before. */
  after?: string;
  limit: number;
}

const COLUMNS = [
  "id",
  "short_id",
  "scenario_id",
  "scenario_slug",
  "scenario_title",
  "status",
  "tier",
  "pinned",
  "source",
  "code_sha",
  "failure_signature",
  "failure_message",
  "final_screenshot",
  "duration_ms",
  "created_at",
  "total_size_bytes",
  "event_count",
  "error_count",
  "share_visibility",
  "share_expires_at",
] as const satisfies (keyof TraceRow)[];

export type ListedTrace = Pick<TraceRow, (typeof COLUMNS)[number]>;

const INDEX_OF = {
  scenario_id: "traces_by_scenario",
  failure_signature: "traces_by_signature",
  status: "traces_by_status",
  source: "traces_by_source",
  tier: "traces_by_tier",
  pinned: "traces_by_pinned",
} as const;

type Equal = [column: keyof typeof INDEX_OF, value: string | number];

/** Above every `ord`: ends the range of a list that has no end. */
const NO_END = Number.MAX_SAFE_INTEGER;
/** Of a failure message, what a row of a list shows. */
const MESSAGE_LENGTH = 1000;

/** Rows that are looked at for one page when they are chosen by duration or size, which no index has. */
export const LOOKED_AT = 10_000;

export interface ListedPage {
  traces: ListedTrace[];
  /** Id of the last trace that was looked at, when there may be more beyond the bounded look. */
  lookedTo: string | null;
}

/**
 * One page of traces, newest first. Each way to ask walks one index in the list's order and stops when the page is
 * full, so that it takes as long with a hundred thousand traces as with a thousand: one filter its own index, several
 * of status, source, tier and pin (of one scenario or of all) an index over all four, everything else the full-text
 * index, where each filter is a word. Durations and sizes are asked of at most `LOOKED_AT` of these rows, so that a page
 * may be short, or empty, and yet have others after it.
 */
export async function listTraces(records: Records, filters: TraceFilters): Promise<ListedPage> {
  const run = async ({ sql, parameters }: ListQuery) =>
    (await records.executeQuery(CompiledQuery.raw(sql, parameters))).rows as ListedTrace[];
  const traces = await run(traceListQuery(filters));
  if (!hasRanges(filters) || traces.length >= filters.limit) return { traces, lookedTo: null };
  const [last] = await run(lastLookedAtQuery(filters));
  return { traces, lookedTo: last?.id ?? null };
}

/** The id of an org's scenario by its slug; null when there is none. */
export async function findScenarioId(records: Records, orgId: string, slug: string): Promise<string | null> {
  const row = await records
    .selectFrom("scenarios")
    .select("id")
    .where("org_id", "=", orgId)
    .where("slug", "=", slug)
    .executeTakeFirst();
  return row?.id ?? null;
}

interface ListQuery {
  sql: string;
  parameters: (string | number)[];
}

/** The SQL of a page with its parameters. There are as many texts as kinds of filter, so statements are reused. */
export function traceListQuery(filters: TraceFilters): ListQuery {
  if (!hasRanges(filters)) return walkQuery(filters);
  const walk = walkQuery({ ...filters, limit: LOOKED_AT });
  const asked = RANGES.filter(([name]) => filters[name] !== undefined);
  return {
    sql: `SELECT * FROM (${walk.sql}) WHERE ${asked.map(([, test]) => test).join(" AND ")} LIMIT ?`,
    parameters: [...walk.parameters, ...asked.map(([name]) => filters[name]!), filters.limit],
  };
}

const RANGES = [
  ["minDurationMs", "duration_ms >= ?"],
  ["maxDurationMs", "duration_ms <= ?"],
  ["minSize", "total_size_bytes >= ?"],
  ["maxSize", "total_size_bytes <= ?"],
] as const;

const hasRanges = (filters: TraceFilters) => RANGES.some(([name]) => filters[name] !== undefined);

/** The last row that `traceListQuery` looks at; none when it looks at all. */
function lastLookedAtQuery(filters: TraceFilters): ListQuery {
  const walk = walkQuery({ ...filters, limit: LOOKED_AT });
  return { sql: `SELECT * FROM (${walk.sql}) LIMIT 1 OFFSET ${LOOKED_AT - 1}`, parameters: walk.parameters };
}

function walkQuery(filters: TraceFilters): ListQuery {
  const equal = equalities(filters);
  const range = [
    filters.from === undefined ? 0 : filters.from * 4096,
    Math.min(
      filters.to === undefined ? NO_END : filters.to * 4096,
      filters.after === undefined ? NO_END : traceOrd(filters.after),
    ),
  ];
  if (!needsFullText(filters)) {
    const isWhole =
      filters.notStatus === undefined && filters.notSource === undefined && filters.notTier === undefined;
    if (equal.length <= 1 && isWhole) return byOneIndex(filters, equal, range);
    if (filters.scenarioId === undefined && filters.signature === undefined) return byFacets(filters, range);
  }
  return byFullText(filters, equal, range);
}

function needsFullText(filters: TraceFilters): boolean {
  return [filters.words, filters.stepWords, filters.kind, filters.pr, filters.codeSha, filters.region].some(
    (value) => value !== undefined,
  );
}

function equalities(filters: TraceFilters): Equal[] {
  const equal: Equal[] = [];
  if (filters.scenarioId !== undefined) equal.push(["scenario_id", filters.scenarioId]);
  if (filters.signature !== undefined) equal.push(["failure_signature", filters.signature]);
  if (filters.status !== undefined) equal.push(["status", filters.status]);
  if (filters.source !== undefined) equal.push(["source", filters.source]);
  if (filters.tier !== undefined) equal.push(["tier", filters.tier]);
  if (filters.pinned !== undefined) equal.push(["pinned", filters.pinned ? 1 : 0]);
  return equal;
}

const columns = (table: string) =>
  COLUMNS.map((name) =>
    name === "failure_message"
      ? `substr(${table}.failure_message, 1, ${MESSAGE_LENGTH}) AS failure_message`
      : `${table}.${name}`,
  ).join(", ");
const PLAIN = columns("traces");
const JOINED = columns("t");

function byOneIndex(filters: TraceFilters, equal: Equal[], range: number[]) {
  const [column, value] = equal[0] ?? [];
  const index = column ? INDEX_OF[column] : "traces_by_created";
  const sql = `SELECT ${PLAIN} FROM traces INDEXED BY ${index} WHERE org_id = ?${
    column ? ` AND ${column} = ?` : ""
  } AND ord >= ? AND ord < ? ORDER BY ord DESC LIMIT ?`;
  const parameters = value === undefined ? [filters.orgId] : [filters.orgId, value];
  return { sql, parameters: [...parameters, ...range, filters.limit] };
}

/** One range of the index per combination that fits, merged in order. */
function byFacets(filters: TraceFilters, range: number[]) {
  const facets = facetsMatching(filters);
  const { orgId, scenarioId } = filters;
  const index = scenarioId === undefined ? "traces_by_facet" : "traces_by_scenario_facet";
  const owner = scenarioId === undefined ? [orgId] : [orgId, scenarioId];
  const arm = `SELECT ${PLAIN}, ord FROM traces INDEXED BY ${index} WHERE org_id = ?${
    scenarioId === undefined ? "" : " AND scenario_id = ?"
  } AND facet = ? AND ord >= ? AND ord < ?`;
  return {
    sql: `${facets.map(() => arm).join(" UNION ALL ")} ORDER BY ord DESC LIMIT ?`,
    parameters: [...facets.flatMap((facet) => [...owner, facet, ...range]), filters.limit],
  };
}

/** The filters are asked of the row again, lest text that passes for a tag shows what it must not. */
function byFullText(filters: TraceFilters, equal: Equal[], range: number[]) {
  const wanted = tagExpression(filters);
  const words = filters.words === undefined ? wanted : `${wanted} AND ${filters.words}`;
  const leftOut = leftOutExpression(filters);
  const sql = `SELECT ${JOINED} FROM traces_fts f CROSS JOIN traces t ON t.ord = f.rowid
    WHERE f.traces_fts MATCH ? AND f.rowid >= ? AND f.rowid < ? AND t.org_id = ?${equal
      .map(([column]) => ` AND t.${column} = ?`)
      .join("")} ORDER BY f.rowid DESC LIMIT ?`;
  return {
    sql,
    parameters: [
      leftOut === null ? words : `(${words}) NOT (${leftOut})`,
      ...range,
      filters.orgId,
      ...equal.map(([, value]) => value),
      filters.limit,
    ],
  };
}
