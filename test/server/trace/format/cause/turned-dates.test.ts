import { expect, test } from "bun:test";
import { turned } from "../../../../../server/trace/format/cause/values/dates.ts";
import { click, exchange, failing, first, page, passing, run } from "./run.ts";

/** Dates that are sent with their day and month in each other's place. */
const reserve = (day: string, more: object = {}) =>
  exchange("/reserve/day", {
    method: "POST",
    ts: 3_000,
    request: {
      body: new URLSearchParams({ day }).toString(),
      headers: [{ name: "content-type", value: "application/x-www-form-urlencoded" }],
    },
    ...more,
  });
const refused = page(`<p role="alert">Please choose a day after today</p>`);
const check = { expected: '"7 Dec"', received: '"Reserve"' };
const usual = run(...reserve("2026-12-07"), passing(check));
const cause = (...events: Parameters<typeof run>) =>
  first(run(...events, failing(check), refused), usual, usual);

test("a date whose day and month changed places is told before what the page said to it", () => {
  expect(cause(...reserve("2026-07-12"))).toBe(
    "page_changed: POST /reserve/day was sent with the field day “2026-07-12” where the last pass sent “2026-12-07”: day and month stand in each other's place",
  );
});

test("it is told with the script that changed", () => {
  const script = (body: string) =>
    exchange("/app.js", { ts: 1_000, resource_type: "script", media_type: "text/javascript", body });
  const before = run(...script("a"), ...reserve("2026-12-07"), passing(check));
  const failed = run(...script("bcd"), ...reserve("2026-07-12"), failing(check), refused);
  expect(first(failed, before, before)).toContain("in each other's place; the script GET /app.js changed");
});

test("a date that goes by the day of the run is told by how far away it is", () => {
  // Runs begin on the first day of 1970.
  const later = (day: string, begun: number) =>
    run(...reserve(day), passing(check)).map((event) => ({ ...event, ts: event.ts + begun * 86_400_000 }));
  const failed = run(...reserve("1970-08-01"), failing(check), refused);
  expect(first(failed, later("1970-01-11", 3), later("1970-01-10", 2))).toContain(
    "with the field day “1970-08-01” where “1970-01-08” is as many days away as in the last pass",
  );
});

test("another date is no such one, nor is one that the test itself gave", () => {
  expect(cause(...reserve("2026-07-13"))).not.toContain("each other's place");
  expect(cause(...reserve("2026-12-07"))).not.toContain("each other's place");
  const fill = (value: string) =>
    click("Fill Day", { name: "page.fill", ts: 2_000, params: { selector: "#day", value } });
  const before = run(fill("7 Dec"), ...reserve("2026-12-07"), passing(check));
  const failed = run(fill("12 July"), ...reserve("2026-07-12"), failing(check), refused);
  expect(first(failed, before, before)).not.toContain("POST /reserve/day");
});

test("dates are turned in each way of writing them", () => {
  expect(["2026-12-07", "07.12.2026", "7/12/2026", "2026-12-07T10:00:00Z"].map(turned)).toEqual([
    "2026-07-12",
    "12.07.2026",
    "12/7/2026",
    "2026-07-12T10:00:00Z",
  ]);
  expect(["2026-07-07", "12 July", 20_261_207, "12-07"].map(turned)).toEqual([null, null, null, null]);
});
