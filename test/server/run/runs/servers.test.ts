import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LEASE_MS } from "../../../../server/jobs/runner.ts";
import { failOrphanedReplays } from "../../../../server/run/replays/handlers.ts";
import { failOrphanedRuns } from "../../../../server/run/runs/handlers.ts";
import { EXECUTE } from "../../../../server/run/runs/kinds.ts";
import { sweepLostRuns } from "../../../../server/run/runs/record.ts";
import { claimJob } from "../../../../store/records/jobs.ts";
import { replaysUnderWay } from "../../../../store/records/replays.ts";
import { changeRun, findRun } from "../../../../store/records/runs.ts";
import { createTestClock, type TestApp, testApp } from "../../../helpers/app.ts";
import { replayLab } from "../../../helpers/replays.ts";

// Two servers on one store, each of which knows the other by its id alone.
let dataDir: string;
let clock: ReturnType<typeof createTestClock>;
let east: TestApp;
let west: TestApp;
beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), "servers-"));
  clock = createTestClock();
  east = await testApp({ dataDir, clock, serverId: "east" });
  west = await testApp({ dataDir, clock, serverId: "west" });
});
afterEach(async () => {
  await east.close();
  await west.close();
  rmSync(dataDir, { recursive: true });
});

const statusOf = async (id: string) => (await findRun(west.store.records, id))?.status;
const start = async (server: TestApp) => {
  await failOrphanedRuns(server.deps);
  await failOrphanedReplays(server.deps);
};

/** A run that its sender carries out, and that a server took in. */
async function sentTo(server: TestApp): Promise<string> {
  const scenario = { slug: "sent", title: "sent", steps: [] };
  const answer = await server.api("/internal/v1/runs", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ scenario, region: "us-east-1" }),
  });
  return ((await answer.json()) as { run: { id: string } }).run.id;
}

/** A run that a server has under way when it is killed. */
async function carriedOutBy(server: TestApp): Promise<string> {
  const lab = replayLab(server);
  await lab.scenario("carried", ['go to "/"']);
  const asked = await lab.post("/v1/runs/manual", { scenarioId: "carried", baseUrl: "http://localhost:1" });
  const { id } = (await asked.json()) as { id: string };
  const { serverId, store } = server.deps;
  const now = clock.now();
  const claim = { kinds: [EXECUTE], now, leaseUntil: now + LEASE_MS, token: id, server: serverId };
  const job = await claimJob(store.records, claim);
  const begun = { status: "running", started_at: now, server_id: serverId, job_id: job!.id } as const;
  await changeRun(store.records, id, ["queued"], begun);
  return id;
}

test("a server that starts settles the runs that it lost, and leaves those of others", async () => {
  const ours = await sentTo(east);
  const theirs = await sentTo(west);
  await start(east);
  expect([await statusOf(ours), await statusOf(theirs)]).toEqual(["error", "running"]);
  await start(west);
  expect(await statusOf(theirs)).toBe("error");
});

test("a run of before servers had ids is settled by the server that starts", async () => {
  const id = await sentTo(east);
  await changeRun(east.store.records, id, ["running"], { server_id: null });
  await start(west);
  expect(await statusOf(id)).toBe("error");
});

test("a run of a server that never comes back is settled by the one that takes its job when the lease ends", async () => {
  const id = await carriedOutBy(east);
  await start(west);
  await west.runJobs();
  expect(await statusOf(id)).toBe("running");
  clock.advance(LEASE_MS);
  await west.runJobs();
  expect(await findRun(west.store.records, id)).toMatchObject({
    status: "error",
    error_reason: "runner_lost",
  });
});

test("a run is not taken for lost while the lease of its job goes on, on whatever server", async () => {
  const id = await carriedOutBy(east);
  // Long since, as silence is counted.
  await changeRun(east.store.records, id, ["running"], { started_at: 1 });
  await sweepLostRuns(west.deps).run();
  expect(await statusOf(id)).toBe("running");
  clock.advance(LEASE_MS);
  await sweepLostRuns(west.deps).run();
  expect(await statusOf(id)).toBe("error");
});

test("a server that starts leaves the replays of others", async () => {
  const lab = replayLab(east);
  await lab.scenario("source", ['go to "/"']);
  const { records } = east.store;
  const run = await sentTo(east);
  const begun = await east.api("/internal/v1/traces", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ version: 1, scenario: { slug: "source" }, source: "manual", run_id: run }),
  });
  const { trace_id } = (await begun.json()) as { trace_id: string };
  for (const server_id of ["east", "west"])
    await records
      .insertInto("replays")
      .values({
        id: server_id,
        org_id: east.orgId,
        trace_id,
        status: "running",
        from_step: 1,
        triggered_via: "api",
        plan: "{}",
        has_edits: 0,
        created_at: clock.now(),
        server_id,
      })
      .execute();
  await failOrphanedReplays(east.deps);
  expect(await replaysUnderWay(records, "east")).toEqual([]);
  expect(await replaysUnderWay(records, "west")).toMatchObject([{ id: "west" }]);
});
