import { expect, test } from "bun:test";
import { json } from "./alone/scene.ts";
import { click, first, page, run, told } from "./run.ts";

/** What is asked for with several parts, of which the answer to one tells that it is not left out of account. */
const slots = (asked: string, free: boolean, more: Record<string, unknown> = {}) =>
  json(
    `/api/slots?${asked}`,
    {
      slots: [
        { time: "09:00", free: true },
        { time: "10:00", free },
      ],
    },
    more,
  );
const check = (more: Record<string, unknown> = {}) =>
  click("Click getByLabel('10:00')", {
    ts: 5_000,
    step_id: "check",
    params: { selector: 'internal:label="10:00"i' },
    ...more,
  });
const blocked = check({
  duration_ms: 2_000,
  log: ["waiting for getByLabel('10:00')", "element is not enabled"],
  error: { message: "TimeoutError: locator.click: Timeout 2000ms exceeded." },
  ok: false,
});
const shown = (more = "") => page(`<label><input type="radio" ${more}>10:00</label>`);
const usual = run(...slots("day=2&size=6", false), ...slots("day=2&size=4", true), check(), shown());
const ends = [blocked, shown("disabled")] as const;

test("what is disabled is told with the answer that says so, and with the thing of the list that it is of", () => {
  const failed = run(
    ...slots("day=2&size=2", true, { ts: 4_200 }),
    ...slots("day=2&size=6", false, { ts: 4_300 }),
    ...slots("day=2&size=4", false),
    ...ends,
  );
  expect(first(failed, usual, usual)).toBe(
    "element_disabled: getByLabel('10:00') was disabled, where the last pass has it enabled; GET /api/slots?day=2&size=4 answered “false” for “slots.1.free” of “10:00”, where the last pass had “true”",
  );
});

test("a part of a question is left out of account where each one that differs in it alone is answered alike", () => {
  const failed = run(
    ...slots("day=1&size=2", true, { ts: 4_200 }),
    ...slots("day=2&size=6", false, { ts: 4_300 }),
    ...slots("day=2&size=4", false),
    ...ends,
  );
  expect(told(failed, usual, usual).join("\n")).toContain(
    "answered the same as to the question before it, ignoring “4” for “size”",
  );
});
