import { describe, expect, setDefaultTimeout, test } from "bun:test";
import fc from "fast-check";
import {
  clockChanges,
  countFires,
  lastFire,
  nextFire,
  nextFires,
  showFire,
} from "../../../../server/run/language/fires.ts";

setDefaultTimeout(60_000);

const SECOND = 1000;
const HOUR = 60 * 60 * SECOND;

/** Zones with the days on which their clocks change in 2026, forward and back. */
const CHANGES: Record<string, [string, string]> = {
  "America/New_York": ["2026-03-08T07:00:00Z", "2026-11-01T06:00:00Z"],
  "Europe/London": ["2026-03-29T01:00:00Z", "2026-10-25T01:00:00Z"],
  "Asia/Beirut": ["2026-03-28T22:00:00Z", "2026-10-24T21:00:00Z"],
  // It has kept one offset since 2024; these are the days on which it changed before.
  "America/Asuncion": ["2026-03-22T03:00:00Z", "2026-10-04T04:00:00Z"],
  "Australia/Lord_Howe": ["2026-10-03T15:30:00Z", "2026-04-04T15:00:00Z"],
  UTC: ["2026-03-29T01:00:00Z", "2026-10-25T01:00:00Z"],
};
const ZONES = Object.keys(CHANGES);
const EXPRESSIONS = [
  "*/5 * * * *",
  "*/7 * * * *",
  "0 * * * *",
  "17,45 * * * *",
  "10-20/5 * * * *",
  "@hourly",
];

const aroundAChange = fc
  .record({
    timezone: fc.constantFrom(...ZONES),
    isForward: fc.boolean(),
    cron: fc.constantFrom(...EXPRESSIONS),
    minutes: fc.integer({ min: -180, max: 180 }),
  })
  .map(({ timezone, isForward, cron, minutes }) => ({
    schedule: { cron, timezone },
    at: Date.parse(CHANGES[timezone]![isForward ? 0 : 1]) + minutes * 60 * SECOND,
  }));

describe("fires of a schedule", () => {
  test("every second between two of them has the same next one, in six zones across both changes of their clocks", () => {
    const wrong: string[] = [];
    for (const timezone of ZONES)
      for (const change of CHANGES[timezone]!) {
        const schedule = { cron: "*/5 * * * *", timezone };
        const [from, on, to] = nextFires(schedule, Date.parse(change) - 5 * 60 * SECOND - 1, 3) as [
          number,
          number,
          number,
        ];
        for (let second = from; second < to; second += SECOND)
          if (nextFire(schedule, second) !== (second < on ? on : to))
            wrong.push(`${timezone} ${new Date(second).toISOString()}`);
      }
    expect(wrong).toEqual([]);
  });

  test("seconds at random between two of them have the same next and the same last one, around any change", () => {
    fc.assert(
      fc.property(aroundAChange, ({ schedule, at }) => {
        const [from, to] = nextFires(schedule, at, 2) as [number, number];
        for (let second = from; second < to; second += SECOND * 13) {
          if (nextFire(schedule, second) !== to) return false;
          if (lastFire(schedule, second) !== from) return false;
        }
        return nextFire(schedule, to - 1) === to && nextFire(schedule, from - 1) === from && to > from;
      }),
      { numRuns: 30 },
    );
  });

  test("of which the seconds right before and after each are all asked, come one by one", () => {
    for (const timezone of ZONES)
      for (const change of CHANGES[timezone]!) {
        const schedule = { cron: "*/30 * * * *", timezone };
        const fires = nextFires(schedule, Date.parse(change) - 2 * HOUR, 8);
        for (const [place, fire] of fires.slice(0, -1).entries()) {
          const next = fires[place + 1]!;
          expect(next - fire).toBe(30 * 60 * SECOND);
          for (const second of [fire, fire + 1, fire + 999, fire + SECOND, next - SECOND, next - 1])
            expect(nextFire(schedule, second)).toBe(next);
        }
      }
  });

  test("are counted as they come, one by one", () => {
    fc.assert(
      fc.property(aroundAChange, fc.integer({ min: 1, max: 200 }), ({ schedule, at }, count) => {
        // A change by half an hour moves the minute at which a schedule comes.
        fc.pre(schedule.timezone !== "Australia/Lord_Howe");
        const fires = nextFires(schedule, at, count);
        return countFires(schedule, fires[0]!, fires.at(-1)!) === count;
      }),
      { numRuns: 30 },
    );
  });

  test("at one time of the day come after a gap, and once where the time comes twice", () => {
    const night = { cron: "30 2 * * *", timezone: "Europe/Berlin" };
    const show = (from: string) =>
      nextFires(night, Date.parse(from), 2).map((at) => showFire(at, night.timezone).local);
    expect(show("2026-03-28T12:00:00Z")).toEqual(["2026-03-29T03:00+02:00", "2026-03-30T02:30+02:00"]);
    expect(show("2026-10-24T12:00:00Z")).toEqual(["2026-10-25T02:30+02:00", "2026-10-26T02:30+01:00"]);
  });
});

describe("changes of the clock", () => {
  test("are told where they fall between two times, and nowhere else", () => {
    const at = (...times: string[]) => clockChanges("Europe/Berlin", times.map(Date.parse));
    expect(at("2026-03-28T00:00:00Z", "2026-03-29T00:59:00Z")).toEqual([]);
    expect(at("2026-03-29T00:59:00Z", "2026-03-29T01:00:00Z")).toEqual([
      "On 2026-03-29 clocks in Europe/Berlin go forward from 02:00 to 03:00: the time from 02:00 to 03:00 does not exist that day.",
    ]);
    expect(at("2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z", "2026-10-25T02:30:00Z")).toEqual([
      "On 2026-10-25 clocks in Europe/Berlin go back from 03:00 to 02:00: the time from 02:00 to 03:00 comes twice that day.",
    ]);
    expect(at("2025-12-31T00:00:00Z", "2026-12-31T00:00:00Z")).toHaveLength(2);
    expect(clockChanges("UTC", [0, Date.parse("2026-01-01")])).toEqual([]);
  });
});
