import { expect, test } from "bun:test";
import { exchange, failing, first, passing, run } from "./run.ts";

/** Saves of one page, one after the other, each with what it was sent with. */
const saves = (...bodies: object[]) =>
  bodies.flatMap((body, at) =>
    exchange("/api/bills/2", {
      method: "PATCH",
      ts: 4_000 + at * 100,
      request: { body: JSON.stringify(body) },
      body: "{}",
    }),
  );
const refused = (body: object) =>
  exchange("/api/bills/2", {
    method: "PATCH",
    ts: 4_900,
    request: { body: JSON.stringify(body) },
    status: 409,
    body: '{"message":"Changed meanwhile"}',
  });
const failed = (last: object, ...before: object[]) => run(...saves(...before), ...refused(last), failing());
const usual = (...bodies: object[]) => run(...saves(...bodies), passing());
const version = (number: number) => ({ version: number, note: "x" });

test("what is sent more than once is compared with what passes send in the same turn", () => {
  const passes = [usual(version(7), version(8)), usual(version(7), version(8))];
  expect(first(failed(version(7), version(7)), ...passes)).toBe(
    "request_failed: PATCH /api/bills/2, which was sent with the field version “7” where the last pass sent “8”, was answered with 409: Changed meanwhile",
  );
  const more = [usual(version(7), version(8), version(9)), usual(version(7), version(8), version(9))];
  expect(first(failed(version(7), version(7)), ...more)).toContain(
    "version “7” where the last pass sent “8”",
  );
});

test("what is left out in its turn is told, though another turn has it", () => {
  const passes = [usual({ id: 2 }, { id: 2, day: "mon" }), usual({ id: 2 }, { id: 2, day: "mon" })];
  expect(first(failed({ id: 2 }, { id: 2 }), ...passes)).toContain("sent without the field day “mon”");
});

test("no turn is compared where the order is another one, a first request is missing, or passes send unequally often", () => {
  const passes = [usual(version(7), version(8)), usual(version(7), version(8))];
  expect(first(failed(version(7), version(8)), ...passes)).toContain("PATCH /api/bills/2 was answered with");
  expect(first(failed(version(8)), ...passes)).toContain("PATCH /api/bills/2 was answered with");
  const unequal = [usual(version(7), version(8)), usual(version(7), version(8), version(8))];
  expect(first(failed(version(7), version(7)), ...unequal)).toContain("PATCH /api/bills/2 was answered with");
  const varying = [usual(version(7), version(8)), usual(version(7), version(9))];
  expect(first(failed(version(7), version(7)), ...varying)).toContain("PATCH /api/bills/2 was answered with");
});
