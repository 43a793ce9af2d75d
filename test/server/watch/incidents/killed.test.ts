import { afterEach, beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { IncidentAnswer } from "../../../../server/watch/incidents/model.ts";
import { noticesOf } from "../../../../store/records/notices.ts";
import { type AlertLab, alertLab } from "../../../helpers/alerts.ts";
import { childCommand } from "../../../helpers/child.ts";

setDefaultTimeout(120_000);

const RACER = join(import.meta.dir, "../../../helpers/alert-racer.ts");
const CHILD = join(import.meta.dir, "../../../helpers/alert-child.ts");

let dataDir: string;
let lab: AlertLab;
beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), "tracedeck-alerts-"));
  lab = await alertLab({ dataDir });
});
afterEach(async () => {
  await lab.app.close();
  rmSync(dataDir, { recursive: true });
});

test("a server that is killed at any write leaves nothing of the decision, and whoever comes next makes it once", async () => {
  await lab.run("F");
  lab.app.clock.advance(60_000);
  const id = await lab.ended("F");
  let killed = 0;
  for (let nth = 0; ; nth++) {
    const child = Bun.spawn([...childCommand(CHILD), dataDir, id, String(nth)], { stderr: "pipe" });
    if ((await child.exited) === 0) break;
    expect(child.signalCode).toBe("SIGKILL");
    killed++;
    expect(await lab.incidents()).toEqual([]);
  }
  // The result, the incident, its timeline, its notice.
  expect(killed).toBeGreaterThanOrEqual(4);
  await lab.follow(id);
  const [incident, ...others] = await lab.incidents();
  expect(others).toEqual([]);
  expect(await noticesOf(lab.app.store.records, incident!.id)).toHaveLength(1);
});

test("two servers that decide at once open one incident, and tell it once", async () => {
  const runs: string[] = [];
  for (const region of ["a", "b"])
    for (let count = 0; count < 6; count++) {
      lab.app.clock.advance(60_000);
      runs.push(await lab.ended("F", region));
    }
  const second = Bun.spawn([...childCommand(RACER), dataDir, ...runs], { stdin: "pipe", stdout: "pipe" });
  await second.stdout.getReader().read();
  second.stdin.write("go\n");
  second.stdin.flush();
  for (const id of runs)
    for (let tries = 0; ; tries++)
      try {
        await lab.follow(id);
        break;
      } catch (error) {
        if (tries === 20) throw error;
      }
  expect(await second.exited).toBe(0);
  const incidents = await lab.incidents();
  expect(incidents.map(({ region }) => region).sort()).toEqual(["a", "b"]);
  for (const { id } of incidents) {
    expect(await noticesOf(lab.app.store.records, id)).toHaveLength(1);
    const { timeline } = (await lab.api<IncidentAnswer>(`/v1/incidents/${id}`)).body;
    expect(timeline.filter(({ kind }) => kind === "opened")).toHaveLength(1);
  }
  // The other server has the time of day.
  lab.app.clock.set(Date.now() + 60_000);
  const [first, other] = await Promise.all([lab.deliver(), lab.deliver()]);
  expect([...first, ...other].sort()).toEqual(["incident.opened a", "incident.opened b"]);
});
