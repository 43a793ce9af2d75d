import { afterEach, beforeEach, expect, test } from "bun:test";
import type { JobRunner } from "../../../server/jobs/runner.ts";
import { LEASE_MS } from "../../../server/jobs/runner.ts";
import type { JobHandlers } from "../../../server/jobs/types.ts";
import { jobHouse } from "./harness.ts";

let house: ReturnType<typeof jobHouse>;
beforeEach(() => {
  house = jobHouse();
});
afterEach(() => house.close());

const rows = () => house.records.selectFrom("jobs").selectAll().orderBy("id").execute();
const add = () => house.queue.add(house.records, { kind: "a", payload: {} });

function handler(handle: () => Promise<void> = async () => {}) {
  let calls = 0;
  const entry: JobHandlers[number] = {
    kind: "a",
    handle: () => {
      calls += 1;
      return handle();
    },
  };
  return { entry, calls: () => calls };
}

/** A server that is killed while its handler is at work: nothing of it happens any more. */
async function killed(server: string): Promise<JobRunner> {
  const { promise: begun, resolve } = Promise.withResolvers<void>();
  const runner = house.runner(1, server);
  runner.prepare([
    handler(() => {
      resolve();
      return new Promise(() => {});
    }).entry,
  ]);
  void runner.runDue();
  await begun;
  return runner;
}

test("a lease says which server holds it", async () => {
  await add();
  await killed("server-a");
  expect(await rows()).toMatchObject([{ state: "running", lease_server: "server-a" }]);
});

test("a server that starts takes back its own leases at once and leaves those of others", async () => {
  await add();
  await killed("server-a");
  await add();
  await killed("server-b");
  const { entry, calls } = handler();
  const again = house.runner(2, "server-a");
  await again.start([entry]);
  await again.runDue();
  await again.stop();
  expect(calls()).toBe(1);
  expect(await rows()).toMatchObject([
    { state: "done", lease_server: "server-a" },
    { state: "running", lease_server: "server-b" },
  ]);
});

test("a server that stops gives back nobody else's leases", async () => {
  await add();
  await killed("server-b");
  const other = house.runner(2, "server-a");
  await other.start([handler().entry]);
  await other.stop();
  expect(await rows()).toMatchObject([{ state: "running", lease_server: "server-b" }]);
});

test("a lease of before servers had ids is taken back by the server that starts", async () => {
  await add();
  await killed("server-b");
  await house.records.updateTable("jobs").set({ lease_server: null }).execute();
  const { entry, calls } = handler();
  const next = house.runner(2, "server-a");
  await next.start([entry]);
  await next.runDue();
  await next.stop();
  expect(calls()).toBe(1);
});

test("the job of a server that never comes back is done by another when its lease ends", async () => {
  await add();
  await killed("server-b");
  const { entry, calls } = handler();
  const other = house.runner(2, "server-a");
  other.prepare([entry]);
  expect(await other.runDue()).toBe(0);
  house.clock.advance(LEASE_MS);
  expect(await other.runDue()).toBe(1);
  expect(calls()).toBe(1);
  expect(await rows()).toMatchObject([{ state: "done", attempts: 0, lease_server: "server-a" }]);
});

test("a job knows how often the process died of its work, and an end of any other kind does not count", async () => {
  await add();
  const seen: number[] = [];
  const dies: JobHandlers[number] = {
    kind: "a",
    async handle(_payload, { deaths, begin }) {
      seen.push(deaths);
      await begin();
      begun();
      return new Promise(() => {});
    },
  };
  let begun = () => {};
  for (let at = 0; at < 2; at++) {
    const { promise, resolve } = Promise.withResolvers<void>();
    begun = resolve;
    await house.runner(1).start([dies]);
    await promise;
  }
  const last = house.runner(1);
  await last.start([
    {
      kind: "a",
      async handle(_payload, { deaths, begin }) {
        seen.push(deaths);
        await begin();
        if (seen.length === 3) throw new Error("not now");
      },
    },
  ]);
  await last.runDue();
  house.clock.advance(1_000);
  await last.runDue();
  await last.stop();
  expect(seen).toEqual([0, 1, 2, 2]);
  expect(await rows()).toMatchObject([{ state: "done", attempts: 1 }]);
});
