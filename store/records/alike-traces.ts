import type { Records } from "./db.ts";
import { engineOf, marksFor, rowsOf } from "./engine/engine-of.ts";
import { FACETS, type Facet } from "./trace-facets.ts";

/** Traces that are alike in all that a facet asks. */
export interface Alike {
  facet: Facet;
  scenarioId: string;
  signature: string | null;
  count: number;
  /** Id of the newest of them, where it was asked for. */
  newest: string | null;
}

/** Kinds of traces that are read for one answer; an org with more has failures that are each another. */
const MOST_KINDS = 20_000;

/** All traces of an org by what they are alike in, read from counts that triggers keep; null when there are too many kinds. */
export async function countAlike(
  records: Records,
  orgId: string,
  most: number = MOST_KINDS,
): Promise<Alike[] | null> {
  const rows = await records
    .selectFrom("alike_traces")
    .select(["scenario_id", "facet", "signature", "count"])
    .where("org_id", "=", orgId)
    .limit(most + 1)
    .execute();
  if (rows.length > most) return null;
  return rows.map(({ scenario_id, facet, signature, count }) => ({
    facet: FACETS[facet]!,
    scenarioId: scenario_id,
    signature: signature || null,
    count,
    newest: null,
  }));
}

/** The newest trace of each of these failures within scenarios and facets: by signature, `at` in epoch ms. */
export async function newestOfFailures(
  records: Records,
  within: { orgId: string; signatures: readonly string[]; facets: readonly number[]; scenarioId?: string },
): Promise<Map<string, { message: string | null; at: number }>> {
  const { orgId, signatures, facets, scenarioId } = within;
  if (signatures.length === 0 || facets.length === 0) return new Map();
  const traces = engineOf(records).hints.through("traces t", "traces_alike");
  const rows = await rowsOf<{ signature: string; failure_message: string | null; created_at: number }>(
    records,
    {
      sql: `SELECT newest.signature, traces.failure_message, traces.created_at FROM (
        SELECT signature, max(ord) AS ord FROM (
          SELECT a.signature, (SELECT max(t.ord) FROM ${traces} WHERE t.org_id = a.org_id
            AND t.failure_signature = a.signature AND t.scenario_id = a.scenario_id AND t.facet = a.facet) AS ord
          FROM alike_traces a WHERE a.org_id = ? AND a.signature IN (${marksFor(signatures)})
          AND a.facet IN (${marksFor(facets)})${scenarioId === undefined ? "" : " AND a.scenario_id = ?"}
        ) AS alike GROUP BY signature
      ) AS newest JOIN traces ON traces.ord = newest.ord`,
      parameters: [orgId, ...signatures, ...facets, ...(scenarioId === undefined ? [] : [scenarioId])],
    },
  );
  return new Map(rows.map((row) => [row.signature, { message: row.failure_message, at: row.created_at }]));
}
