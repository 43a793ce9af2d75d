import { describe, expect, test } from "bun:test";
import { click, exchange, failing, first, passing, run, told } from "../../run.ts";

const open = click("Click getByRole('link', { name: 'Calendar' })", { ts: 1_000 });
const next = click("Click getByRole('button', { name: 'Next week' })", { ts: 3_000 });
const slots = (ts: number, from: string, more = "") =>
  exchange(`/api/slots?from=${from}${more}`, { ts, body: JSON.stringify({ items: [] }) });
const pass = (...weeks: [string, string]) =>
  run(open, ...slots(1_100, weeks[0]), next, ...slots(3_100, weeks[1]), passing());
const usual = pass("2030-05-06", "2030-05-13");
const asked = (...events: Parameters<typeof run>) => run(open, ...events, failing());
const isTold = (...args: Parameters<typeof told>) =>
  told(...args).some((title) => title.includes("/api/slots was sent"));

describe("a page that asks for the same again after a gesture", () => {
  const failed = asked(...slots(1_100, "2030-05-06"), next, ...slots(3_100, "2030-05-06"));

  test("is told with what every pass asks for then", () => {
    expect(first(failed, usual, usual)).toBe(
      "page_changed: GET /api/slots was sent with the same from “2030-05-06” as before, after “Click getByRole('button', { name: 'Next week' })”, where the last pass then asked with “2030-05-13”",
    );
  });

  test("does as a pass does, has asked for more since, or asked twice for one gesture", () => {
    expect(isTold(failed, usual, pass("2030-05-06", "2030-05-06"))).toBeFalse();
    const later = asked(
      ...slots(1_100, "2030-05-06"),
      next,
      ...slots(3_100, "2030-05-06"),
      ...slots(3_200, "2030-05-13"),
    );
    expect(isTold(later, usual, usual)).toBeFalse();
    const twice = asked(...slots(1_100, "2030-05-06"), ...slots(1_200, "2030-05-06"));
    expect(isTold(twice, usual, usual)).toBeFalse();
    expect(isTold(failed, usual)).toBeFalse();
  });
});

describe("a page that asks for another day than all passes of one day", () => {
  const failed = asked(...slots(1_100, "2030-05-05"));

  test("is told with how far the day lies off", () => {
    expect(first(failed, usual, usual)).toBe(
      "page_changed: GET /api/slots was sent with from “2030-05-05” after “Click getByRole('link', { name: 'Calendar' })”, one day before the “2030-05-06” that the last pass asked with: a day that is made in another time zone, as in UTC, is off by one",
    );
  });

  test("asks for a day that the test gives, that passes ask for too, or that lies elsewhere on another day", () => {
    const typed = click("Fill From", { ts: 900, params: { value: "2030-05-05" } });
    expect(isTold(run(typed, open, ...slots(1_100, "2030-05-05"), failing()), usual, usual)).toBeFalse();
    expect(isTold(asked(...slots(1_100, "2030-05-13")), usual, usual)).toBeFalse();
    const before = usual.map((event) => ({ ...event, ts: event.ts - 2 * 86_400_000 }));
    expect(isTold(failed, before, before)).toBeFalse();
    expect(isTold(failed, usual, pass("2030-05-07", "2030-05-14"))).toBeFalse();
  });
});

describe("a page that asks for another month than all passes by then", () => {
  const months = (ts: number, month: string, path = "/api/live") =>
    exchange(`${path}?month=${month}`, { ts, body: "[]" });
  const step = (ts: number) => click("Click Next month", { ts });
  const ended = failing({ ts: 3_500 });
  const failed = (month: string) =>
    run(open, ...months(1_100, "2030-11"), step(3_000), ...months(3_100, month), ended);
  const usual = run(
    ...[open, ...months(1_100, "2030-11"), step(3_000), ...months(3_100, "2030-12")],
    passing({ ts: 3_500, duration_ms: 20 }),
    ...[step(4_000), ...months(4_100, "2031-01")],
  );

  test("is told with how far the month lies off, though the passes ask for it later", () => {
    expect(first(failed("2031-01"), usual, usual)).toBe(
      "page_changed: GET /api/live was sent with month “2031-01” after “Click Next month”, one month after the “2030-12” that the last pass asked with",
    );
  });

  test("asks for a month that the passes ask for by then", () => {
    expect(told(failed("2030-11"), usual, usual).join()).not.toContain("one month");
    expect(told(failed("2030-12"), usual, usual).join()).not.toContain("was sent with month");
  });
});
