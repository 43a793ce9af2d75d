import { expect, test } from "bun:test";
import { HANGS_AFTER_MS, keepingLease } from "../../../server/jobs/lease.ts";
import { createLog } from "../../../server/platform/log.ts";
import { createTestClock } from "../../helpers/app.ts";

function house() {
  const clock = createTestClock();
  const log = createLog({ clock, level: "error", write: () => {} });
  const job = new AbortController();
  let beats = 0;
  const context = {
    signal: job.signal,
    heartbeat: async () => {
      beats += 1;
    },
  };
  /** Moves the clock in steps, letting what woke do its work. */
  async function pass(ms: number) {
    for (let at = 0; at < ms; at += 10_000) {
      clock.advance(10_000);
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
  }
  return { deps: { clock, log }, context, job, pass, beats: () => beats };
}

test("the lease is kept while the work waits for a worker, however long, and no longer than the work", async () => {
  const { deps, context, pass, beats } = house();
  const { promise, resolve } = Promise.withResolvers<string>();
  const work = keepingLease(deps, context, () => promise);
  await pass(2 * HANGS_AFTER_MS);
  expect(beats()).toBe((2 * HANGS_AFTER_MS) / 10_000);
  resolve("done");
  expect(await work).toBe("done");
  await pass(60_000);
  expect(beats()).toBe((2 * HANGS_AFTER_MS) / 10_000);
});

test("work that began and then gives no sign of life is aborted", async () => {
  const { deps, context, pass } = house();
  const work = keepingLease(deps, context, ({ signal, onProgress }) => {
    onProgress();
    return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  });
  work.catch(() => {});
  await pass(HANGS_AFTER_MS + 20_000);
  await expect(work).rejects.toThrow("no sign of life");
});

test("signs of life keep it going, and the job's abort ends it", async () => {
  const { deps, context, job, pass } = house();
  let alive = () => {};
  const work = keepingLease(deps, context, ({ signal, onProgress }) => {
    alive = onProgress;
    return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  });
  work.catch(() => {});
  for (let turn = 0; turn < 4; turn++) {
    alive();
    await pass(HANGS_AFTER_MS / 2);
  }
  job.abort(new Error("shutting down"));
  await expect(work).rejects.toThrow("shutting down");
});
