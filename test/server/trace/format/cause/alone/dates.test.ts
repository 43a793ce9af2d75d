import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { dayIn } from "../../../../../../server/trace/format/cause/alone/answers/days.ts";
import { failing, run } from "../run.ts";
import { json, told } from "./scene.ts";

const cause = (bookings: string[], expected: string, received: string, ts = 5_000) =>
  told(
    run(
      ...json("/bookings", { items: bookings.map((at, nth) => ({ id: nth, at })) }),
      failing({ ts, expected: `"${expected}"`, received: `"${received}"` }),
    ),
  );

test("a date is read in each form that is beyond doubt", () => {
  const dates = fc.date({ min: new Date("1970-01-01"), max: new Date("2099-12-31"), noInvalidDate: true });
  fc.assert(
    fc.property(dates, fc.constantFrom("long", "short"), (date, month) => {
      const day = Math.floor(date.getTime() / 86_400_000);
      const form = (locale: string) =>
        date.toLocaleDateString(locale, { timeZone: "UTC", day: "numeric", month, year: "numeric" });
      for (const text of [form("en-GB"), form("en-US"), date.toISOString(), `Rent${form("en-GB")}€73.00`])
        expect(dayIn(text), text).toBe(day);
    }),
  );
  for (const text of ["03/04/2026", "12026-01-01", "5 Foo 2026", "2026-13-01", ""])
    expect(dayIn(text), text).toBeNull();
});

describe("a list that came the other way round", () => {
  test("is told by the dates that it is in order of", () => {
    const [said] = cause(["2026-02-15", "2026-02-20", "2026-03-01"], "28 Feb 2026", "14 Feb 2026 Book shop");
    expect(said).toBe(
      "answer_changed: GET /bookings answered “items” in ascending order of “at”: the page shows what comes first, “14 Feb 2026 Book shop”; the test wants what comes last, “28 Feb 2026”",
    );
    expect(cause(["2026-03-01", "2026-02-20", "2026-02-15"], "14 Feb 2026", "1 Mar 2026")[0]).toContain(
      "in descending order",
    );
  });

  test("is told before another clock, however long ago it came", () => {
    const late = (...days: string[]) => cause(days, "28 Feb 2026", "14 Feb 2026", 16_000)[0];
    expect(late("2026-02-14", "2026-02-20", "2026-02-28")).toContain("in ascending order of “at”");
    expect(late("2026-03-14", "2026-03-20", "2026-03-28")).toStartWith("time: Another day, by the clock");
  });

  test("is not told where a zone may have moved the day, it has no order, or the test wants what it has not", () => {
    for (const [bookings, expected, received] of [
      [["2026-02-27", "2026-02-27", "2026-02-28"], "28 Feb 2026", "27 Feb 2026"],
      [["2026-02-15", "2026-03-05", "2026-02-28"], "28 Feb 2026", "15 Feb 2026"],
      [["2026-02-15", "2026-02-20", "2026-02-23"], "28 Feb 2026", "15 Feb 2026"],
      [["2026-02-15", "2026-02-28"], "28 Feb 2026", "15 Feb 2026"],
    ] as const)
      expect(cause([...bookings], expected, received).join()).not.toContain("order of");
  });
});

test("a moment without a zone is told of the day before or after", () => {
  const zone = "; it names no time zone, so that each browser takes it for its own time";
  expect(cause(["2026-03-01T02:00:00"], "28 Feb 2026", "1 Mar 2026")[0]).toBe(
    `answer_changed: GET /bookings answered “2026-03-01T02:00:00” for “items.0.at”: that is what the page shows, where the test wants “28 Feb”${zone}`,
  );
  for (const [moment, expected] of [
    ["2026-03-01T02:00:00Z", "28 Feb 2026"],
    ["2026-03-01T02:00:00+01:00", "28 Feb 2026"],
    ["2026-03-01", "28 Feb 2026"],
    ["2026-03-01T02:00:00", "14 Feb 2026"],
  ] as const)
    expect(cause([moment], expected, "1 Mar 2026").join()).not.toContain(zone);
});
