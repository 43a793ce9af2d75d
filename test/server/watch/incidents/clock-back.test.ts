import { afterEach, describe, expect, test } from "bun:test";
import type { Grid } from "../../../../server/watch/grid/model.ts";
import { restsOf } from "../../../../store/records/check-rests.ts";
import { changeCheck, findCheck } from "../../../../store/records/checks.ts";
import { type AlertLab, alertLab } from "../../../helpers/alerts.ts";

const YEAR = 365 * 24 * 3_600_000;

let lab: AlertLab;
afterEach(() => lab.app.close());

/** What a machine does whose clock is a year ahead until it is put right. */
async function aYearAhead(during: () => Promise<unknown>): Promise<void> {
  const { clock, tick } = lab.app;
  await tick();
  clock.advance(YEAR);
  await tick();
  await during();
  clock.advance(-YEAR);
  await tick();
}

test("passes of a clock that was ahead hide no failure once it is right, nor does a check that counts from then", async () => {
  lab = await alertLab();
  await aYearAhead(async () => {
    await lab.run("PP");
    await changeCheck(lab.app.store.records, lab.check.id, { counts_from: lab.app.clock.now() });
  });
  const { body: grid } = await lab.api<Grid>("/v1/monitoring/grid");
  const last = Date.parse(grid.cells.find(({ region }) => region === "a")!.last_run_at!);
  expect(last).toBeLessThanOrEqual(lab.app.clock.now());
  await lab.run("FF");
  expect(await lab.incidents()).toMatchObject([{ status: "open", type: "consecutive_failures" }]);
  lab.app.clock.advance(30_000);
  expect(await lab.deliver()).toEqual(["incident.opened a"]);
});

test("failures of a clock that was ahead are told when it is right, and passes end them", async () => {
  lab = await alertLab();
  await aYearAhead(() => lab.run("FF"));
  const [incident] = await lab.incidents();
  expect(Date.parse(incident!.opened_at)).toBeLessThanOrEqual(lab.app.clock.now());
  lab.app.clock.advance(60_000);
  expect(await lab.deliver()).toEqual(["incident.opened a"]);
  await lab.run("PP");
  expect(await lab.incidents()).toMatchObject([{ status: "resolved" }]);
  expect(await lab.deliver()).toEqual(["incident.resolved a"]);
});

test("an incident that ended while the clock was ahead keeps none from opening after that", async () => {
  lab = await alertLab();
  await aYearAhead(() => lab.run("FFPP"));
  await lab.run("FF");
  expect((await lab.incidents()).map(({ status }) => status).sort()).toEqual(["open", "resolved"]);
});

test("a run that ended while the clock was ahead, and is decided on when it is right, ended then", async () => {
  lab = await alertLab();
  let ahead = "";
  await aYearAhead(async () => {
    ahead = await lab.ended("P");
  });
  await lab.follow(ahead);
  await lab.run("FF");
  expect(await lab.incidents()).toMatchObject([{ status: "open" }]);
});

test("a server that starts when the clock is right again does the same", async () => {
  lab = await alertLab();
  lab.app.clock.advance(YEAR);
  await lab.run("PP");
  lab.app.clock.advance(-YEAR);
  await lab.app.tick();
  await lab.run("FF");
  expect(await lab.incidents()).toMatchObject([{ status: "open" }]);
});

const HOUR = 3_600_000;

async function suppress(id: string): Promise<void> {
  const wanted = { duration_seconds: 7200, reason: "known" };
  expect((await lab.api(`/v1/incidents/${id}/suppress`, wanted)).status).toBe(200);
}

test("a suppression of a clock that was ahead lasts as long from the time that it is right", async () => {
  lab = await alertLab();
  await lab.run("FF");
  const [incident] = await lab.incidents();
  await aYearAhead(async () => {
    await suppress(incident!.id);
  });
  const now = lab.app.clock.now();
  const [suppressed] = await lab.incidents();
  expect(suppressed).toMatchObject({
    status: "suppressed",
    suppressed_until: new Date(now + 2 * HOUR).toISOString(),
  });
  lab.app.clock.advance(2 * HOUR);
  await lab.run("F");
  expect(await lab.incidents()).toMatchObject([{ status: "open" }]);
});

test("a suppression from before the clock was ahead keeps its end", async () => {
  lab = await alertLab();
  await lab.run("FF");
  const [incident] = await lab.incidents();
  await suppress(incident!.id);
  const [before] = await lab.incidents();
  await aYearAhead(async () => {});
  expect(await lab.incidents()).toMatchObject([{ suppressed_until: before!.suppressed_until! }]);
});

describe("a pause", () => {
  const pause = (hours: number) =>
    lab.api(`/v1/scheduled_checks/${lab.check.id}/pause`, { hours }) as Promise<{ status: number }>;
  const check = async () => (await findCheck(lab.app.store.records, lab.check.id))!;
  const rests = () => restsOf(lab.app.store.records, [lab.check.id], 0);

  test("that was set while the clock was ahead lasts as long from the time that it is right", async () => {
    lab = await alertLab();
    await aYearAhead(() => pause(2));
    const now = lab.app.clock.now();
    const { paused_until, next_run_at } = await check();
    expect(paused_until).toBe(now + 2 * HOUR);
    expect(next_run_at).toBeGreaterThanOrEqual(now + 2 * HOUR);
    expect(next_run_at).toBeLessThan(now + 3 * HOUR);
    expect(await rests()).toMatchObject([{ from_at: now, until_at: now + 2 * HOUR }]);
  });

  test("whose end was moved then does too", async () => {
    lab = await alertLab();
    await pause(48);
    const from = lab.app.clock.now();
    await lab.app.tick();
    lab.app.clock.advance(24 * HOUR);
    await lab.app.tick();
    await pause(720);
    lab.app.clock.advance(-24 * HOUR);
    await lab.app.tick();
    expect((await check()).paused_until).toBe(from + 720 * HOUR);
    expect(await rests()).toMatchObject([{ from_at: from, until_at: from + 720 * HOUR }]);
  });

  test("that was ended then is over, and one from before goes on as it was", async () => {
    lab = await alertLab();
    await pause(48);
    const { paused_until } = await check();
    await aYearAhead(async () => {});
    expect(await check()).toMatchObject({ paused_until });
    await pause(0);
    await aYearAhead(async () => {
      await pause(2);
      await pause(0);
    });
    const now = lab.app.clock.now();
    expect(await check()).toMatchObject({ paused_until: null });
    expect((await check()).next_run_at).toBeLessThan(now + HOUR);
    expect((await rests()).every(({ until_at }) => until_at !== null && until_at <= now)).toBe(true);
  });

  test("that was set then and ran out before the clock was right is over", async () => {
    lab = await alertLab();
    await aYearAhead(async () => {
      await pause(2);
      lab.app.clock.advance(3 * HOUR);
      await lab.app.tick();
      lab.app.clock.advance(-3 * HOUR);
    });
    const now = lab.app.clock.now();
    expect(await check()).toMatchObject({ paused_until: null });
    expect((await check()).next_run_at).toBeLessThan(now + HOUR);
  });
});
