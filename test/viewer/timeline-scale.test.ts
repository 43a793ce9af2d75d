import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { lowerBound } from "../../viewer/trace/model/sorted.ts";
import { type Break, createFolding, idleStretches } from "../../viewer/trace/timeline/folding.ts";
import { countBetween, createLaneIndex, spanAt, visible } from "../../viewer/trace/timeline/lane-index.ts";
import { rulerLabel } from "../../viewer/trace/timeline/ruler.ts";
import { createScale, fitted, panned, zoomed } from "../../viewer/trace/timeline/scale.ts";
import { formatOffset } from "../../viewer/ui/format.ts";

const START = 1_767_323_045_000;
const WIDTH = 1200;

interface Drawn {
  length: number;
  breaks: Break[];
}

/** A trace with breaks anywhere, overlapping ones and such that stick out included. */
const drawn = (kinds: readonly Break["kind"][]): fc.Arbitrary<Drawn> =>
  fc
    .record({
      length: fc.integer({ min: 1, max: 10_000_000 }),
      cuts: fc.array(
        fc.record({
          kind: fc.constantFrom(...kinds),
          at: fc.double({ min: -0.2, max: 1.2, noNaN: true }),
          span: fc.double({ min: 0, max: 0.6, noNaN: true }),
        }),
        { maxLength: 30 },
      ),
    })
    .map(({ length, cuts }) => ({
      length,
      breaks: cuts.map(({ kind, at, span }) => {
        const from = START + at * length;
        const to = kind === "jump" ? from : from + span * length;
        return { kind, from, to, length: to - from };
      }),
    }));

const scaleOf = ({ length, breaks }: Drawn) =>
  createScale(START, START + length, WIDTH, createFolding(START, START + length, breaks));

const share = fc.double({ min: 0, max: 1, noNaN: true });

describe("a scale with folded time", () => {
  test("leads from a place to its moment and back to the same place", () => {
    fc.assert(
      fc.property(drawn(["idle"]), share, (one, at) => {
        const scale = scaleOf(one);
        const x = at * WIDTH;
        // A clock of doubles has steps of a quarter of a microsecond here.
        const grain = 0.02 + 0.001 / scale.perPixel;
        expect(Math.abs(scale.x(scale.ts(x)) - x)).toBeLessThan(grain);
      }),
    );
  });

  test("leads from a moment to its place and back to the same moment, across jumps of the clock too", () => {
    fc.assert(
      fc.property(drawn(["idle", "jump"]), share, (one, at) => {
        const scale = scaleOf(one);
        const ts = START + at * one.length;
        expect(Math.abs(scale.ts(scale.x(ts)) - ts)).toBeLessThan(0.01 + one.length * 1e-9);
      }),
    );
  });

  test("keeps the order of moments, and the ends of the trace at the ends of the strip", () => {
    fc.assert(
      fc.property(drawn(["idle", "jump"]), fc.array(share, { minLength: 2 }), (one, shares) => {
        const scale = scaleOf(one);
        const places = shares.toSorted((a, b) => a - b).map((at) => scale.x(START + at * one.length));
        expect(places).toEqual(places.toSorted((a, b) => a - b));
        expect(scale.x(START)).toBeCloseTo(0, 3);
        expect(scale.x(START + one.length)).toBeLessThanOrEqual(WIDTH + 0.01);
      }),
    );
  });

  test("a zoom keeps the moment under the pointer, and never leaves the trace", () => {
    fc.assert(
      fc.property(drawn(["idle"]), share, fc.double({ min: 0.2, max: 5, noNaN: true }), (one, at, factor) => {
        const whole = [START, START + one.length] as const;
        const scale = scaleOf(one);
        const x = at * WIDTH;
        const part = zoomed(scale, whole, x, factor);
        if (!part) return;
        const closer = createScale(part[0], part[1], WIDTH, scale.folding);
        expect(part[0]).toBeGreaterThanOrEqual(whole[0] - 0.01);
        expect(part[1]).toBeLessThanOrEqual(whole[1] + 0.01);
        expect(closer.x(scale.ts(x))).toBeCloseTo(x, -0.5);
        const moved = panned(closer, whole, 1e9) ?? whole;
        expect(moved[1]).toBeCloseTo(whole[1], 1);
      }),
    );
    const folding = createFolding(START, START + 1000, []);
    expect(fitted(folding, [START, START + 1000], 0, 1000)).toBeNull();
  });
});

describe("idle time", () => {
  const lanes = [[5, 0, 0, 0, 0, 0, 0, 0, 0, 3]];
  const activity = { range: [START, START + 60_000] as const, lanes, first: START, last: START + 60_000 };

  test("is where nothing was recorded for long, measured by the trace", () => {
    const [idle, ...rest] = idleStretches({ ...activity, moments: [] });
    expect(rest).toEqual([]);
    expect(idle?.from).toBeCloseTo(START + 6000, -2);
    expect(idle?.to).toBeCloseTo(START + 54_000, -2);
    // A moment in the middle makes two of one.
    expect(idleStretches({ ...activity, moments: [START + 30_000] })).toHaveLength(2);
    // Three quiet seconds of a minute are no more than a breath.
    const breath = idleStretches({
      ...activity,
      lanes: [[1, 1, 1, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]],
      moments: [],
    });
    expect(breath).toEqual([]);
  });

  test("holds no moment at which something happened", () => {
    const moments = fc.array(fc.integer({ min: 0, max: 60_000 }), { maxLength: 40 });
    fc.assert(
      fc.property(moments, (at) => {
        const busy = at.map((ms) => START + ms);
        for (const one of idleStretches({ ...activity, lanes: [], moments: busy })) {
          expect(one.to - one.from).toBeGreaterThan(3000);
          expect(busy.filter((ts) => ts > one.from && ts < one.to)).toEqual([]);
        }
      }),
    );
  });
});

describe("spans of a lane", () => {
  const spans = fc.array(fc.tuple(fc.integer({ min: 0, max: 1000 }), fc.integer({ min: 0, max: 300 })));

  test("are found where they are, and only there", () => {
    fc.assert(
      fc.property(
        spans,
        fc.integer({ min: -10, max: 1400 }),
        fc.integer({ min: 0, max: 50 }),
        (list, ts, slack) => {
          const index = createLaneIndex({
            count: list.length,
            has: () => true,
            start: (row) => list[row]![0],
            end: (row) => list[row]![0] + list[row]![1],
          });
          const touching = list.filter(
            ([start, length]) => start <= ts + slack && start + length >= ts - slack,
          );
          const at = spanAt(index, ts, slack);
          expect(at >= 0).toBe(touching.length > 0);
          const found = at < 0 ? undefined : list[index.row(at)];
          if (found) expect(found[0]).toBe(Math.max(...touching.map(([start]) => start)));
          const [first, after] = visible(index, ts - slack, ts + slack);
          const shown = Array.from({ length: after - first }, (_, place) => list[index.row(first + place)]);
          for (const one of touching) expect(shown).toContainEqual(one);
          expect(countBetween(index, ts - slack, ts)).toBe(
            list.filter(([start]) => start >= ts - slack && start <= ts).length,
          );
        },
      ),
    );
  });

  test("rows that have none are left out, whether they are few or many", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.boolean(), fc.integer({ min: 0, max: 9 }))), (list) => {
        const index = createLaneIndex({
          count: list.length,
          has: (row) => list[row]![0],
          start: (row) => list[row]![1],
          end: (row) => list[row]![1] + (row % 5),
        });
        const rows = [...list.keys()].filter((row) => list[row]![0]);
        const sorted = rows.toSorted((a, b) => list[a]![1] - list[b]![1]);
        const places = Array.from({ length: index.length }, (_, at) => at);
        expect(places.map(index.row)).toEqual(sorted);
        expect(places.map(index.reach)).toEqual(
          sorted.map((_, at) => Math.max(...sorted.slice(0, at + 1).map((row) => list[row]![1] + (row % 5)))),
        );
      }),
    );
  });
});

test("a search by halves ends at the first value that is not below, or the first above", () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 20 })),
      fc.integer({ min: -1, max: 21 }),
      (list, value) => {
        const sorted = list.toSorted((a, b) => a - b);
        const first = sorted.findIndex((one) => one >= value);
        const above = sorted.findIndex((one) => one > value);
        expect(lowerBound(sorted, value)).toBe(first < 0 ? sorted.length : first);
        expect(lowerBound(sorted, value, true)).toBe(above < 0 ? sorted.length : above);
      },
    ),
  );
});

test("marks of the ruler are as fine as their distance, with days and hours where the page's clock went far", () => {
  const DAY = 86_400_000;
  expect([0, 400, 1200, 62_000].map((ms) => rulerLabel(ms, 100))).toEqual([
    "0 ms",
    "400 ms",
    "1.2 s",
    "1 m 2.0 s",
  ]);
  expect(rulerLabel(60_000, 5000)).toBe("1 m");
  expect(rulerLabel(30 * DAY, 200)).toBe("30 d");
  expect(rulerLabel(60 * DAY + 3_600_000 + 1400, 200)).toBe("60 d 1 h 1.4 s");
  expect(rulerLabel(-250, 50)).toBe("−250 ms");
  expect([3_600_000, 30 * DAY + 80, 59_999.7].map(formatOffset)).toEqual([
    "1:00:00.000",
    "30 d 0:00:00.080",
    "1:00.000",
  ]);
});
