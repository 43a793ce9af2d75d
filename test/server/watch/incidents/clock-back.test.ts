import { afterEach, expect, test } from "bun:test";
import type { Grid } from "../../../../server/watch/grid/model.ts";
import { changeCheck } from "../../../../store/records/checks.ts";
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
