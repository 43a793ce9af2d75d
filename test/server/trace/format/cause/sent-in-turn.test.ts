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

test("what no pass sends in any turn is told, though another turn has what passes send in this one", () => {
  const [before, usually] = [
    { by: "date", order: "desc" },
    { by: "name", order: "desc" },
  ];
  const passes = [usual(before, usually), usual(before, usually)];
  expect(first(failed({ by: "name", order: "asc" }, before), ...passes)).toContain(
    "which was sent with the field order “asc” where the last pass sent “desc”",
  );
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

test("a refused write is told with the answer that gave it what it sent, in JSON or in a form", () => {
  const answered = (ts: number, number: number, body: string) =>
    exchange("/api/bills/2", {
      method: "PATCH",
      ts,
      request: { body: JSON.stringify(version(number)) },
      body,
      media_type: body.startsWith("{") ? "application/json" : "text/html",
    });
  const pass = (body: string) => run(...answered(4_000, 7, body), ...answered(4_900, 8, "{}"), passing());
  const told = (body: string, usual: string) =>
    first(run(...answered(4_000, 7, body), ...refused(version(7)), failing()), pass(usual), pass(usual));
  const given = "PATCH /api/bills/2 had given “7” for “version”, where it gave “8” in the last pass";
  expect(told('{"version":7}', '{"version":8}')).toEndWith(`Changed meanwhile; ${given}`);
  const form = (number: number) => `<form><input name="version" value="${number}"></form>`;
  expect(told(form(7), form(8))).toEndWith(given);
  // The page sent another one than it was given, or is given the same in passes.
  expect(told(form(8), form(8))).not.toContain("had given");
  expect(told(form(7), form(7))).not.toContain("had given");
  expect(told('{"version":7}', '{"other":8}')).not.toContain("had given");
});
