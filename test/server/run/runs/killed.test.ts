import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Shop, startShop } from "../../../../fixtures/app/shop.ts";
import { failOrphanedRuns } from "../../../../server/run/runs/handlers.ts";
import { type TestApp, testApp } from "../../../helpers/app.ts";
import { childCommand } from "../../../helpers/child.ts";
import { replayLab } from "../../../helpers/replays.ts";
import type { Moment } from "../../../helpers/run-child.ts";
import { until } from "../../../helpers/until.ts";

setDefaultTimeout(120_000);

const CHILD = join(import.meta.dir, "../../../helpers/run-child.ts");
let folder: string;
let shop: Shop;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "tracedeck-killed-"));
  shop = startShop();
});
afterAll(async () => {
  await shop.stop();
  rmSync(folder, { recursive: true });
});

interface Run {
  id: string;
  status: string;
  trace_id: string | null;
  error: { reason: string | null; message: string } | null;
}

/** A data folder in which a run of these steps is queued. */
async function queued(name: string, steps: string[]): Promise<{ dataDir: string; id: string }> {
  const dataDir = join(folder, name);
  const app = await testApp({ dataDir: mkdtempSync(`${dataDir}-`) });
  const lab = replayLab(app);
  await lab.scenario("killed", steps);
  const asked = await lab.post("/v1/runs/manual", { scenarioId: "killed", baseUrl: shop.url });
  const { id } = (await asked.json()) as Run;
  await app.close();
  return { dataDir: app.dataDir, id };
}

async function killedAt(moment: Moment, steps: string[]): Promise<{ dataDir: string; id: string }> {
  const lab = await queued(moment, steps);
  const child = Bun.spawn([...childCommand(CHILD), lab.dataDir, moment], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  await child.exited;
  expect(child.signalCode).toBe("SIGKILL");
  return lab;
}

/** What the next start makes of it. */
async function restarted<T>(dataDir: string, look: (app: TestApp) => Promise<T>): Promise<T> {
  const app = await testApp({ dataDir });
  try {
    await failOrphanedRuns(app.deps);
    // As every start does; `runDue` leaves that to `start`. The child's clock is far ahead of this one's.
    await app.store.records
      .updateTable("jobs")
      .set({ state: "queued", visible_at: 0 })
      .where("state", "in", ["queued", "running"])
      .execute();
    await app.runJobs();
    return await look(app);
  } finally {
    await app.close();
  }
}
const read = async <T>(app: TestApp, path: string): Promise<T> => (await (await app.api(path)).json()) as T;

describe.concurrent("a server that is killed with SIGKILL", () => {
  test("when it has claimed a run: the next start carries it out", async () => {
    const { dataDir, id } = await killedAt("claimed", ['go to "/"']);
    await restarted(dataDir, async (app) => {
      const run = await read<Run>(app, `/v1/runs/${id}`);
      expect(run).toMatchObject({ status: "passed" });
      expect(await read(app, "/v1/traces")).toMatchObject({
        items: [{ id: run.trace_id!, status: "passed" }],
      });
    });
  });

  test("while it records: the run is lost, is never begun again, and its trace is aborted with what was kept", async () => {
    const { dataDir, id } = await killedAt("chunk", ['go to "/"', "wait 20s"]);
    await restarted(dataDir, async (app) => {
      const run = await read<Run>(app, `/v1/runs/${id}`);
      expect(run).toMatchObject({ status: "error", error: { reason: "runner_lost" } });
      const { items } = await read<{ items: { id: string; status: string; event_count: number }[] }>(
        app,
        "/v1/traces",
      );
      expect(items).toMatchObject([{ id: run.trace_id!, status: "aborted" }]);
      expect(items[0]!.event_count).toBeGreaterThan(0);
    });
  });

  test("when the trace has its verdict and the run has not: the run takes it", async () => {
    const { dataDir, id } = await killedAt("end", ['go to "/"', 'expect text "Sold out" within 100ms']);
    await restarted(dataDir, async (app) => {
      const run = await read<Run>(app, `/v1/runs/${id}`);
      expect(run).toMatchObject({
        status: "failed",
        error: { reason: null, message: expect.stringContaining("Sold out") },
      });
      expect(await read(app, "/v1/traces")).toMatchObject({
        items: [{ id: run.trace_id!, status: "failed" }],
      });
    });
  });

  test("or stopped in order before a claimed run begins: the run waits, and runs after the restart", async () => {
    const { dataDir, id } = await queued("stopped", ['go to "/"']);
    const app = await testApp({ dataDir });
    const working = app.runJobs();
    await until("the run is claimed", () => app.deps.runState.runs.controls.has(id), 30_000);
    await app.close();
    await working;
    await restarted(dataDir, async (next) =>
      expect(await read<Run>(next, `/v1/runs/${id}`)).toMatchObject({ status: "passed" }),
    );
  });
});
