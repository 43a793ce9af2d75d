import { afterEach, beforeEach, expect, test } from "bun:test";
import { LEASE_MS, pruneDoneJobs } from "../../../server/jobs/runner.ts";
import type { JobContext, JobHandlers } from "../../../server/jobs/types.ts";
import { claimJob, nextDueAt } from "../../../store/records/jobs.ts";
import { jobHouse } from "./harness.ts";

let house: ReturnType<typeof jobHouse>;
beforeEach(() => {
  house = jobHouse();
});
afterEach(() => house.close());

const rows = () => house.records.selectFrom("jobs").selectAll().orderBy("id").execute();
const add = async (
  kind: string,
  more: { dedupeKey?: string; runAt?: number; maxAttempts?: number } = {},
): Promise<void> => void (await house.queue.add(house.records, { kind, payload: { kind }, ...more }));

/** A handler that counts its calls and does as told. */
function handler(kind: string, handle: (context: JobContext) => Promise<void> | void = () => {}) {
  const calls: JobContext[] = [];
  const entry: JobHandlers[number] = {
    kind,
    handle: async (_payload, context) => {
      calls.push(context);
      await handle(context);
    },
  };
  return { entry, calls };
}

test("a job runs once and is done", async () => {
  const { entry, calls } = handler("a");
  const runner = house.runner();
  runner.prepare([entry]);
  await add("a");
  expect(await runner.runDue()).toBe(1);
  expect(await runner.runDue()).toBe(0);
  expect(calls).toHaveLength(1);
  expect((await rows())[0]).toMatchObject({
    state: "done",
    lease_token: null,
    finished_at: house.clock.now(),
  });
});

test("a job added in a transaction that is rolled back does not exist", async () => {
  const failing = house.records.transaction().execute(async (transaction) => {
    await house.queue.add(transaction, { kind: "a", payload: {} });
    throw new Error("changed my mind");
  });
  await expect(failing).rejects.toThrow("changed my mind");
  expect(await rows()).toEqual([]);
});

test("an open job with the same key is not added twice, a finished one makes room", async () => {
  const { entry } = handler("a");
  const runner = house.runner();
  runner.prepare([entry]);
  await add("a", { dedupeKey: "k" });
  await add("a", { dedupeKey: "k" });
  await add("a", { dedupeKey: "other" });
  expect(await rows()).toHaveLength(2);
  await runner.runDue();
  await add("a", { dedupeKey: "k" });
  expect(await runner.runDue()).toBe(1);
});

test("runDue also runs what the jobs add", async () => {
  const second = handler("second");
  const first = handler("first", () => add("second"));
  const runner = house.runner();
  runner.prepare([first.entry, second.entry]);
  await add("first");
  expect(await runner.runDue()).toBe(2);
  expect(second.calls).toHaveLength(1);
});

test("failures are retried after 1, 5 and 30 seconds, and the last one is told as such", async () => {
  const { entry, calls } = handler("a", () => {
    throw new Error("no luck");
  });
  const runner = house.runner();
  runner.prepare([entry]);
  await add("a", { maxAttempts: 4 });
  for (const wait of [1_000, 5_000, 30_000]) {
    expect(await runner.runDue()).toBe(1);
    house.clock.advance(wait - 1);
    expect(await runner.runDue()).toBe(0);
    house.clock.advance(1);
  }
  expect(await runner.runDue()).toBe(1);
  expect(calls.map(({ attempt, isLastAttempt }) => [attempt, isLastAttempt])).toEqual([
    [1, false],
    [2, false],
    [3, false],
    [4, true],
  ]);
  expect((await rows())[0]).toMatchObject({ state: "dead", attempts: 4, last_error: "no luck" });
});

test("onDead gets the payload and the error, after the last failure only", async () => {
  const dead: unknown[] = [];
  const { entry } = handler("a", () => {
    throw new Error("no luck");
  });
  const runner = house.runner();
  runner.prepare([{ ...entry, onDead: async (payload, error) => void dead.push([payload, error]) }]);
  await add("a", { maxAttempts: 2 });
  await runner.runDue();
  expect(dead).toEqual([]);
  house.clock.advance(1_000);
  await runner.runDue();
  expect(dead).toEqual([[{ kind: "a" }, "no luck"]]);
});

test("a verdict that cannot be written is tried again, and the job is not dead before it is", async () => {
  let tries = 0;
  const { entry } = handler("a", () => {
    throw new Error("no luck");
  });
  const runner = house.runner();
  const onDead = async () => {
    if (++tries === 1) throw new Error("disk full");
  };
  runner.prepare([{ ...entry, onDead }]);
  await add("a", { maxAttempts: 1 });
  await runner.runDue();
  expect((await rows())[0]).toMatchObject({ state: "queued", attempts: 0 });
  house.clock.advance(1_000);
  await runner.runDue();
  expect((await rows())[0]).toMatchObject({ state: "dead", attempts: 1 });
  expect(tries).toBe(2);
});

test("a crashed worker's job comes back when its lease ends, and the crash is not counted", async () => {
  const crashed = house.runner();
  crashed.prepare([handler("a", () => new Promise(() => {})).entry]);
  await add("a");
  void crashed.runDue();
  await until(async () => (await rows())[0]!.state === "running");
  const { entry, calls } = handler("a");
  const next = house.runner();
  next.prepare([entry]);
  expect(await next.runDue()).toBe(0);
  house.clock.advance(LEASE_MS);
  expect(await next.runDue()).toBe(1);
  expect(calls[0]!.attempt).toBe(1);
});

test("start takes back at once what a crash left", async () => {
  const crashed = house.runner();
  crashed.prepare([handler("a", () => new Promise(() => {})).entry]);
  await add("a");
  void crashed.runDue();
  await until(async () => (await rows())[0]!.state === "running");
  const { entry } = handler("a");
  const next = house.runner();
  await next.start([entry]);
  await until(async () => (await rows())[0]!.state === "done");
  await next.stop();
});

test("a worker that lost its lease changes nothing and is told by its heartbeat", async () => {
  let release = () => {};
  let heartbeat: Promise<void> | undefined;
  const slow = handler("a", async (context) => {
    await new Promise<void>((resolve) => (release = resolve));
    heartbeat = context.heartbeat();
    await heartbeat;
  });
  const slowRunner = house.runner();
  slowRunner.prepare([slow.entry]);
  await add("a");
  const slowRun = slowRunner.runDue();
  await until(async () => slow.calls.length === 1);
  house.clock.advance(LEASE_MS);
  const quick = handler("a");
  const quickRunner = house.runner();
  quickRunner.prepare([quick.entry]);
  expect(await quickRunner.runDue()).toBe(1);
  const settled = await rows();
  release();
  await slowRun;
  await expect(heartbeat!).rejects.toThrow("lost");
  expect(slow.calls[0]!.signal.aborted).toBe(true);
  expect(await rows()).toEqual(settled);
});

test("a heartbeat keeps the job", async () => {
  let release = () => {};
  const slow = handler("a", async (context) => {
    await context.heartbeat();
    await new Promise<void>((resolve) => (release = resolve));
  });
  const runner = house.runner();
  runner.prepare([slow.entry]);
  await add("a");
  house.clock.advance(10_000);
  const run = runner.runDue();
  await until(async () => slow.calls.length === 1);
  house.clock.advance(LEASE_MS - 1);
  const other = house.runner();
  other.prepare([handler("a").entry]);
  expect(await other.runDue()).toBe(0);
  release();
  await run;
});

test("a clock that goes back strands neither leases nor retries, nor jobs that were added while it was ahead", async () => {
  const { entry, calls } = handler("a", ({ attempt }) => {
    if (attempt === 1) throw new Error("once");
  });
  const runner = house.runner();
  runner.prepare([entry]);
  await runner.runDue();
  await add("a");
  await runner.runDue();
  await add("a", { dedupeKey: "second" });
  await add("a", { dedupeKey: "later", runAt: house.clock.now() + 5_000 });
  house.clock.set(house.clock.now() - 7 * 86_400_000);
  expect(await runner.runDue()).toBe(2);
  expect(calls).toHaveLength(3);
  expect((await rows()).filter(({ state }) => state === "queued").map((row) => row.visible_at)).toContain(
    house.clock.now() + 5_000,
  );
});

test("start refuses a kind with two handlers and one with none, and names what is queued for nobody", async () => {
  const { entry } = handler("a");
  await expect(house.runner().start([entry, entry])).rejects.toThrow('"a" has two handlers');
  await expect(house.runner().start([entry], ["a", "b"])).rejects.toThrow('"b"');
  await add("mystery");
  const runner = house.runner();
  await runner.start([entry]);
  await runner.stop();
  expect(house.lines.join("")).toContain('"kind":"mystery","count":1');
});

test("a started runner runs what is added when it is woken, and what becomes due later", async () => {
  const { entry, calls } = handler("a");
  const runner = house.runner();
  await runner.start([entry]);
  await add("a", { runAt: house.clock.now() + 3_000 });
  await add("a");
  house.queue.wake();
  await until(async () => calls.length === 1);
  await until(async () => {
    house.clock.advance(1_000);
    return calls.length === 2;
  });
  await runner.stop();
});

test("a job that is claimed while the runner stops is not begun, and waits for the next one", async () => {
  const { entry, calls } = handler("a");
  await add("a");
  const runner = house.runner();
  await runner.start([entry]);
  await runner.stop();
  expect(calls).toHaveLength(0);
  expect((await rows())[0]).toMatchObject({ state: "queued", lease_token: null, attempts: 0 });
});

test("stop aborts what runs and gives it back uncounted", async () => {
  const { entry, calls } = handler(
    "a",
    ({ signal }) =>
      new Promise((_, reject) =>
        signal.addEventListener("abort", () => reject(signal.reason), { once: true }),
      ),
  );
  const runner = house.runner();
  await runner.start([entry]);
  await add("a");
  house.queue.wake();
  await until(async () => calls.length === 1);
  await runner.stop();
  expect((await rows())[0]).toMatchObject({ state: "queued", attempts: 0, lease_token: null });
});

test("a kind with a limit leaves the other slots to others", async () => {
  let most = 0;
  let now = 0;
  const gates: (() => void)[] = [];
  const slow = handler("slow", async () => {
    most = Math.max(most, ++now);
    await new Promise<void>((resolve) => gates.push(resolve));
    now -= 1;
  });
  const quick = handler("quick");
  const runner = house.runner(3);
  await runner.start([{ ...slow.entry, atMost: 1 }, quick.entry]);
  for (let i = 0; i < 3; i++) await add("slow");
  await add("quick");
  house.queue.wake();
  await until(async () => quick.calls.length === 1);
  expect(slow.calls).toHaveLength(1);
  await until(async () => {
    for (const gate of gates.splice(0)) gate();
    return slow.calls.length === 3 && now === 0;
  });
  expect(most).toBe(1);
  await runner.stop();
});

test("done jobs are forgotten after two hours, dead ones are kept", async () => {
  const runner = house.runner();
  const { entry } = handler("good");
  const bad = handler("bad", () => {
    throw new Error("no");
  });
  runner.prepare([entry, bad.entry]);
  await add("good");
  await add("bad", { maxAttempts: 1 });
  await runner.runDue();
  const prune = pruneDoneJobs({ records: house.records, clock: house.clock });
  house.clock.advance(2 * 60 * 60_000);
  await prune.run();
  expect(await rows()).toHaveLength(2);
  house.clock.advance(1);
  await prune.run();
  expect((await rows()).map(({ kind }) => kind)).toEqual(["bad"]);
});

test("claiming and looking for the next due time walk the index of open jobs", async () => {
  const statements: string[] = [];
  const spied = house.records.withPlugin({
    transformQuery: ({ node }) => {
      statements.push(house.records.getExecutor().compileQuery(node, { queryId: "plan" }).sql);
      return node;
    },
    transformResult: async ({ result }) => result,
  });
  await claimJob(spied, { kinds: ["a", "b"], now: 1, leaseUntil: 2, token: "t", server: "s" });
  await nextDueAt(spied, ["a", "b"]);
  const busy = { busyLanes: ["x", "y"], now: 1, leaseUntil: 2, token: "t", server: "s" };
  await claimJob(spied, { kinds: ["a", "b"], ...busy });
  await nextDueAt(spied, ["a", "b"], busy.busyLanes);
  expect(statements).toHaveLength(4);
  for (const statement of statements) {
    const plan = house.raw.query(`EXPLAIN QUERY PLAN ${statement}`).all() as { detail: string }[];
    const words = plan.map(({ detail }) => detail).join("; ");
    expect(words).toContain("jobs_claimable");
    expect(words).not.toContain("TEMP B-TREE");
  }
});

/** Lets the event loop turn until the condition holds. */
async function until(condition: () => Promise<boolean>) {
  for (let turn = 0; turn < 10_000; turn++) {
    if (await condition()) return;
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
  throw new Error("It never came true.");
}
