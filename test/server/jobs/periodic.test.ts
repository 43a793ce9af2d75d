import { afterEach, beforeEach, expect, test } from "bun:test";
import { addPeriodic, periodicHandlers, periodicKind } from "../../../server/jobs/periodic.ts";
import { type JobRunner, LEASE_MS } from "../../../server/jobs/runner.ts";
import { createTicker } from "../../../server/jobs/ticker.ts";
import type { PeriodicTask } from "../../../server/jobs/types.ts";
import { createHub } from "../../../server/platform/hub.ts";
import { testApp } from "../../helpers/app.ts";
import { jobHouse } from "./harness.ts";

const HOUR = 60 * 60_000;

let house: ReturnType<typeof jobHouse>;
beforeEach(() => {
  house = jobHouse();
});
afterEach(() => house.close());

const rows = () => house.records.selectFrom("jobs").selectAll().orderBy("id").execute();
const depsOf = () => ({
  store: { records: house.records },
  hub: createHub(),
  jobs: house.queue,
  clock: house.clock,
  log: house.log,
});

/** A task that counts how often it is done, and by whom. */
function counted(more: Partial<PeriodicTask> = {}) {
  const doneBy: string[] = [];
  const task = (server: string): PeriodicTask => ({
    name: "old things",
    everyMs: HOUR,
    of: "store",
    run: async () => void doneBy.push(server),
    ...more,
  });
  return { doneBy, task };
}

function server(name: string, task: PeriodicTask) {
  const runner: JobRunner = house.runner(1, name);
  runner.prepare(periodicHandlers([task], house));
  return { runner, look: () => addPeriodic(depsOf(), task) };
}

test("of two servers one does a task of the store, once in every period", async () => {
  const { doneBy, task } = counted();
  const east = server("east", task("east"));
  const west = server("west", task("west"));
  await east.look();
  await west.look();
  expect(await rows()).toHaveLength(1);
  await west.runner.runDue();
  await east.runner.runDue();
  expect(doneBy).toEqual(["west"]);
  // Done by now, and not again for the rest of the hour.
  house.clock.advance(HOUR - 1);
  await east.look();
  await east.runner.runDue();
  expect(doneBy).toEqual(["west"]);
  house.clock.advance(1);
  await west.look();
  await east.look();
  await east.runner.runDue();
  await west.runner.runDue();
  expect(doneBy).toEqual(["west", "east"]);
});

test("a job that still waits is not joined by that of the next period", async () => {
  const { doneBy, task } = counted();
  const east = server("east", task("east"));
  await east.look();
  house.clock.advance(HOUR);
  await east.look();
  await east.runner.runDue();
  expect(doneBy).toEqual(["east"]);
});

test("where there is nothing to do no job is added", async () => {
  const { task } = counted({ isDue: async () => false });
  await server("east", task("east")).look();
  expect(await rows()).toEqual([]);
});

test("a task that fails is logged, and done again in the next period", async () => {
  const east = server(
    "east",
    counted({
      run: async () => {
        throw new Error("not today");
      },
    }).task("east"),
  );
  await east.look();
  await east.runner.runDue();
  expect(await rows()).toMatchObject([{ state: "done", attempts: 0 }]);
  expect(house.lines.join("")).toContain("not today");
  house.clock.advance(HOUR);
  await east.look();
  expect(await rows()).toHaveLength(2);
});

test("a task whose server was killed in the middle is done by another when the lease ends", async () => {
  const { doneBy, task } = counted();
  const { promise: begun, resolve } = Promise.withResolvers<void>();
  const run = () => {
    resolve();
    return new Promise<void>(() => {});
  };
  const east = house.runner(1, "east");
  // Without what keeps a lease: a killed process extends none.
  east.prepare([{ kind: periodicKind(task("east")), handle: run }]);
  const west = server("west", task("west"));
  await west.look();
  void east.runDue();
  await begun;
  expect(await west.runner.runDue()).toBe(0);
  house.clock.advance(LEASE_MS);
  expect(await west.runner.runDue()).toBe(1);
  expect(doneBy).toEqual(["west"]);
});

test("the ticker does what is of the server, and adds jobs for what is of the store as each period begins", async () => {
  const LATE = 10 * 60_000;
  house.clock.set(10 * HOUR + LATE);
  let looked = Promise.withResolvers<void>();
  const shared = counted({
    isDue: async () => {
      looked.resolve();
      return true;
    },
  }).task("east");
  const own = counted({ name: "own", of: "server" });
  const bothSleep = Promise.withResolvers<void>();
  const slept: number[] = [];
  const clock = {
    ...house.clock,
    sleep(ms: number, signal?: AbortSignal) {
      if (slept.push(ms) === 2) bothSleep.resolve();
      return house.clock.sleep(ms, signal);
    },
  };
  const ticker = createTicker([shared, own.task("east")], { ...depsOf(), clock });
  ticker.start();
  await bothSleep.promise;
  expect(own.doneBy).toEqual(["east"]);
  expect(await rows()).toMatchObject([{ kind: "periodic.old_things", period_at: 10 * HOUR }]);
  // The next period begins before the timer of the server is over.
  expect(slept.sort()).toEqual([HOUR - LATE, HOUR]);
  const { runner } = server("east", shared);
  await runner.runDue();
  looked = Promise.withResolvers();
  house.clock.advance(HOUR - LATE);
  await looked.promise;
  await ticker.stop();
  expect(own.doneBy).toEqual(["east"]);
  expect((await rows()).map(({ period_at }) => period_at)).toEqual([10 * HOUR, 11 * HOUR]);
});

test("every task says whose it is, and those of the store have a handler", async () => {
  const app = await testApp();
  const { periodic, handlers } = app.runtime;
  const names = (of: PeriodicTask["of"]) =>
    periodic
      .filter((task) => task.of === of)
      .map(({ name }) => name)
      .sort();
  expect(names("server")).toEqual([
    "audit checkpoints",
    "failed sign-ins",
    "key uses",
    "missed deliveries",
    "new openings of shares",
    "notices",
    "room for removals",
    "test run records",
    "trace records",
  ]);
  expect(names("store")).toEqual([
    "availability.fold",
    "availability.prune",
    "blob collector",
    "capture.sweep",
    "deleted orgs",
    "deliveries.prune",
    "ended grants",
    "ended sessions",
    "expired idempotency keys",
    "gates.prune",
    "gates.untold",
    "inbound.prune",
    "incidents.prune",
    "incidents.reminders",
    "incidents.unwatched",
    "jobs.prune",
    "old attempts",
    "old mail",
    "old notices",
    "openings of shares",
    "records.give_back",
    "replays.lost",
    "runs.lost",
    "runs.prune",
    "search index",
    "skipped ticks",
    "stale attempts",
    "test runs",
    "tiers",
    "traces.expire",
    "unused agents",
    "unverified agents",
  ]);
  const kinds = handlers.map(({ kind }) => kind);
  for (const task of periodic) expect(kinds.includes(periodicKind(task))).toBe(task.of === "store");
  await app.close();
});
