import { expect, test } from "bun:test";
import { click, exchange, first, page, run } from "../../run.ts";

/** A list of options that an answer fills, where the one that the step picks is in none of them. */
const hours = (...starts: number[]) =>
  starts.map((hour) => ({ value: `2026-12-01T${hour}:00:00.000Z`, label: `${hour + 1}:00` }));
const asked = (options: readonly { value: string }[]) =>
  exchange("/api/hours", {
    ts: 4_000,
    body: JSON.stringify({ hours: options.map(({ value }) => ({ start: value })) }),
    media_type: "application/json",
  });
const shown = (options: readonly { value: string; label: string }[]) =>
  page(
    `<label for="hour">Hour</label><select id="hour"><option value="">Choose</option>${options
      .map(({ value, label }) => `<option value="${value}">${label}</option>`)
      .join("")}</select>`,
  );
const pick = (more: object = {}) =>
  click("Select option getByLabel('Hour')", {
    name: "page.selectOption",
    ts: 5_000,
    step_id: "check",
    params: { selector: 'internal:label="Hour"i', options: [{ label: "14:00" }] },
    ...more,
  });
const pickedInVain = pick({
  duration_ms: 2_000,
  log: ["waiting for getByLabel('Hour')", "did not find some options"],
  error: { message: "TimeoutError: locator.selectOption: Timeout 2000ms exceeded." },
  ok: false,
});
const usual = run(...asked(hours(11, 12, 13)), pick(), shown(hours(11, 12, 13)));
const told = (answered: ReturnType<typeof hours>, offered = answered) =>
  first(run(...asked(answered), pickedInVain, shown(offered)), usual, usual);

test("an option that an answer lacks is told by its name on the page, with that answer", () => {
  expect(told(hours(11, 12))).toBe(
    "answer_changed: GET /api/hours answered without “14:00”, so that getByLabel('Hour') does not offer it as in the last pass: it has 2 items for “hours.start” instead of 3",
  );
});

test("moments that all are another hour than in the passes are told as of another time zone", () => {
  expect(told(hours(14, 15, 16))).toEndWith(
    "answered without “14:00”, so that getByLabel('Hour') does not offer it as in the last pass: all of “hours.start” is 3 h later than in the last pass, as by another time zone",
  );
});

test("another thing in the place of one is told with it", () => {
  expect(told(hours(11, 12, 15))).toEndWith("it has “2026-12-01T15:00:00.000Z” in its place");
});

test("an option that the page leaves out by itself is no answer's fault", () => {
  expect(told(hours(11, 12, 13), hours(11, 12))).not.toContain("answered without");
  expect(told(hours(11, 12, 15), hours(11, 12))).not.toContain("answered without");
});

test("an option that the passes do not offer either tells nothing of an answer", () => {
  const other = run(...asked(hours(11, 12, 15)), pick(), shown(hours(11, 12, 15)));
  expect(first(run(...asked(hours(11, 12)), pickedInVain, shown(hours(11, 12))), other)).not.toContain(
    "answered without",
  );
});
