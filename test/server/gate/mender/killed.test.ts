import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { reword, step } from "../../../../fixtures/mender/say.ts";
import { applyAttempt } from "../../../../server/gate/mender/service.ts";
import { lookAtRun } from "../../../../server/gate/mender/work.ts";
import { failOrphanedReplays } from "../../../../server/run/replays/handlers.ts";
import { listAttempts, type MenderRow } from "../../../../store/records/mender.ts";
import { createTestClock, type TestApp, testApp } from "../../../helpers/app.ts";
import { childCommand } from "../../../helpers/child.ts";
import { type HostApi, startHostApi } from "../../../helpers/host-api/host-api.ts";
import { type MenderLab, menderLab } from "../../../helpers/mender.ts";
import type { MenderMoment } from "../../../helpers/mender-child.ts";

setDefaultTimeout(240_000);

const CHILD = join(import.meta.dir, "../../../helpers/mender-child.ts");
const STEPS = [
  'go to "/"',
  step('click button "Add to cart" near heading "House beans, 1 kg"'),
  step('expect text "Cart (1)"'),
];

let folder: string;
/** A data folder with an attempt that nobody has looked at yet. */
let begun: string;
let host: HostApi;
let first: TestApp;
let lab: MenderLab;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "tracedeck-mender-killed-"));
  begun = join(folder, "begun");
  host = startHostApi({ now: () => Date.parse("2026-03-01T12:00:00.000Z") });
  first = await testApp({ dataDir: begun, settings: { code_host: host.asToken } });
  lab = menderLab(first);
  const { attempt } = await lab.seed({ steps: STEPS, fault: reword({ "Add to cart": "Add to basket" }) });
  host.repository.commit("main", { [attempt!.path]: attempt!.base_text });
  const { records } = first.store;
  await records.deleteFrom("mender_attempts").execute();
  await records.deleteFrom("replays").execute();
  await lookAtRun(first.deps, attempt!.run_id);
  await first.close();
});
afterAll(async () => {
  await lab.stop();
  host.close();
  rmSync(folder, { recursive: true, force: true });
});

async function killAt(dataDir: string, moment: MenderMoment, attemptId?: string): Promise<void> {
  const args = [dataDir, moment, ...(attemptId === undefined ? [] : [attemptId])];
  const child = Bun.spawn([...childCommand(CHILD), ...args], { stdio: ["ignore", "ignore", "inherit"] });
  await child.exited;
  expect(child.signalCode).toBe("SIGKILL");
}

/** A start of the server after that: what had been under way is lost, and what was queued is due. */
async function startIn(dataDir: string): Promise<TestApp> {
  const app = await testApp({ dataDir });
  await failOrphanedReplays(app.deps);
  // As every start does; the child's clock is far ahead of this one's.
  await app.store.records
    .updateTable("jobs")
    .set({ state: "queued", visible_at: 0 })
    .where("state", "in", ["queued", "running"])
    .execute();
  return app;
}

const attemptsIn = (app: TestApp): Promise<MenderRow[]> =>
  listAttempts(app.store.records, { orgId: app.orgId, limit: 10 });
const actorOf = ({ orgId, userId }: TestApp) => ({ orgId, userId, type: "user", id: userId }) as never;
const pullsOf = ({ id }: MenderRow) =>
  host.model.pulls.filter(({ headRef }) => headRef === `tracedeck/fix-${id.slice(-12)}`);

describe("an attempt whose server is killed with SIGKILL", () => {
  test("while it is looked at, repeated and judged goes on at each start, and is applied once", async () => {
    const dataDir = join(folder, "killed");
    cpSync(begun, dataDir, { recursive: true });
    for (const moment of ["gate.diagnose", "replay", "gate.effects"] as const) {
      await killAt(dataDir, moment);
      await (await startIn(dataDir)).close();
    }
    const app = await startIn(dataDir);
    await app.runJobs();
    const [attempt, ...others] = await attemptsIn(app);
    expect(others).toEqual([]);
    expect(attempt).toMatchObject({ status: "verified", stage: "ended" });
    await app.close();

    await killAt(dataDir, "applied", attempt!.id);
    expect(pullsOf(attempt!)).toHaveLength(1);
    const again = await startIn(dataDir);
    expect((await attemptsIn(again))[0]!.status).toBe("verified");
    const applied = await applyAttempt(again.deps, actorOf(again), attempt!.id);
    expect(applied).toMatchObject({ status: "applied", pr_url: expect.stringContaining("/pull/") });
    expect(pullsOf(attempt!)).toHaveLength(1);
    await again.close();
  });
});

describe("two servers on one store", () => {
  test("take an attempt through once, and open one pull request", async () => {
    const dataDir = join(folder, "two");
    cpSync(begun, dataDir, { recursive: true });
    const clock = createTestClock();
    const east = await testApp({ dataDir, clock, serverId: "east" });
    const west = await testApp({ dataDir, clock, serverId: "west" });
    try {
      for (let turn = 0; turn < 8; turn++) await Promise.all([east.runJobs(), west.runJobs()]);
      const [attempt, ...others] = await attemptsIn(west);
      expect(others).toEqual([]);
      expect(attempt).toMatchObject({ status: "verified" });
      const replays = await east.store.records.selectFrom("replays").select("id").execute();
      expect(replays).toHaveLength(2);
      const both = await Promise.all([
        applyAttempt(east.deps, actorOf(east), attempt!.id),
        applyAttempt(west.deps, actorOf(west), attempt!.id),
      ]);
      expect(both[0]!.pr_url).toBe(both[1]!.pr_url);
      expect(pullsOf(attempt!)).toHaveLength(1);
      const told = await east.store.records
        .selectFrom("notices")
        .select("id")
        .where("event", "=", "fix.pr_opened")
        .execute();
      expect(told).toHaveLength(1);
    } finally {
      await east.close();
      await west.close();
    }
  });
});
