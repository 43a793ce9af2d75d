import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Json } from "../../../../server/run/clones/types.ts";
import {
  compareObservations,
  differences,
  type Observation,
} from "../../../../server/run/shadows/compare.ts";

const TS = Date.UTC(2026, 0, 5);
const seen = (body: Json, more: Partial<Observation> = {}): Observation => ({
  method: "GET",
  url: "https://api.test/v1/rates",
  status: 200,
  headers: { "content-type": "application/json" },
  body,
  seq: 1,
  ts: TS,
  step_id: "s1",
  ...more,
});

const bodies = fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<Json>;
const lists = fc.array(
  fc.record({ url: fc.constantFrom("https://a.test/x", "https://a.test/y?q=1"), body: bodies }),
  { maxLength: 5 },
);
const observations = (given: { url: string; body: Json }[]) =>
  given.map(({ url, body }) => seen(body, { url }));

describe("a shadow diff", () => {
  test("tells the field that drifts, with all three values, and keeps quiet about noise", () => {
    const { diffs, noise } = compareObservations(
      [seen({ fee: 3, rates: [{ id: "a1", eur: 1 }], at: TS / 1000 }, { seq: 7 })],
      [seen({ fee: 3, rates: [{ id: "b2", eur: 1 }], at: TS / 1000 })],
      [seen({ rates: [{ id: "c3", eur: 1 }, { id: "d4" }], at: TS / 1000 + 9 }, { seq: 9 })],
    );
    expect(diffs).toEqual([
      {
        request: "GET https://api.test/v1/rates",
        path: "/body/fee",
        production: 3,
        repeated: 3,
        production_seq: 7,
        clone_seq: 9,
      },
      {
        request: "GET https://api.test/v1/rates",
        path: "/body/rates/1",
        clone: { id: "d4" },
        production_seq: 7,
        clone_seq: 9,
      },
    ]);
    expect(noise.map(({ path, reason }) => [path, reason])).toEqual([
      ["/body/rates/0/id", "varies"],
      ["/body/at", "time"],
    ]);
  });

  test("pairs requests that differ in an identifier only, in their order", () => {
    const at = (id: string, amount: number) =>
      seen({ id, amount }, { url: `https://api.test/v1/payment_intents/${id}` });
    const { diffs, noise } = compareObservations(
      [at("pi_3Nx81aB2", 5), at("pi_9Zq40kT7", 6)],
      [at("pi_3Nx81aB2", 5), at("pi_9Zq40kT7", 6)],
      [at("pi_clone_1", 5), at("pi_clone_2", 7)],
    );
    expect(diffs).toMatchObject([{ path: "/body/amount", production: 6, clone: 7 }]);
    expect(noise.map(({ reason }) => reason)).toEqual(["identifier", "identifier"]);
  });

  test("tells requests that only one side made, but not what production itself did not repeat", () => {
    const other = seen({}, { url: "https://api.test/v1/other" });
    expect(compareObservations([seen(1)], [seen(1)], [seen(1), other])).toMatchObject({
      diffs: [{ request: "GET https://api.test/v1/other", path: "", production_seq: null, clone_seq: 1 }],
    });
    expect(compareObservations([seen(1)], [seen(1)], []).diffs).toMatchObject([
      { path: "", clone_seq: null },
    ]);
    expect(compareObservations([seen(1)], [], [seen(2)])).toMatchObject({
      diffs: [],
      noise: [{ path: "/body", reason: "not_repeated" }],
    });
  });

  test("tells a status and a header that matters", () => {
    const clone = seen("no", { status: 404, headers: { "content-type": "text/plain" } });
    expect(compareObservations([seen({})], [seen({})], [clone]).diffs.map(({ path }) => path)).toEqual([
      "/status",
      "/headers/content-type",
      "/body",
    ]);
  });

  test("of the same answers has no difference, whatever they are", () => {
    fc.assert(
      fc.property(lists, (given) => {
        const same = observations(given);
        expect(compareObservations(same, structuredClone(same), structuredClone(same))).toEqual({
          diffs: [],
          noise: [],
        });
      }),
    );
  });

  test("never tells as a difference what differs between two observations of production", () => {
    fc.assert(
      fc.property(bodies, bodies, bodies, (a, b, c) => {
        const { diffs } = compareObservations([seen(a)], [seen(b)], [seen(c)]);
        const noisy = differences(a, b).map(({ path }) => `/body${path}`);
        for (const { path } of diffs)
          expect(noisy.some((known) => path === known || path.startsWith(`${known}/`))).toBe(false);
      }),
    );
  });
});
