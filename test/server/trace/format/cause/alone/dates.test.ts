import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { dayIn } from "../../../../../../server/trace/format/cause/values/dates.ts";
import { failing, page, run } from "../run.ts";
import { first, json, missed, told } from "./scene.ts";

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

  test("is told of moments in milliseconds, and of dates in figures of which only one can be a month", () => {
    const orders = (...at: string[]) =>
      told(
        run(
          ...json("/orders", { orders: at.map((day, nth) => ({ id: nth, at: Date.parse(day) })) }),
          failing({
            expected: '"28/11/2026"',
            received: '"No 517996 of 21/09/2026 Delivered €29.85 Details"',
          }),
        ),
      );
    expect(orders("2026-09-21T09:00Z", "2026-11-10T09:00Z", "2026-11-28T09:00Z")[0]).toBe(
      "answer_changed: GET /orders answered “orders” in ascending order of “at”: the page shows what comes first, “21/09/2026”; the test wants what comes last, “28/11/2026”",
    );
    expect(orders("2026-09-21T09:00Z", "2026-11-28T09:00Z", "2026-11-10T09:00Z").join()).not.toContain(
      "order of",
    );
    expect(
      cause(["2026-04-03", "2026-05-03", "2026-06-05"], "05/06/2026", "03/04/2026").join(),
    ).not.toContain("order of");
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

describe("a moment that an answer gives in seconds", () => {
  const shown = (body: object, got: string) =>
    told(
      run(
        ...json("/slots", body),
        missed("getByRole('radio', { name: 'Tue 1 December, 8 to 12' })"),
        page(`<label><input type="radio">${got}</label>`),
      ),
    );
  const day = Date.UTC(2026, 11, 1) / 1_000;

  test("is told where the page shows it as a day of 1970", () => {
    expect(shown({ slots: [{ day }] }, "Wed 21 January, 8 to 12")[0]).toBe(
      `answer_changed: GET /slots answered “${day}” for “slots.0.day”: a moment in seconds, which the page takes for milliseconds and shows as a day in 1970: “Wed 21 January, 8 to 12”, where the test wants “Tue 1 December, 8 to 12”`,
    );
  });

  test("is not told where the page shows another day, or the answer gives milliseconds", () => {
    for (const [body, got] of [
      [{ slots: [{ day }] }, "Wed 2 December, 8 to 12"],
      [{ slots: [{ day: day * 1_000 }] }, "Wed 21 January, 8 to 12"],
    ] as const)
      expect(shown(body, got).join()).not.toContain("in seconds");
  });
});

describe("a day that the page shows as the one beside it", () => {
  const shown = (slots: { begins: number }[], ...texts: string[]) =>
    first(
      run(
        ...json("/slots", { slots }),
        missed("getByRole('radio', { name: 'Thu 3 December, 8 to 12' })"),
        page(texts.map((text) => `<label><input type="radio">${text}</label>`).join("")),
      ),
    );
  const midnight = { begins: Date.UTC(2026, 11, 2, 23) };

  test("is told with the moment of the answer that begins the wanted day in another zone", () => {
    expect(shown([midnight], "Tue 1 December , 8 to 12", "Wed 2 December , 8 to 12")).toBe(
      "time: Another day, by the time zone of the run: the test looked for “Thu 3 December, 8 to 12”, the page shows “Wed 2 December , 8 to 12”; GET /slots answered “1796252400000” for “slots.0.begins”, 2026-12-02 23:00 UTC, which is the wanted day in some zones and the day beside it in others",
    );
  });

  test("is told without a moment where none begins the wanted day, or another day is shown", () => {
    for (const one of [
      shown([{ begins: midnight.begins + 60_000 }], "Wed 2 December, 8 to 12"),
      shown([{ begins: midnight.begins + 86_400_000 }], "Wed 2 December, 8 to 12"),
      shown([midnight], "Mon 30 November, 8 to 12"),
    ])
      expect(one).not.toContain("in some zones");
  });

  test("is never a number of another answer that stands in its date", () => {
    const one = told(
      run(
        ...json("/basket", { lines: [{ qty: 1 }], page: 1 }),
        missed("page.getByRole('radio', { name: 'Thu 3 December, 8 to 12' })"),
        page('<label><input type="radio">Tue 1 December, 8 to 12</label>'),
      ),
    );
    expect(one.join()).not.toContain("answered “1”");
  });
});

test("the wanted date with day and month in each other's place is of another locale, also in a longer text", () => {
  const shown = (received: string) =>
    first(run(failing({ expected: '"28/11/2026"', received: `"${received}"` })));
  expect(shown("No 11168311/28/2026 Shipped €59.90 with all its details")).toBe(
    "time: Another locale: the same date in another form, for the test expected “28/11/2026” and the page showed “11/28/2026”",
  );
  expect(shown("No 11168328/10/2026 Shipped €59.90 with all its details")).toStartWith("time: Another day");
});

test("the day of a date that the page shows is no figure of an answer", () => {
  const shown = (expected: string, received: string) =>
    told(
      run(
        ...json("/report", { fresh: 29, all: 129 }),
        failing({ expected: `"${expected}"`, received: `"${received}"` }),
      ),
    ).join();
  expect(shown("Nov 30, 2026", "Room · Nov 29, 2026 · High")).not.toContain("/report");
  expect(shown("130 new", "129 new")).toContain("GET /report answered “129” for “all”");
});
