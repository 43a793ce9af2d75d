import type { Records } from "./db.ts";
import { scenariosById } from "./scenarios.ts";
import type { TraceSource, TraceStatus, TraceTier } from "./schema.ts";

/** In the order of the `facet` column's expression. */
const STATUSES = ["queued", "running", "passed", "failed", "error", "aborted"] as const;
const SOURCES = [null, "pr", "schedule", "manual", "shadow_diff"] as const;
const TIERS = ["hot", "warm", "cold"] as const;

export interface Facet {
  value: number;
  status: TraceStatus;
  source: TraceSource | null;
  tier: TraceTier;
  pinned: boolean;
}

export const FACETS: readonly Facet[] = STATUSES.flatMap((status) =>
  SOURCES.flatMap((source) =>
    TIERS.flatMap((tier) => [false, true].map((pinned) => ({ status, source, tier, pinned }))),
  ),
).map((facet, value) => ({ ...facet, value }));

/** Every value of `facet` that has what is given. */
export function facetsMatching(wanted: {
  status?: TraceStatus;
  source?: TraceSource;
  tier?: TraceTier;
  pinned?: boolean;
  notStatus?: TraceStatus;
  notSource?: TraceSource;
  notTier?: TraceTier;
}): number[] {
  return FACETS.filter(
    (facet) =>
      (wanted.status === undefined || facet.status === wanted.status) &&
      (wanted.source === undefined || facet.source === wanted.source) &&
      (wanted.tier === undefined || facet.tier === wanted.tier) &&
      (wanted.pinned === undefined || facet.pinned === wanted.pinned) &&
      (wanted.notStatus === undefined || facet.status !== wanted.notStatus) &&
      (wanted.notSource === undefined || facet.source !== wanted.notSource) &&
      (wanted.notTier === undefined || facet.tier !== wanted.notTier),
  ).map((facet) => facet.value);
}

/** How many traces each value of a filter has. */
export interface FacetCounts {
  status: Partial<Record<TraceStatus, number>>;
  source: Partial<Record<TraceSource, number>>;
  tier: Partial<Record<TraceTier, number>>;
  pinned: number;
  scenarios: { id: string; slug: string; title: string; count: number }[];
  signatures: { signature: string; message: string | null; count: number; last_at: number }[];
  /** Of these only the newest traces are counted, because so many match. */
  partial: FacetGroup[];
}

export type FacetGroup = "status" | "source" | "tier" | "pinned" | "scenarios" | "signatures";

export const noCounts = (): FacetCounts => ({
  status: {},
  source: {},
  tier: {},
  pinned: 0,
  scenarios: [],
  signatures: [],
  partial: [],
});

/** Counts over all traces of an org; of scenarios and signatures the `most` frequent. */
export async function countFacets(records: Records, orgId: string, most: number): Promise<FacetCounts> {
  const counts = noCounts();
  for (const { value, count } of await frequent(records, orgId, "facet", FACETS.length)) {
    const { status, source, tier, pinned } = FACETS[Number(value)]!;
    counts.status[status] = (counts.status[status] ?? 0) + count;
    if (source) counts.source[source] = (counts.source[source] ?? 0) + count;
    counts.tier[tier] = (counts.tier[tier] ?? 0) + count;
    if (pinned) counts.pinned += count;
  }
  const [scenarios, signatures] = await Promise.all([
    frequent(records, orgId, "scenario", most),
    frequent(records, orgId, "signature", most),
  ]);
  counts.scenarios = await withTitles(records, scenarios);
  counts.signatures = await Promise.all(
    signatures.map(async ({ value, count }) => ({
      signature: value,
      count,
      ...(await newestOf(records, orgId, value)),
    })),
  );
  return counts;
}

async function frequent(
  records: Records,
  orgId: string,
  kind: "facet" | "scenario" | "signature",
  most: number,
) {
  return records
    .selectFrom("trace_counts")
    .select(["value", "count"])
    .where("org_id", "=", orgId)
    .where("kind", "=", kind)
    .where("count", ">", 0)
    .orderBy("count", "desc")
    .limit(most)
    .execute();
}

export async function withTitles(records: Records, counted: { value: string; count: number }[]) {
  const byId = await scenariosById(
    records,
    counted.map(({ value }) => value),
  );
  return counted.flatMap(({ value, count }) => {
    const scenario = byId.get(value);
    return scenario ? [{ ...scenario, count }] : [];
  });
}

async function newestOf(records: Records, orgId: string, signature: string) {
  const row = await records
    .selectFrom("traces")
    .select(["failure_message", "created_at"])
    .where("org_id", "=", orgId)
    .where("failure_signature", "=", signature)
    .orderBy("ord", "desc")
    .limit(1)
    .executeTakeFirst();
  return { message: row?.failure_message ?? null, last_at: row?.created_at ?? 0 };
}
