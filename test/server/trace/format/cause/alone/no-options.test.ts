import { expect, test } from "bun:test";
import { click, exchange, page, run } from "../run.ts";
import { first, json, told } from "./scene.ts";

const pick = click("Select option getByLabel('Coach')", {
  name: "page.selectOption",
  ts: 5_000,
  step_id: "check",
  ok: false,
  duration_ms: 2_000,
  params: { selector: 'internal:label="Coach"i', options: [{ valueOrLabel: "Ada Moss" }] },
  log: ["waiting for getByLabel('Coach')", "  - did not find some options"],
  error: { message: "TimeoutError: locator.selectOption: Timeout 2000ms exceeded." },
});
const form = page("<label>Coach <select><option>Choose</option></select></label>");
const cause = (...events: Parameters<typeof run>) => told(run(...events, pick, form)).join("\n");

test("what options are asked from leads where it was answered with none, or not at all", () => {
  expect(cause(...json("/api/trainers", { trainers: [] }))).toStartWith(
    "answer_changed: GET /api/trainers answered with an empty list for “trainers”: getByLabel('Coach') has no option “Ada Moss”",
  );
  const [asked] = exchange("/api/coaches", { ts: 4_500 });
  expect(cause(asked!)).toStartWith(
    "request_pending: GET /api/coaches was not answered when the step gave up: getByLabel('Coach') has no option “Ada Moss” yet",
  );
});

test("a list of something within a thing, and a question for something else, tell nothing of it", () => {
  expect(cause(...json("/api/club", { id: "c1", trainers: [] }))).not.toContain("has no option “Ada Moss”\n");
  const [asked] = exchange("/api/weather", { ts: 4_500 });
  expect(cause(asked!)).not.toContain("has no option “Ada Moss” yet");
});

test("an option that others of one answer stand beside is told with whether that answer has it", () => {
  const offers = page(
    "<label>Coach <select><option>Choose</option><option>Ben Roe</option><option>Cy Low</option></select></label><select><option>Lima</option></select>",
  );
  const cause = (...names: string[]) =>
    first(run(...json("/api/staff", { items: names.map((name) => ({ name })) }), pick, offers));
  expect(cause("Ben Roe", "Cy Low")).toBe(
    "element_missing: getByLabel('Coach') has no such option as the step picks (“Ada Moss”); it has the options “Choose”, “Ben Roe”, “Cy Low”: GET /api/staff answered without “Ada Moss” in “items”",
  );
  expect(cause("Ben Roe", "Ada Moss")).toEndWith(
    "GET /api/staff answered with “Ada Moss” as well, which the page does not offer",
  );
  expect(cause("Ben Roe", "Di Fox")).toEndWith("“Choose”, “Ben Roe”, “Cy Low”");
});
