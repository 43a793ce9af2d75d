import { type Alike, countAlike, newestOfFailures } from "./alike-traces.ts";
import type { Records } from "./db.ts";
import { engineOf, rowsOf } from "./engine/engine-of.ts";
import {
  countFacets,
  FACETS,
  type FacetCounts,
  type FacetGroup,
  facetsMatching,
  noCounts,
  withTitles,
} from "./trace-facets.ts";
import { hasRanges, needsFullText, ordRange, rangeTest, type TraceFilters, walkQuery } from "./trace-list.ts";

interface Counted {
  alike: Alike[];
  isPartial: boolean;
}

/** Traces that are looked at for one group where no counts are kept of what is asked. */
const LOOKED_AT = 2000;
/** Traces of a period that are counted in an index, without looking at them. */
const COUNTED = 20_000;

/** What each group of values has of filters of its own, which its counts leave out. */
const OWN = {
  status: ["status", "notStatus"],
  source: ["source", "notSource"],
  tier: ["tier", "notTier"],
  pinned: ["pinned"],
  scenarios: ["scenarioId"],
  signatures: ["signature"],
} as const satisfies Record<FacetGroup, readonly (keyof TraceFilters)[]>;

/**
 * Counts of each value under all filters but those of its own kind; of scenarios and signatures the `most` frequent. What
 * traces are counted by is told of all of them; text, durations, sizes, failures of a period and all of a period with
 * more than `COUNTED` traces of the newest `LOOKED_AT`.
 */
export async function countFacetsWithin(
  records: Records,
  filters: TraceFilters,
  most: number,
): Promise<FacetCounts> {
  const { orgId, limit: _, ...asked } = filters;
  if (Object.values(asked).every((value) => value === undefined)) return countFacets(records, orgId, most);
  const walked = new Map<string, Promise<Counted>>();
  const kept = isCounted(filters) ? await countAlike(records, orgId) : null;
  const whole = !kept && isIndexed(filters) ? await countWhole(records, filters) : null;
  const countOf = (group: FacetGroup): Promise<Counted> => {
    const others = without(filters, OWN[group]);
    if (kept)
      return Promise.resolve({ alike: kept.filter((row) => hasFacets(row, others)), isPartial: false });
    if (whole && group !== "signatures")
      return Promise.resolve({ alike: whole.filter((row) => hasFacets(row, others)), isPartial: false });
    const key = JSON.stringify(others);
    const known = walked.get(key) ?? countNewest(records, others);
    walked.set(key, known);
    return known;
  };
  const counts = noCounts();
  const group = async (name: FacetGroup): Promise<Alike[]> => {
    const { alike, isPartial } = await countOf(name);
    if (isPartial) counts.partial.push(name);
    return alike;
  };
  counts.status = tally(await group("status"), ({ facet }) => facet.status);
  counts.source = tally(await group("source"), ({ facet }) => facet.source);
  counts.tier = tally(await group("tier"), ({ facet }) => facet.tier);
  counts.pinned = tally(await group("pinned"), ({ facet }) => (facet.pinned ? "yes" : null)).yes ?? 0;
  const scenarios = tally(await group("scenarios"), ({ scenarioId }) => scenarioId);
  counts.scenarios = await withTitles(records, frequent(scenarios, most));
  const failed = await group("signatures");
  const signatures = frequent(
    tally(failed, ({ signature }) => signature),
    most,
  );
  counts.signatures = kept
    ? await withNewestKept(records, without(filters, OWN.signatures), signatures)
    : await withNewest(records, signatures, failed);
  return counts;
}

/** Whether traces are counted by all that is asked. */
const isCounted = (filters: TraceFilters) =>
  filters.from === undefined && filters.to === undefined && !needsFullText(filters) && !hasRanges(filters);

/** Whether all that is asked stands in the index of scenarios and facets. */
const isIndexed = (filters: TraceFilters) =>
  filters.signature === undefined && !needsFullText(filters) && !hasRanges(filters);

function without(filters: TraceFilters, names: readonly (keyof TraceFilters)[]): TraceFilters {
  const others = { ...filters };
  for (const name of names) delete others[name];
  return others;
}

function hasFacets({ facet, scenarioId, signature }: Alike, wanted: TraceFilters): boolean {
  return (
    (wanted.signature === undefined || signature === wanted.signature) &&
    (wanted.scenarioId === undefined || scenarioId === wanted.scenarioId) &&
    (wanted.status === undefined || facet.status === wanted.status) &&
    (wanted.source === undefined || facet.source === wanted.source) &&
    (wanted.tier === undefined || facet.tier === wanted.tier) &&
    (wanted.pinned === undefined || facet.pinned === wanted.pinned) &&
    (wanted.notStatus === undefined || facet.status !== wanted.notStatus) &&
    (wanted.notSource === undefined || facet.source !== wanted.notSource) &&
    (wanted.notTier === undefined || facet.tier !== wanted.notTier)
  );
}

/** All traces of the period, from the index alone; null when they are more than that is worth. */
async function countWhole(records: Records, filters: TraceFilters): Promise<Alike[] | null> {
  const { hints } = engineOf(records);
  const range = ordRange(filters);
  const more = await rowsOf<{ ord: number }>(records, {
    sql: `SELECT ord FROM ${hints.through("traces", "traces_by_created")}
      WHERE org_id = ? AND ord >= ? AND ord < ? ORDER BY ord DESC LIMIT 1 OFFSET ${COUNTED}`,
    parameters: [filters.orgId, ...range],
  });
  if (more.length > 0) return null;
  const rows = await rowsOf<{ facet: number; scenario_id: string; count: number }>(records, {
    sql: `SELECT kinds.scenario_id, kinds.facet, (
        SELECT count(*) FROM ${hints.through("traces t", "traces_by_scenario_facet")}
        WHERE t.org_id = ? AND t.scenario_id = kinds.scenario_id AND t.facet = kinds.facet AND t.ord >= ? AND t.ord < ?
      ) AS count FROM (SELECT DISTINCT scenario_id, facet FROM alike_traces WHERE org_id = ?) AS kinds`,
    parameters: [filters.orgId, ...range, filters.orgId],
  });
  return rows
    .map(({ facet, scenario_id, count }) => ({
      facet: FACETS[facet]!,
      scenarioId: scenario_id,
      signature: null,
      count: Number(count),
      newest: null,
    }))
    .filter(({ count }) => count > 0);
}

/** The newest traces that match, row by row. */
async function countNewest(records: Records, filters: TraceFilters): Promise<Counted> {
  const engine = engineOf(records);
  const columns = (table: string) =>
    ["id", "facet", "scenario_id", "failure_signature", "duration_ms", "total_size_bytes"]
      .map((name) => `${table}.${name}`)
      .join(", ");
  const walk = walkQuery(engine, { ...filters, limit: LOOKED_AT }, columns);
  const ranges = rangeTest(filters);
  const rows = await rowsOf<{
    facet: number;
    scenario_id: string;
    failure_signature: string | null;
    looked_at: number;
    count: number;
    newest: string | null;
  }>(records, {
    sql: `SELECT facet, scenario_id, failure_signature, count(*) AS looked_at,
      sum(CASE WHEN ${ranges.sql} THEN 1 ELSE 0 END) AS count, max(CASE WHEN ${ranges.sql} THEN id END) AS newest
      FROM (${walk.sql}) AS walked GROUP BY facet, scenario_id, failure_signature`,
    parameters: [...ranges.parameters, ...ranges.parameters, ...walk.parameters],
  });
  const lookedAt = rows.reduce((sum, row) => sum + Number(row.looked_at), 0);
  const alike = rows.map((row) => ({
    facet: FACETS[row.facet]!,
    scenarioId: row.scenario_id,
    signature: row.failure_signature,
    count: Number(row.count),
    newest: row.newest,
  }));
  return { alike: alike.filter(({ count }) => count > 0), isPartial: lookedAt >= LOOKED_AT };
}

function tally<Value extends string>(
  alike: readonly Alike[],
  read: (row: Alike) => Value | null,
): Partial<Record<Value, number>> {
  const counts: Partial<Record<Value, number>> = {};
  for (const row of alike) {
    const value = read(row);
    if (value !== null) counts[value] = (counts[value] ?? 0) + row.count;
  }
  return counts;
}

function frequent(counts: Partial<Record<string, number>>, most: number): { value: string; count: number }[] {
  return Object.entries(counts)
    .map(([value, count = 0]) => ({ value, count }))
    .toSorted((a, b) => b.count - a.count)
    .slice(0, most);
}

async function withNewestKept(
  records: Records,
  within: TraceFilters,
  counted: { value: string; count: number }[],
): Promise<FacetCounts["signatures"]> {
  const newest = await newestOfFailures(records, {
    orgId: within.orgId,
    signatures: counted.map(({ value }) => value),
    facets: facetsMatching(within),
    ...(within.scenarioId === undefined ? {} : { scenarioId: within.scenarioId }),
  });
  return counted.map(({ value, count }) => {
    const { message, at } = newest.get(value) ?? { message: null, at: 0 };
    return { signature: value, count, message, last_at: at };
  });
}

async function withNewest(
  records: Records,
  counted: { value: string; count: number }[],
  failed: readonly Alike[],
): Promise<FacetCounts["signatures"]> {
  const newest = new Map<string, string>();
  for (const { signature, newest: id } of failed)
    if (signature && id && id > (newest.get(signature) ?? "")) newest.set(signature, id);
  if (counted.length === 0) return [];
  const rows = await records
    .selectFrom("traces")
    .select(["id", "failure_message", "created_at"])
    .where("id", "in", [...newest.values()])
    .execute();
  const byId = new Map(rows.map((row) => [row.id, row]));
  return counted.map(({ value, count }) => {
    const row = byId.get(newest.get(value) ?? "");
    return { signature: value, count, message: row?.failure_message ?? null, last_at: row?.created_at ?? 0 };
  });
}
