import { expect, test } from "bun:test";
import { causeOf, click, failing, first, page, passing, run, told } from "./run.ts";

/** What a poll reads of an element of the page, again and again, in a step of its own. */
const poll = {
  step_id: "poll",
  name: "poll toBeGreaterThan",
  title: 'Expect "poll toBeGreaterThan"',
  message: "Timeout 2000ms exceeded while waiting on the predicate",
  expected: undefined,
  received: undefined,
};
const reads = (more: object = {}) =>
  click("Evaluate getByRole('img', { name: 'Map' })", {
    name: "page.waitForSelector",
    step_id: "read",
    parent_step_id: "poll",
    ts: 5_010,
    duration_ms: 2_400,
    params: { selector: 'internal:role=img[name="Map"i]' },
    log: ["waiting for getByRole('img', { name: 'Map' })"],
    ...more,
  });
const shown = (alt: string) => page(`<p>Here</p><img class="map" alt="${alt}">`, { step_id: "read" });
const usual = run(passing(poll), reads({ duration_ms: 20, log: [] }), shown("Map"));
const LOST =
  "element_renamed: getByRole('img', { name: 'Map' }) was not found: the <img> stands there as in the last pass, but has lost alt=\"Map\"";

test("a poll whose element never came is told by that element, and the failed step stays the poll", () => {
  const failed = run(failing(poll), reads(), shown(""));
  expect(first(failed, usual, usual)).toBe(LOST);
  expect(causeOf(failed, usual).failed_step?.step_id).toBe("poll");
});

test("a poll that was answered, and a step that is none of its own, are no such reading", () => {
  const isSaid = (...steps: ReturnType<typeof reads>[]) =>
    told(run(failing(poll), ...steps, shown("")), usual)
      .join()
      .includes("was not found");
  expect(isSaid(reads({ duration_ms: 20 }))).toBe(false);
  expect(isSaid(reads({ parent_step_id: "other" }))).toBe(false);
  expect(isSaid(reads({ ts: 6_900, duration_ms: 500 }))).toBe(false);
});
