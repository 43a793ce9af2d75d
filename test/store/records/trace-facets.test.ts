import { afterAll, beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import { countFacetsWithin } from "../../../store/records/trace-facet-counts.ts";
import { countFacets, type FacetGroup } from "../../../store/records/trace-facets.ts";
import { listTraces, type TraceFilters } from "../../../store/records/trace-list.ts";
import { removeTrace, updateTrace } from "../../../store/records/traces.ts";
import { type TestRecords, testRecords } from "../../helpers/records.ts";

let store: TestRecords;
beforeAll(async () => {
  store = await testRecords();
});
afterAll(() => store.close());

const change = fc.record(
  {
    status: fc.constantFrom("queued", "passed", "failed" as const),
    source: fc.constantFrom(null, "pr", "manual" as const),
    tier: fc.constantFrom("hot", "warm" as const),
    pinned: fc.constantFrom(0, 1),
    failure_signature: fc.constantFrom(null, "sig_a", "sig_b"),
  },
  { requiredKeys: [] },
);

test("counts follow every insert, change and removal", async () => {
  const act = fc.oneof(
    fc.record({ type: fc.constant("insert" as const), slug: fc.constantFrom("a", "b") }),
    fc.record({ type: fc.constant("change" as const), at: fc.nat(100), to: change }),
    fc.record({ type: fc.constant("remove" as const), at: fc.nat(100) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(act, { maxLength: 25 }), async (acts) => {
      const orgId = await store.org(store.ids.shortId());
      const ids: string[] = [];
      for (const one of acts) {
        if (one.type === "insert") ids.push(await store.trace(orgId, { slug: one.slug }));
        else if (ids.length === 0) continue;
        else if (one.type === "remove")
          await removeTrace(store.records, ids.splice(one.at % ids.length, 1)[0]!);
        else if (Object.keys(one.to).length > 0)
          await updateTrace(store.records, ids[one.at % ids.length]!, one.to);
      }
      const rows = await store.records.selectFrom("traces").selectAll().where("org_id", "=", orgId).execute();
      const by = (key: "status" | "source" | "tier" | "scenario_slug" | "failure_signature") => {
        const counts: Record<string, number> = {};
        for (const row of rows) {
          const value = row[key];
          if (value !== null) counts[value] = (counts[value] ?? 0) + 1;
        }
        return counts;
      };
      const counts = await countFacets(store.records, orgId, 50);
      expect<Record<string, number>>(counts.status).toEqual(by("status"));
      expect<Record<string, number>>(counts.source).toEqual(by("source"));
      expect<Record<string, number>>(counts.tier).toEqual(by("tier"));
      expect(counts.pinned).toBe(rows.filter((row) => row.pinned === 1).length);
      const scenarios = Object.fromEntries(counts.scenarios.map(({ slug, count }) => [slug, count]));
      expect(scenarios).toEqual(by("scenario_slug"));
      const signatures = Object.fromEntries(counts.signatures.map((one) => [one.signature, one.count]));
      expect(signatures).toEqual(by("failure_signature"));
    }),
    { numRuns: 60 },
  );
});

test("of many failures the most frequent are counted, with the message of the newest", async () => {
  const orgId = await store.org("many");
  for (let signature = 0; signature < 6; signature++)
    for (let times = 0; times <= signature; times++) {
      store.advance(1000);
      await store.trace(orgId, {
        failure_signature: `sig_${signature}`,
        failure_message: `failure ${signature}, time ${times}`,
      });
    }
  const { signatures } = await countFacets(store.records, orgId, 2);
  expect(signatures).toEqual([
    { signature: "sig_5", count: 6, message: "failure 5, time 5", last_at: store.now() },
    { signature: "sig_4", count: 5, message: "failure 4, time 4", last_at: store.now() - 6000 },
  ]);
});

test("each value within filters counts what the list would show with it in the place of its kind's filter", async () => {
  const trace = fc.record({
    slug: fc.constantFrom("a", "b"),
    status: fc.constantFrom("passed", "failed" as const),
    source: fc.constantFrom(null, "pr", "manual" as const),
    tier: fc.constantFrom("hot", "warm" as const),
    pinned: fc.constantFrom(0, 1),
    failure_signature: fc.constantFrom(null, "sig_a", "sig_b"),
    failure_message: fc.constantFrom("one", "other"),
    duration_ms: fc.constantFrom(10, 1000),
    pr_number: fc.constantFrom(null, 7),
  });
  const asked = fc.record(
    {
      status: fc.constantFrom("passed", "failed" as const),
      notStatus: fc.constantFrom("passed", "failed" as const),
      source: fc.constantFrom("pr", "manual" as const),
      tier: fc.constantFrom("hot", "warm" as const),
      pinned: fc.boolean(),
      signature: fc.constantFrom("sig_a", "sig_b"),
      slug: fc.constantFrom("a", "b"),
      minDurationMs: fc.constant(500),
      from: fc.constant(0),
      pr: fc.constant(7),
    },
    { requiredKeys: [] },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(trace, { maxLength: 12 }), asked, async (traces, { slug, ...more }) => {
      const orgId = await store.org(store.ids.shortId());
      for (const one of traces) {
        store.advance(1);
        await store.trace(orgId, one);
      }
      const filters: TraceFilters = { ...more, orgId, limit: 50 };
      if (slug) filters.scenarioId = await store.scenario(orgId, slug);
      const own: Record<FacetGroup, (keyof TraceFilters)[]> = {
        status: ["status", "notStatus"],
        source: ["source"],
        tier: ["tier"],
        pinned: ["pinned"],
        scenarios: ["scenarioId"],
        signatures: ["signature"],
      };
      const shown = async (group: FacetGroup, read: (row: Listed) => string | null) => {
        const others = { ...filters };
        for (const name of own[group]) delete others[name];
        const counts: Record<string, number> = {};
        for (const row of (await listTraces(store.records, others)).traces) {
          const value = read(row);
          if (value !== null) counts[value] = (counts[value] ?? 0) + 1;
        }
        return counts;
      };
      const counts = await countFacetsWithin(store.records, filters, 50);
      expect<Record<string, number>>(counts.status).toEqual(await shown("status", (row) => row.status));
      expect<Record<string, number>>(counts.source).toEqual(await shown("source", (row) => row.source));
      expect<Record<string, number>>(counts.tier).toEqual(await shown("tier", (row) => row.tier));
      expect(counts.pinned).toBe((await shown("pinned", (row) => (row.pinned ? "yes" : null))).yes ?? 0);
      const scenarios = Object.fromEntries(counts.scenarios.map((one) => [one.slug, one.count]));
      expect(scenarios).toEqual(await shown("scenarios", (row) => row.scenario_slug));
      const signatures = Object.fromEntries(counts.signatures.map((one) => [one.signature, one.count]));
      expect(signatures).toEqual(await shown("signatures", (row) => row.failure_signature));
      const newest = await listTraces(store.records, { ...filters, signature: undefined });
      for (const { signature, message, last_at } of counts.signatures) {
        const first = newest.traces.find((row) => row.failure_signature === signature);
        expect({ message, last_at }).toEqual({ message: first!.failure_message, last_at: first!.created_at });
      }
      expect(counts.partial).toEqual([]);
    }),
    { numRuns: 60 },
  );
});

type Listed = Awaited<ReturnType<typeof listTraces>>["traces"][number];
