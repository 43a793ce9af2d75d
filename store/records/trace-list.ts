import type { Records } from "./db.ts";
import { engineOf, rowsOf } from "./engine/engine-of.ts";
import type { Engine, SqlText } from "./engine/types.ts";
import type { TraceSource, TraceStatus, TraceTier } from "./schema.ts";
import type { TextFilters } from "./search-text.ts";
import { facetsMatching } from "./trace-facets.ts";
import { ordOf, type TraceRow } from "./traces.ts";

export interface TraceFilters extends TextFilters {
  status?: TraceStatus;
  source?: TraceSource;
  tier?: TraceTier;
  notStatus?: TraceStatus;
  notSource?: TraceSource;
  notTier?: TraceTier;
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

/** `before` is the place of the trace that `after` names. */
type PlacedFilters = TraceFilters & { before?: number };

type Equal = [column: keyof typeof INDEX_OF, value: string | number];

/** What no trace has: filters that exclude each other find nothing. */
const NO_FACET = -1;
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
  const engine = engineOf(records);
  const { after } = filters;
  const placed = after === undefined ? filters : { ...filters, before: await ordOf(records, after) };
  const few = await amongFew(records, placed);
  if (few !== null) return { traces: few, lookedTo: null };
  const traces = await rowsOf<ListedTrace>(records, traceListQuery(engine, placed));
  if (!hasRanges(placed) || traces.length >= filters.limit) return { traces, lookedTo: null };
  const [last] = await rowsOf<ListedTrace>(records, lastLookedAtQuery(engine, placed));
  return { traces, lookedTo: last?.id ?? null };
}

/** So few traces of one filter are looked through for words from the oldest on. */
const FEW = 100;

/**
 * A page by words where one of its other filters leaves few traces; null where none does. The full-text index is walked from the
 * first of these to the last: newest first it would come to them through all that has the words since.
 */
async function amongFew(records: Records, filters: PlacedFilters): Promise<ListedTrace[] | null> {
  const equal = equalities(filters);
  if (!needsFullText(filters) || hasRanges(filters) || equal.length === 0) return null;
  const engine = engineOf(records);
  const counted = equal.map(([column, value]) => spanOf(engine, filters, [column, value]));
  const spans = await rowsOf<Span>(records, {
    sql: counted.map(({ sql }) => sql).join(" UNION ALL "),
    parameters: counted.flatMap(({ parameters }) => parameters),
  });
  const { count, first, last } = spans.reduce((least, span) => (span.count < least.count ? span : least));
  if (count > FEW) return null;
  if (first === null || last === null) return [];
  const range = [first, last + 1] as const;
  const walk = { columns: listed, filters, equal, range, limit: FEW, isOldestFirst: true };
  const rows = await rowsOf<ListedTrace>(records, engine.fullText.walk(walk));
  return rows.reverse().slice(0, filters.limit);
}

/** How many traces a filter leaves, up to one more than few, and the first and the last `ord` of these; null where there is none. */
interface Span {
  count: number;
  first: number | null;
  last: number | null;
}

function spanOf({ hints }: Engine, filters: PlacedFilters, [column, value]: Equal): SqlText {
  return {
    sql: `SELECT count(*) AS count, min(ord) AS first, max(ord) AS last FROM (
      SELECT ord FROM ${hints.through("traces", INDEX_OF[column])}
      WHERE org_id = ? AND ${column} = ? AND ord >= ? AND ord < ? ORDER BY ord DESC LIMIT ${FEW + 1}) AS newest`,
    parameters: [filters.orgId, value, ...ordRange(filters)],
  };
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

/** The SQL of a page with its parameters. There are as many texts as kinds of filter, so statements are reused. */
export function traceListQuery(engine: Engine, filters: PlacedFilters): SqlText {
  if (!hasRanges(filters)) return walkQuery(engine, filters);
  const walk = walkQuery(engine, { ...filters, limit: LOOKED_AT });
  const ranges = rangeTest(filters);
  return {
    sql: `SELECT * FROM (${walk.sql}) WHERE ${ranges.sql} LIMIT ?`,
    parameters: [...walk.parameters, ...ranges.parameters, filters.limit],
  };
}

const RANGES = [
  ["minDurationMs", "duration_ms >= ?"],
  ["maxDurationMs", "duration_ms <= ?"],
  ["minSize", "total_size_bytes >= ?"],
  ["maxSize", "total_size_bytes <= ?"],
] as const;

/** The durations and sizes that are asked of a row, as a condition. */
export function rangeTest(filters: TraceFilters): SqlText {
  const asked = RANGES.filter(([name]) => filters[name] !== undefined);
  return {
    sql: asked.map(([, test]) => test).join(" AND ") || "1 = 1",
    parameters: asked.map(([name]) => filters[name]!),
  };
}

export const hasRanges = (filters: TraceFilters) => RANGES.some(([name]) => filters[name] !== undefined);

/** The last row that `traceListQuery` looks at; none when it looks at all. */
function lastLookedAtQuery(engine: Engine, filters: PlacedFilters): SqlText {
  const walk = walkQuery(engine, { ...filters, limit: LOOKED_AT });
  return {
    sql: `SELECT * FROM (${walk.sql}) LIMIT 1 OFFSET ${LOOKED_AT - 1}`,
    parameters: walk.parameters,
  };
}

/** The range of `ord`s of a period and a page's place in it: the first included, the end not. */
export function ordRange(filters: PlacedFilters): [from: number, end: number] {
  return [
    filters.from === undefined ? 0 : filters.from * 4096,
    Math.min(filters.to === undefined ? NO_END : filters.to * 4096, filters.before ?? NO_END),
  ];
}

/** The newest traces that have what is asked but for durations and sizes, with these columns of each. */
export function walkQuery(
  engine: Engine,
  filters: PlacedFilters,
  columns: (table: string) => string = listed,
): SqlText {
  const equal = equalities(filters);
  const range = ordRange(filters);
  if (!needsFullText(filters)) {
    const isWhole =
      filters.notStatus === undefined && filters.notSource === undefined && filters.notTier === undefined;
    if (equal.length <= 1 && isWhole) return byOneIndex(engine, { filters, columns, range }, equal);
    if (filters.scenarioId === undefined && filters.signature === undefined)
      return byFacets(engine, { filters, columns, range });
  }
  return engine.fullText.walk({ columns, filters, equal, range, limit: filters.limit });
}

export function needsFullText(filters: TraceFilters): boolean {
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

const listed = (table: string) =>
  COLUMNS.map((name) =>
    name === "failure_message"
      ? `substr(${table}.failure_message, 1, ${MESSAGE_LENGTH}) AS failure_message`
      : `${table}.${name}`,
  ).join(", ");

interface Walk {
  filters: TraceFilters;
  columns: (table: string) => string;
  range: [from: number, end: number];
}

function byOneIndex({ hints }: Engine, { filters, columns, range }: Walk, equal: Equal[]) {
  const [column, value] = equal[0] ?? [];
  const index = column ? INDEX_OF[column] : "traces_by_created";
  const sql = `SELECT ${columns("traces")} FROM ${hints.through("traces", index)} WHERE org_id = ?${
    column ? ` AND ${column} = ?` : ""
  } AND ord >= ? AND ord < ? ORDER BY ord DESC LIMIT ?`;
  const parameters = value === undefined ? [filters.orgId] : [filters.orgId, value];
  return { sql, parameters: [...parameters, ...range, filters.limit] };
}

/** One range of the index per combination that fits, merged in order. */
function byFacets({ hints }: Engine, { filters, columns, range }: Walk) {
  const fitting = facetsMatching(filters);
  const facets = fitting.length > 0 ? fitting : [NO_FACET];
  const { orgId, scenarioId } = filters;
  const index = scenarioId === undefined ? "traces_by_facet" : "traces_by_scenario_facet";
  const owner = scenarioId === undefined ? [orgId] : [orgId, scenarioId];
  const arm = `SELECT ${columns("traces")}, ord FROM ${hints.through("traces", index)} WHERE org_id = ?${
    scenarioId === undefined ? "" : " AND scenario_id = ?"
  } AND facet = ? AND ord >= ? AND ord < ?`;
  return {
    sql: `${facets.map(() => arm).join(" UNION ALL ")} ORDER BY ord DESC LIMIT ?`,
    parameters: [...facets.flatMap((facet) => [...owner, facet, ...range]), filters.limit],
  };
}
