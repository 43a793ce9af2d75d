import { afterEach, beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import { moveDown } from "../../../server/trace/tiers/down.ts";
import { RESTORE } from "../../../server/trace/tiers/kinds.ts";
import { findTrace } from "../../../store/records/traces.ts";
import { type TestApp, testApp } from "../../helpers/app.ts";
import { getJson, post, uploadTrace } from "../../helpers/traces.ts";

// A worker begins with the first upload.
setDefaultTimeout(60_000);

let app: TestApp;
beforeEach(async () => {
  app = await testApp();
});
afterEach(() => app.close());

/** A warm trace whose restore was asked for, and whose pack is given out only when the disk is told to. */
async function restoring() {
  const { id } = await uploadTrace(app);
  await app.runJobs();
  await moveDown(app.deps, id, "warm");
  await app.runJobs();
  const disk = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  const { files } = app.store;
  const { local } = files;
  let readings = 0;
  files.local = async (key) => {
    if (key.includes("pack")) {
      readings += 1;
      asked.resolve();
      await disk.promise;
    }
    return local(key);
  };
  expect((await post(app, `/v1/traces/${id}/restore`)).status).toBe(200);
  const working = app.runJobs();
  await asked.promise;
  return { id, disk, working, readings: () => readings };
}

/** The clock goes on, and who woke writes to the records before this is over. */
async function pass(ms: number) {
  for (let at = 0; at < ms; at += 10_000) {
    app.clock.advance(10_000);
    await new Promise<void>((resolve) => setImmediate(resolve));
    await jobState();
  }
}

const jobState = async () =>
  (await app.store.records.selectFrom("jobs").select("state").where("kind", "=", RESTORE).executeTakeFirst())
    ?.state;

test("a restore that takes longer than a lease is done once, and ends", async () => {
  const { id, disk, working, readings } = await restoring();
  await pass(180_000);
  const others = app.runJobs();
  await pass(10_000);
  disk.resolve();
  await Promise.all([working, others]);
  expect(readings()).toBe(1);
  expect(await getJson(app, `/v1/traces/${id}`)).toMatchObject({ tier: "hot", restore_error: null });
});

test("a restore that a stop interrupts is no fault of the pack: it is done when the server is there again", async () => {
  const { id, disk, working } = await restoring();
  const stopping = app.runtime.jobs.stop();
  disk.resolve();
  await Promise.all([working, stopping]);
  expect(await findTrace(app.store.records, id)).toMatchObject({
    tier: "warm",
    restoring: 1,
    restore_error: null,
  });
  expect(await jobState()).toBe("queued");
});
