import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { engineOf } from "../../../store/records/engine/engine-of.ts";
import type { TraceSource, TraceStatus, TraceTier } from "../../../store/records/schema.ts";
import { setSearchText } from "../../../store/records/search.ts";
import { searchTerms } from "../../../store/records/search-text.ts";
import { listTraces, type TraceFilters, traceListQuery } from "../../../store/records/trace-list.ts";
import { removeTrace, traceOrd, updateTrace } from "../../../store/records/traces.ts";
import { type TestRecords, testRecords } from "../../helpers/records.ts";

const STATUSES = ["queued", "passed", "failed"] as const satisfies TraceStatus[];
const SOURCES = [null, "pr", "shadow_diff"] as const satisfies (TraceSource | null)[];
const TIERS = ["hot", "warm", "cold"] as const satisfies TraceTier[];
const SIGNATURES = [null, "sig_a", "sig_b"];
const SLUGS = ["checkout", "login"];
const WORDS = ["apple", "pear", "plum"];
const STEPS = ["Add apple to cart", "Pay now"];
const KINDS = ["console.error", "console.log", "network.request"];

interface Row {
  id: string;
  orgId: string;
  at: number;
  slug: string;
  status: TraceStatus;
  source: TraceSource | null;
  tier: TraceTier;
  pinned: boolean;
  signature: string | null;
  words: string[];
  pr: number | null;
  sha: string | null;
  region: string | null;
  steps: string[];
  kinds: string[];
  duration: number;
  size: number;
}

const row = fc.record({
  slug: fc.constantFrom(...SLUGS),
  status: fc.constantFrom(...STATUSES),
  source: fc.constantFrom(...SOURCES),
  tier: fc.constantFrom(...TIERS),
  pinned: fc.boolean(),
  signature: fc.constantFrom(...SIGNATURES),
  words: fc.subarray(WORDS),
  pr: fc.constantFrom(null, 4, 48, 482),
  sha: fc.constantFrom(null, "4d07b3f1c2", "4d07ffffff", "4D07B3F1AA"),
  region: fc.constantFrom(null, "eu-west-1", "us_east 1"),
  steps: fc.subarray(STEPS),
  kinds: fc.subarray(KINDS),
  duration: fc.nat(9),
  size: fc.nat(9),
});

const filters = fc.record(
  {
    slug: fc.constantFrom(...SLUGS),
    status: fc.constantFrom(...STATUSES),
    source: fc.constantFrom("pr" as const, "shadow_diff" as const),
    tier: fc.constantFrom(...TIERS),
    pinned: fc.boolean(),
    signature: fc.constantFrom("sig_a", "sig_b"),
    words: fc.subarray(WORDS, { minLength: 1 }),
    from: fc.nat(60),
    to: fc.nat(60),
    notStatus: fc.constantFrom(...STATUSES),
    notSource: fc.constantFrom("pr" as const, "shadow_diff" as const),
    notTier: fc.constantFrom(...TIERS),
    pr: fc.constantFrom(4, 48),
    codeSha: fc.constantFrom("4d0", "4d07b3f1", "4D07B3F1C2"),
    region: fc.constantFrom("eu-west-1", "EU-West-1", "us_east 1"),
    step: fc.constantFrom("apple", '"to cart"', "pa*", "cart now"),
    kind: fc.constantFrom("console.error", "console.*", "network.*"),
    minDurationMs: fc.nat(9),
    maxDurationMs: fc.nat(9),
    minSize: fc.nat(9),
    maxSize: fc.nat(9),
  },
  { requiredKeys: [] },
);

let store: TestRecords;
let otherOrg: string;
let rows: Row[] = [];
let start: number;

beforeAll(async () => {
  store = await testRecords();
  otherOrg = await store.org("other");
  start = store.now();
  const made = fc.sample(row, { numRuns: 60, seed: 7 });
  for (const [index, given] of made.entries()) {
    store.advance(1000);
    const orgId = index % 10 === 0 ? otherOrg : store.orgId;
    const { slug, status, source, tier, pinned, signature, words, steps, kinds } = given;
    // Inserted as something else first, so that the index has to follow changes.
    const id = await store.trace(orgId, { slug, status: "running" });
    await setSearchText(store.records, traceOrd(id), {
      title: slug,
      failure: words.join(" "),
      console: "",
      requests: "",
      assertions: "",
      thoughts: "",
      steps: steps.join("\n"),
      kinds,
    });
    await updateTrace(store.records, id, {
      status,
      source,
      tier,
      pinned: pinned ? 1 : 0,
      failure_signature: signature,
      pr_number: given.pr,
      code_sha: given.sha,
      region: given.region,
      duration_ms: given.duration,
      total_size_bytes: given.size,
    });
    rows.push({ ...given, id, orgId, at: store.now() });
  }
});
afterAll(() => store.close());

async function toFilters(given: Filters) {
  const { slug, words, from, to, step, ...rest } = given;
  const wanted: TraceFilters = { orgId: store.orgId, limit: 200, ...rest };
  if (slug !== undefined) wanted.scenarioId = await store.scenario(store.orgId, slug);
  if (words !== undefined) wanted.words = searchTerms(words.join(" "))!;
  if (step !== undefined) wanted.stepWords = searchTerms(step)!;
  if (from !== undefined) wanted.from = start + from * 1000;
  if (to !== undefined) wanted.to = start + to * 1000;
  return wanted;
}

type Filters = Partial<Pick<Row, "slug" | "status" | "tier" | "pinned" | "words">> &
  Pick<TraceFilters, "source" | "signature" | "from" | "to" | "notStatus" | "notSource" | "notTier"> &
  Pick<TraceFilters, "pr" | "codeSha" | "region" | "kind"> &
  Pick<TraceFilters, "minDurationMs" | "maxDurationMs" | "minSize" | "maxSize"> & { step?: string };

/** Whether a step has the words, a phrase or a beginning; across steps as across lines of other texts. */
function hasWords(steps: string[], step: string): boolean {
  const words = steps.join(" ").toLowerCase().split(" ");
  if (step.startsWith('"'))
    return steps.some((title) => title.toLowerCase().includes(step.replaceAll('"', "")));
  return step
    .split(" ")
    .every((word) =>
      word.endsWith("*") ? words.some((one) => one.startsWith(word.slice(0, -1))) : words.includes(word),
    );
}

/** What a list with these filters must hold, by looking at every row. */
function expected(given: Filters): string[] {
  return rows
    .filter(
      (one) =>
        one.orgId === store.orgId &&
        (given.slug === undefined || one.slug === given.slug) &&
        (given.status === undefined || one.status === given.status) &&
        (given.source === undefined || one.source === given.source) &&
        (given.tier === undefined || one.tier === given.tier) &&
        (given.pinned === undefined || one.pinned === given.pinned) &&
        (given.signature === undefined || one.signature === given.signature) &&
        (given.words ?? []).every((word) => one.words.includes(word) || hasWords(one.steps, word)) &&
        (given.notStatus === undefined || one.status !== given.notStatus) &&
        (given.notSource === undefined || one.source !== given.notSource) &&
        (given.notTier === undefined || one.tier !== given.notTier) &&
        (given.pr === undefined || one.pr === given.pr) &&
        (given.codeSha === undefined || one.sha?.toLowerCase().startsWith(given.codeSha.toLowerCase())) &&
        (given.region === undefined || one.region?.toLowerCase() === given.region.toLowerCase()) &&
        (given.step === undefined || hasWords(one.steps, given.step)) &&
        (given.kind === undefined ||
          one.kinds.some((kind) =>
            given.kind!.endsWith("*") ? kind.startsWith(given.kind!.slice(0, -1)) : kind === given.kind,
          )) &&
        one.duration >= (given.minDurationMs ?? 0) &&
        one.duration <= (given.maxDurationMs ?? 99) &&
        one.size >= (given.minSize ?? 0) &&
        one.size <= (given.maxSize ?? 99) &&
        (given.from === undefined || one.at >= start + given.from * 1000) &&
        (given.to === undefined || one.at < start + given.to * 1000),
    )
    .map(({ id }) => id)
    .reverse();
}

/** One step to the first or last entry of an index. */
const ONE_END = /^SEARCH traces USING COVERING INDEX traces_by_created$/;

describe("the list of traces", () => {
  test("any combination of filters gives what looking at every trace gives, newest first", async () => {
    await fc.assert(
      fc.asyncProperty(filters, async (given) => {
        const { traces: found } = await listTraces(store.records, await toFilters(given));
        expect(found.map(({ id }) => id)).toEqual(expected(given));
      }),
      { numRuns: 600 },
    );
  });

  test("every combination of filters walks an index in order and sorts nothing", async () => {
    const kinds = [
      ...["slug", "status", "source", "tier", "pinned", "signature", "words", "from", "to"],
      ...["notStatus", "step", "minSize"],
    ] as (keyof Filters)[];
    const given: Filters = {
      slug: "checkout",
      status: "failed",
      source: "pr",
      tier: "hot",
      pinned: true,
      signature: "sig_a",
      words: ["apple"],
      from: 1,
      to: 50,
      notStatus: "queued",
      step: "apple",
      minSize: 3,
    };
    for (let mask = 0; mask < 2 ** kinds.length; mask++) {
      const chosen = Object.fromEntries(
        kinds.filter((_, bit) => mask & (1 << bit)).map((kind) => [kind, given[kind]]),
      ) as Filters;
      const { sql, parameters } = traceListQuery(engineOf(store.records), await toFilters(chosen));
      const plan = store.plan(sql, parameters);
      expect(plan.filter((line) => /TEMP B-TREE|SCAN (?!f VIRTUAL|\(subquery)/.test(line))).toEqual([]);
      const searches = plan.filter((line) => /SEARCH traces/.test(line) && !ONE_END.test(line));
      for (const line of searches) expect(line).toMatch(/USING INDEX traces_by_\w+ \(org_id=\?.*ord[<>]\?/);
    }
  }, 60_000);

  test("walking pages while traces come and go gives each trace that stays exactly once", async () => {
    const walk = fc.record({
      limit: fc.integer({ min: 1, max: 7 }),
      filter: fc.constantFrom<Filters[]>(
        {},
        { status: "failed" },
        { status: "failed", tier: "hot" },
        { words: ["apple"] },
      ),
      acts: fc.array(fc.constantFrom("insert", "remove", "nothing"), { maxLength: 30 }),
      picks: fc.array(fc.nat(1000), { minLength: 30, maxLength: 30 }),
    });
    await fc.assert(
      fc.asyncProperty(walk, async ({ limit, filter, acts, picks }) => {
        const before = new Set(expected(filter));
        const gone = new Set<string>();
        const added: string[] = [];
        const seen: string[] = [];
        const wanted = await toFilters(filter);
        for (let page = 0; ; page++) {
          const after = seen.at(-1);
          const { traces: found } = await listTraces(store.records, {
            ...wanted,
            limit,
            ...(after ? { after } : {}),
          });
          seen.push(...found.map(({ id }) => id));
          if (found.length < limit) break;
          if (acts[page] === "insert") added.push(await store.trace(store.orgId, { status: "failed" }));
          if (acts[page] === "remove") {
            const victim = rows[picks[page]! % rows.length]!;
            gone.add(victim.id);
            rows = rows.filter(({ id }) => id !== victim.id);
            await removeTrace(store.records, victim.id);
          }
        }
        for (const id of added) await removeTrace(store.records, id);
        expect(new Set(seen).size).toBe(seen.length);
        const mine = seen.filter((id) => !added.includes(id));
        for (const id of before) if (!gone.has(id)) expect(mine).toContain(id);
        for (const id of mine) expect(before.has(id)).toBe(true);
      }),
      { numRuns: 25 },
    );
  });

  test("text that passes for a tag shows no trace under another's filter", async () => {
    const forged = await store.trace(otherOrg, {
      scenario_title: `\uE000o${store.orgId.replaceAll("-", "")} \uE000sfailed apple`,
    });
    const words = searchTerms("apple")!;
    const { traces: found } = await listTraces(store.records, { orgId: store.orgId, words, limit: 200 });
    expect(found.map(({ id }) => id)).not.toContain(forged);
    await removeTrace(store.records, forged);
  });

  test("words beside a filter that many traces have, and one that few have, give the newest first, page by page", async () => {
    const many = await testRecords();
    try {
      const made: string[] = [];
      for (let nth = 0; nth < 130; nth++) {
        many.advance(1);
        const status = nth % 40 === 7 ? "aborted" : "failed";
        made.push(
          await many.trace(many.orgId, { status, scenario_title: nth % 2 === 0 ? "Pear" : "Apple pie" }),
        );
      }
      const apples = (isOf: (nth: number) => boolean) =>
        made.filter((_, nth) => nth % 2 === 1 && isOf(nth)).reverse();
      for (const [status, expected] of [
        ["failed", apples((nth) => nth % 40 !== 7)],
        ["aborted", apples((nth) => nth % 40 === 7)],
        ["passed", []],
      ] as const) {
        const found: string[] = [];
        for (let after: string | undefined; ; after = found.at(-1)) {
          const { traces } = await listTraces(many.records, {
            ...{ orgId: many.orgId, status, words: searchTerms("apple")!, limit: 3 },
            ...(after && { after }),
          });
          found.push(...traces.map(({ id }) => id));
          if (traces.length < 3) break;
        }
        expect(found).toEqual([...expected]);
      }
    } finally {
      many.close();
    }
  });

  test("an org finds the same while it is alone and once another has the same words", async () => {
    const alone = await testRecords();
    try {
      const filters = [
        { words: searchTerms("apple")! },
        { words: searchTerms("apple")!, notStatus: "failed" as const },
        { status: "failed" as const, words: searchTerms("app*")! },
        { scenarioId: await alone.scenario(alone.orgId, "checkout"), status: "passed" as const },
        { codeSha: "abc" },
      ];
      const make = async (orgId: string) => {
        for (const status of ["passed", "failed"] as const)
          for (const scenario_title of ["Apple pie", "Pear"])
            await alone.trace(orgId, { slug: "checkout", status, scenario_title, code_sha: "abc" });
      };
      const found = () =>
        Promise.all(
          filters.map(async (filter) => {
            const { traces } = await listTraces(alone.records, {
              orgId: alone.orgId,
              limit: 200,
              ...filter,
            });
            return traces.map(({ id }) => id);
          }),
        );
      await make(alone.orgId);
      const before = await found();
      expect(before.map(({ length }) => length)).toEqual([2, 1, 1, 2, 4]);
      await make(await alone.org("other"));
      expect(await found()).toEqual(before);
    } finally {
      alone.close();
    }
  });
});
