import { afterEach, beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type AlertLab, alertLab } from "../../../helpers/alerts.ts";
import { testApp } from "../../../helpers/app.ts";
import { runPeriodic } from "../../../helpers/traces.ts";
import { send } from "../../../helpers/watch.ts";

setDefaultTimeout(60_000);

const MINUTE = 60_000;
let dataDir: string;
let lab: AlertLab;
beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), "tracedeck-reminders-"));
  lab = await alertLab({ dataDir, regions: ["a"], policy: { retries: 0, remind_minutes: 10 } });
  await lab.run("FF");
  await after(1);
});
afterEach(async () => {
  await lab.app.close();
  rmSync(dataDir, { recursive: true });
});

/** What is told when some minutes have gone by without a run. */
async function after(minutes: number): Promise<string[]> {
  lab.app.clock.advance(minutes * MINUTE);
  await runPeriodic(lab.app, "incidents.reminders");
  return lab.deliver();
}
const incidentId = async () => (await lab.incidents())[0]!.id;

test("an incident is told again by the clock, again and again, though no run comes in between", async () => {
  expect(await after(9)).toEqual([]);
  expect(await after(1)).toEqual(["incident.opened a"]);
  expect(await after(0)).toEqual([]);
  expect(await after(9)).toEqual([]);
  expect(await after(1)).toEqual(["incident.opened a"]);
  const look = lab.app.runtime.periodic.find(({ name }) => name === "incidents.reminders")!;
  expect(await look.isDue!()).toBe(false);
  lab.app.clock.advance(10 * MINUTE);
  expect(await look.isDue!()).toBe(true);
});

test("nobody is reminded of what somebody took on, or silenced", async () => {
  await lab.api(`/v1/incidents/${await incidentId()}/ack`, {});
  expect(await after(20)).toEqual([]);
  const silenced = { duration_seconds: 3600, reason: "known" };
  await lab.api(`/v1/incidents/${await incidentId()}/suppress`, silenced);
  expect(await after(20)).toEqual([]);
});

test("nobody is reminded of a check that is paused, is off, or is reminded of no more", async () => {
  const check = `/v1/scheduled_checks/${lab.check.id}`;
  await send(lab.app, "POST", `${check}/pause`, { hours: 1 });
  expect(await after(30)).toEqual([]);
  await send(lab.app, "POST", `${check}/pause`, { hours: 0 });
  await send(lab.app, "PUT", check, { alert_policy: { retries: 0 } });
  expect(await after(30)).toEqual([]);
  await send(lab.app, "PUT", check, { alert_policy: { retries: 0, remind_minutes: 10 } });
  expect(await after(0)).toEqual(["incident.opened a"]);
  await send(lab.app, "PUT", check, { enabled: false });
  expect(await after(30)).toEqual([]);
});

test("a reminder that falls into maintenance comes when that is over", async () => {
  const starts_at = new Date(lab.app.clock.now()).toISOString().slice(0, 16);
  await send(lab.app, "POST", "/v1/maintenance-windows", { name: "w", starts_at, duration_minutes: 30 });
  expect(await after(15)).toEqual([]);
  expect(await after(10)).toEqual([]);
  expect(await after(5)).toEqual(["incident.opened a"]);
});

test("while the newest run passed nobody is reminded", async () => {
  await lab.run("P");
  expect(await after(30)).toEqual([]);
  await lab.run("F");
  expect(await after(0)).toEqual(["incident.opened a"]);
});

test("a server that starts anew goes on where the other stopped, and of two one tells it", async () => {
  const { clock } = lab.app;
  clock.advance(10 * MINUTE);
  const second = await testApp({ dataDir, clock, serverId: "second" });
  try {
    const looks = [lab.app, second].map(
      ({ runtime }) => runtime.periodic.find(({ name }) => name === "incidents.reminders")!,
    );
    for (const look of looks) expect(await look.isDue!()).toBe(true);
    for (const look of looks) await look.run();
    expect(await lab.deliver()).toEqual(["incident.opened a"]);
    await lab.app.close();
    clock.advance(10 * MINUTE);
    await runPeriodic(second, "incidents.reminders");
    const waiting = await second.store.records
      .selectFrom("notices")
      .select("event")
      .where("handed_on_at", "is", null)
      .where("superseded_at", "is", null)
      .execute();
    expect(waiting).toEqual([{ event: "incident.opened" }]);
  } finally {
    await second.close();
  }
  lab = await alertLab({ dataDir });
});
