import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { runnerOf } from "../../../../server/run/pool/local-sink.ts";
import { REPLAY } from "../../../../server/run/replays/kinds.ts";
import { createCaptureService } from "../../../../server/trace/capture/service.ts";
import { changeReplay, insertReplay } from "../../../../store/records/replays.ts";
import type { ReplayState } from "../../../../store/records/schema.ts";
import { type TestApp, testApp } from "../../../helpers/app.ts";
import { scratchFolder } from "../../../helpers/program.ts";
import { eventsPath, getJson, post, uploadTrace } from "../../../helpers/traces.ts";

// What becomes of replays whose job, server or disk gave up on them.

const scratch = scratchFolder();
const dataDir = scratch.at("data");
let app: TestApp;
beforeAll(async () => {
  app = await testApp({ dataDir });
});
afterAll(async () => {
  await app.close();
  scratch.remove();
});

const PLAN = {
  scenario: { slug: "checkout", secrets: [], idempotent: false, timeout_ms: 1000, steps: [] },
  region: "us-east-1",
  baseUrl: null,
  hasClones: false,
  shard: "x",
  startedAt: 0,
  sourceDiffs: [],
  catchUp: null,
  planned: { sent: [], left_out: [] },
};

/** A replay as the records have it, of a trace of its own. */
async function replay(at: TestApp, status: ReplayState): Promise<{ id: string; source: string }> {
  const source = (await uploadTrace(at)).id;
  const id = at.deps.ids.uuid();
  await insertReplay(at.store.records, {
    ...{ id, status, org_id: at.orgId, trace_id: source, from_step: 1, triggered_via: "api", has_edits: 0 },
    ...{ plan: JSON.stringify(PLAN), caught_up: JSON.stringify(PLAN.planned), created_at: at.clock.now() },
    ...(status === "running" ? { server_id: at.deps.serverId, started_at: at.clock.now() } : {}),
  });
  return { id, source };
}

const queue = (at: TestApp, id: string) =>
  at.deps.jobs.add(at.store.records, { kind: REPLAY, payload: { replay_id: id }, maxAttempts: 1 });

/** A running trace whose events the disk can neither read nor write any more. */
async function brokenCapture(at: TestApp): Promise<string> {
  const manifest = { version: 1, scenario: { slug: "checkout" } };
  const { trace_id } = await createCaptureService(at.deps).begin(runnerOf(at.orgId), manifest, "");
  mkdirSync(join(at.dataDir, "traces", trace_id, "events.ndjson.zst"), { recursive: true });
  return trace_id;
}

test("a server starts though replays were under way whose recordings cannot be ended", async () => {
  const lost = [await replay(app, "running"), await replay(app, "running")];
  for (const { id } of lost)
    await changeReplay(app.store.records, id, ["running"], { replay_trace_id: await brokenCapture(app) });
  // As after a crash: the folder is opened anew.
  const { clock } = app;
  await app.close();
  app = await testApp({ dataDir, clock });
  await app.runtime.start();
  for (const { id } of lost)
    expect(await getJson(app, `/v1/replays/${id}`)).toMatchObject({
      status: "failed",
      error: { reason: "runner_lost" },
    });
  expect((await app.api("/readyz")).status).toBe(200);
  await app.close();
  app = await testApp({ dataDir, clock });
});

test("a replay that the server cannot carry out fails, and says why", async () => {
  const { id, source } = await replay(app, "queued");
  rmSync(await eventsPath(app, source));
  await queue(app, id);
  await app.runJobs();
  const answer = await getJson(app, `/v1/replays/${id}`);
  expect(answer).toMatchObject({ status: "failed", error: { reason: "server_failed" } });
});

test("a replay that no job carries out any more fails within a minute, one that waits for its turn does not", async () => {
  const lost = await replay(app, "queued");
  const waits = await replay(app, "queued");
  await queue(app, waits.id);
  await app.runtime.periodic.find(({ name }) => name === "replays.lost")?.run();
  expect(await getJson(app, `/v1/replays/${lost.id}`)).toMatchObject({
    status: "failed",
    error: { reason: "runner_lost" },
  });
  expect(await getJson(app, `/v1/replays/${waits.id}`)).toMatchObject({ status: "queued" });
  await post(app, `/v1/replays/${waits.id}/cancel`);
});

test("a replay that waits for a place when the server stops is carried out when it is there again", async () => {
  const { id } = await replay(app, "queued");
  const { pool } = app.deps.runState.replays;
  const taken = Promise.withResolvers<void>();
  // Nobody gets a place.
  const { run } = pool;
  pool.run = async (task, options) => {
    taken.resolve();
    await new Promise((resolve) => options.signal.addEventListener("abort", resolve, { once: true }));
    return run(task, options);
  };
  await queue(app, id);
  const work = app.runJobs();
  await taken.promise;
  await app.runtime.jobs.stop();
  await work;
  expect(await getJson(app, `/v1/replays/${id}`)).toMatchObject({ status: "queued", error: null });
  const [job] = await app.store.records
    .selectFrom("jobs")
    .select(["state", "attempts"])
    .where("kind", "=", REPLAY)
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .limit(1)
    .execute();
  expect(job).toEqual({ state: "queued", attempts: 0 });
});
