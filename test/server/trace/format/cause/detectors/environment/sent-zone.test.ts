import { expect, test } from "bun:test";
import { exchange, failing, first, passing, run, told } from "../../run.ts";

type Range = [from: string, to: string];
const asked = (ts: number, [from, to]: Range) =>
  exchange("/api/calendar", {
    ts,
    method: "POST",
    request: { body: JSON.stringify({ from, to }) },
    body: "[]",
  });
const utc: Range = ["2026-11-01T00:00:00.000Z", "2026-12-01T00:00:00.000Z"];
const usual = run(...asked(4_000, utc), passing());
const cause = (range: Range, ...before: Parameters<typeof run>) =>
  told(run(...before, ...asked(4_000, range), failing()), usual, usual).join("\n");

test("midnights that were sent as others than in every pass tell the time zone of the run", () => {
  const failed = (range: Range) => run(...asked(4_000, range), failing());
  expect(first(failed(["2026-10-31T15:00:00.000Z", "2026-11-30T15:00:00.000Z"]), usual, usual)).toBe(
    "time: The browser ran in the time zone UTC+9, in the passes in UTC: POST /api/calendar was sent with the field from “2026-10-31T15:00:00.000Z” where the last pass sent “2026-11-01T00:00:00.000Z”, the same local time",
  );
  expect(first(failed(["2026-11-01T03:30:00.000Z", "2026-12-01T03:30:00.000Z"]), usual)).toContain(
    "in the time zone UTC−3:30, in the passes in UTC",
  );
});

test("days of other dates than in the passes are compared by their hour", () => {
  expect(cause(["2026-12-31T15:00:00.000Z", "2027-01-31T15:00:00.000Z"])).toContain("UTC+9, in the passes");
  expect(cause(["2027-01-01T00:00:00.000Z", "2027-02-01T00:00:00.000Z"])).not.toContain("time zone");
});

test("hours that moved apart, only one of them, what an answer gave, or a changed script tell no zone", () => {
  expect(cause(["2026-10-31T15:00:00.000Z", "2026-12-01T00:00:00.000Z"])).not.toContain("time zone");
  expect(cause(["2026-10-31T15:00:00.000Z", "2026-10-31T15:00:00.000Z"])).not.toContain("time zone");
  expect(cause(["2026-10-31T15:07:00.000Z", "2026-11-30T15:07:00.000Z"])).not.toContain("time zone");
  const tokyo: Range = ["2026-10-31T15:00:00.000Z", "2026-11-30T15:00:00.000Z"];
  const given = exchange("/api/term", {
    ts: 3_000,
    body: JSON.stringify({ begin: tokyo[0], end: tokyo[1] }),
  });
  expect(cause(tokyo, ...given)).not.toContain("time zone");
  const script = (hash: string) =>
    exchange(`/assets/main-${hash}.js`, { ts: 1_000, resource_type: "script", body: `sha256:${hash}` });
  const before = run(...script("91B9D251"), ...asked(4_000, utc), passing());
  const failed = run(...script("E1C5996F"), ...asked(4_000, tokyo), failing());
  expect(told(failed, before, before).join("\n")).not.toContain("time zone");
});
