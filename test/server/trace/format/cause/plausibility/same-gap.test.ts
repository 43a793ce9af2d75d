import { expect, test } from "bun:test";
import { exchange, failing, first, passing, run } from "../run.ts";

const json = (path: string, ts: number, value: object, more: object = {}) =>
  exchange(path, { ts, media_type: "application/json", body: JSON.stringify(value), ...more });
const start = (job: string) =>
  json("/api/imports", 3_000, { id: job, created: 0 }, { method: "POST", status: 202 });
const done = (job: string, created: number) => json(`/api/imports/${job}`, 3_500, { id: job, created });
const list = (total: number) => json("/api/contacts", 4_000, { total });
const shown = (total: number) => ({ expected: '"45 contacts"', received: `"${total} contacts"` });

const usual = run(...start("j7f3a1"), ...done("j7f3a1", 3), ...list(45), passing(shown(45)));
const cause = (job: string, created: number, total: number) =>
  first(run(...start("j7f3a1"), ...done(job, created), ...list(total), failing(shown(total))), usual, usual);

test("what a job that was begun here did less of leads before what is read later by as much", () => {
  expect(cause("j7f3a1", 2, 44)).toBe(
    "answer_changed: GET /api/imports/j7f3a1 answered “2” for “created”, where the last pass had “3”",
  );
});

test("it does not where the two are not as far apart, or no write here began it", () => {
  const read = "GET /api/contacts answered";
  expect(cause("j7f3a1", 2, 40)).toContain(read);
  expect(cause("j9c2d4", 2, 44)).toContain(read);
});
