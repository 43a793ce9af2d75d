import { afterAll, beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import { type FailureFilters, listFailureGroups } from "../../../store/records/failures.ts";
import { findTrace, removeTrace, updateTrace } from "../../../store/records/traces.ts";
import { type TestRecords, testRecords } from "../../helpers/records.ts";

const HOUR = 3_600_000;
/** Of the clock of the records, which stands between properties: each begins where the one before ended. */
let store: TestRecords;
beforeAll(async () => {
  store = await testRecords();
});
afterAll(() => store.close());

const FAILURE = "failure_signature IS NOT NULL AND status IN ('failed', 'error') AND parent_trace_id IS NULL";
const COUNTED = `SELECT org_id, minutes, created_at / (minutes * 60000) AS block, failure_signature AS signature, scenario_id,
  coalesce(source, '') AS source, count(*) AS count, max(ord) AS last_ord
  FROM traces JOIN (SELECT column1 AS minutes FROM (VALUES (10), (60), (180), (360), (1440))) WHERE ${FAILURE} GROUP BY 1, 2, 3, 4, 5, 6 ORDER BY 1, 2, 3, 4, 5, 6`;
const KEPT = `SELECT org_id, minutes, block, signature, scenario_id, source, count, last_ord FROM failure_blocks
  ORDER BY 1, 2, 3, 4, 5, 6`;

const act = fc.record({
  what: fc.constantFrom("insert", "insert", "insert", "change", "remove"),
  at: fc.nat(100),
  minutes: fc.constantFrom(0, 1, 9, 20, 59, 60, 240, 1500),
  status: fc.constantFrom("failed" as const, "error" as const, "passed" as const),
  failure_signature: fc.constantFrom("sig_1", "sig_2", null),
  source: fc.constantFrom("pr" as const, "schedule" as const, null),
  slug: fc.constantFrom("one", "two"),
  parent_trace_id: fc.constantFrom(null, null, "elsewhere"),
});
const asked = fc.record({
  // In minutes of what there is, so that borders lie within hours and on them.
  from: fc.integer({ min: -90, max: 12_000 }),
  minutes: fc.oneof(fc.integer({ min: 0, max: 6000 }), fc.integer({ min: 6000, max: 30_000 })),
  odd: fc.integer({ min: -1, max: 1 }),
  parts: fc.constantFrom(1, 2, 7, 24),
  slug: fc.option(fc.constantFrom("one", "two")),
  source: fc.option(fc.constantFrom("pr" as const, "schedule" as const)),
  sort: fc.constantFrom("count" as const, "last_seen" as const),
});

test("whatever comes, changes and goes: blocks hold what counting gives, and periods are grouped as by hand", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(act, { minLength: 5, maxLength: 40 }),
      fc.array(asked, { minLength: 8, maxLength: 8 }),
      async (acts, questions) => {
        const ids: string[] = [];
        const begin = Math.ceil(store.now() / HOUR) * HOUR;
        store.advance(begin - store.now());
        for (const { what, at, minutes, slug, ...columns } of acts) {
          store.advance(minutes * 60_000);
          const id = ids[at % Math.max(1, ids.length)];
          if (what === "insert" || !id) ids.push(await store.trace(store.orgId, { ...columns, slug }));
          else if (what === "change")
            await updateTrace(store.records, id, {
              ...columns,
              scenario_id: await store.scenario(store.orgId, slug),
            });
          else await removeTrace(store.records, ids.splice(ids.indexOf(id), 1)[0]!);
        }
        expect(store.raw.query(KEPT).all()).toEqual(store.raw.query(COUNTED).all());
        for (const question of questions) await compare(begin, question);
        for (const id of ids) await removeTrace(store.records, id);
        expect(store.raw.query(KEPT).all()).toEqual([]);
      },
    ),
    { numRuns: 30 },
  );
}, 60_000);

type Question = typeof asked extends fc.Arbitrary<infer T> ? T : never;

async function compare(begin: number, { from, minutes, odd, parts, slug, source, sort }: Question) {
  const since = begin + from * 60_000 + odd;
  const filters: FailureFilters = { orgId: store.orgId, from: since, to: since + minutes * 60_000 };
  if (slug) filters.scenarioId = await store.scenario(store.orgId, slug);
  if (source) filters.source = source;
  const all = (
    store.raw.query(`SELECT id FROM traces WHERE ${FAILURE} ORDER BY ord`).all() as { id: string }[]
  ).map(({ id }) => findTrace(store.records, id));
  const within = (await Promise.all(all)).filter(
    (trace) =>
      trace!.ord >= filters.from * 4096 &&
      trace!.ord < filters.to * 4096 &&
      (filters.scenarioId === undefined || trace!.scenario_id === filters.scenarioId) &&
      (filters.source === undefined || trace!.source === filters.source),
  );
  const groups = [...Map.groupBy(within, (trace) => trace!.failure_signature!)]
    .map(([signature, own]) => ({ signature, count: own.length, last_ord: own.at(-1)!.ord }))
    .sort((a, b) => (sort === "count" ? b.count - a.count : 0) || b.last_ord - a.last_ord);
  const page = { sort, after: null, limit: 9, parts };
  const found = await listFailureGroups(store.records, filters, page);
  expect(found.map(({ parts: _, ...group }) => group)).toEqual(groups);
  const [first] = groups;
  if (!first) return;
  const after = { count: first.count, lastOrd: first.last_ord };
  expect(await listFailureGroups(store.records, filters, { ...page, after })).toEqual(found.slice(1));
  const width = Math.max(parts, filters.to - filters.from);
  // An hour belongs whole to the part in which it begins, of parts of six hours and more.
  const isWide = width >= parts * 6 * HOUR;
  const cells = Map.groupBy(within, (trace) => {
    const at = isWide
      ? Math.max(filters.from, trace!.created_at - (trace!.created_at % HOUR)) * 4096
      : trace!.ord;
    const part = (BigInt(at - filters.from * 4096) * BigInt(parts)) / BigInt(width * 4096);
    return `${trace!.failure_signature} ${trace!.scenario_id} ${part}`;
  });
  const kept = found.flatMap(({ signature, parts }) =>
    parts.map((one) => ({ key: `${signature} ${one.scenario_id} ${one.part}`, ...one })),
  );
  const sums = [...Map.groupBy(kept, ({ key }) => key)].map(([key, own]) => [
    key,
    own.reduce((sum, { count }) => sum + count, 0),
    Math.max(...own.map(({ last_ord }) => last_ord)),
  ]);
  expect(sums.sort()).toEqual([...cells].map(([key, own]) => [key, own.length, own.at(-1)!.ord]).sort());
}
