import { expect, test } from "bun:test";
import { exchange, failing, first, passing, run, told } from "../run.ts";

const answer = (url: string, ts: number, body: object, more: object = {}) =>
  exchange(url, { ts, media_type: "application/json", body: JSON.stringify(body), ...more });
const thing = (category: string) => ({ slug: "winter-voyage", title: "Winter Voyage", category });
const end = { expected: '"1 event"', received: '"0 events"' };

/** All events, and then those of a category. */
const asked = (category: string, found: object[], by = "category=Classical", ts = 2_000) => [
  ...answer("/api/events?page=1", ts, { items: [thing(category)] }),
  ...answer(`/api/events?page=1&${by}`, 3_000, { items: found, total: found.length }),
];
const usual = run(...asked("Classical", [thing("Classical")]), passing(end));
const firstOf = (...events: Parameters<typeof run>) => first(run(...events, failing(end)), usual, usual);
const said = "was still asked for as “category”";

test("a value that is another one now is told before the answer to what is still asked for by the usual one", () => {
  expect(firstOf(...asked("Classics", []))).toStartWith(
    "answer_changed: GET /api/events?page=1 answered “Classics” for “items.winter-voyage.category”, where the last pass had “Classical”; “Classical” was still asked for as “category”, and GET /api/events",
  );
});

test("an answer that has something, or that is asked by another value or field, comes of no such value", () => {
  for (const events of [
    asked("Classics", [thing("Classics")]),
    asked("Classics", [], "category=Classics"),
    asked("Classics", [], "kind=Classical"),
    asked("Classics", [], "category=Classical", 4_000),
  ])
    expect(told(run(...events, failing(end)), usual, usual).join("\n")).not.toContain(said);
});

test("what was written otherwise before may be why the value is another one", () => {
  const write = (category: string) =>
    exchange("/api/events/7", { ts: 1_500, method: "PUT", request: { body: JSON.stringify({ category }) } });
  const pass = run(...write("Classical"), ...asked("Classical", [thing("Classical")]), passing(end));
  const failed = run(...write("Classics"), ...asked("Classics", []), failing(end));
  expect(told(failed, pass, pass).join("\n")).not.toContain(said);
});
