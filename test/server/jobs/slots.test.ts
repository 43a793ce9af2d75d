import { afterEach, beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import type { JobHandlers } from "../../../server/jobs/types.ts";
import { PROCESS } from "../../../server/trace/kinds.ts";
import { testApp } from "../../helpers/app.ts";
import { until } from "../../helpers/until.ts";
import { jobHouse } from "./harness.ts";

setDefaultTimeout(60_000);

let house: ReturnType<typeof jobHouse>;
beforeEach(() => {
  house = jobHouse();
});
afterEach(() => house.close());

/** A kind whose jobs go on until the test lets them. */
function waiting(kind: string) {
  const gates: (() => void)[] = [];
  const entry: JobHandlers[number] = {
    kind,
    atMost: 2,
    handle: () => new Promise<void>((resolve) => gates.push(resolve)),
  };
  return { entry, gates };
}

async function add(kind: string, count: number): Promise<void> {
  for (let i = 0; i < count; i++) await house.queue.add(house.records, { kind, payload: {} });
  house.queue.wake();
}

const states = async (kind: string) =>
  (await house.records.selectFrom("jobs").select("state").where("kind", "=", kind).execute()).map(
    ({ state }) => state,
  );

test("kinds with a limit, which take long, never take every slot together: short work goes on beside them", async () => {
  const long = ["run", "replay", "shadow"].map(waiting);
  let processed = 0;
  const short: JobHandlers[number] = {
    kind: "process",
    handle: async () => {
      processed += 1;
    },
  };
  const runner = house.runner(4);
  await runner.start([...long.map(({ entry }) => entry), short]);
  for (const { entry } of long) await add(entry.kind, 2);
  const begun = () => long.flatMap(({ gates }) => gates).length;
  await until("every slot that long work may have is taken", () => begun() >= 3);
  await add("process", 5);
  await until("the short work is done", () => processed === 5);
  expect(begun()).toBe(3);
  const now = (await Promise.all(long.map(({ entry }) => states(entry.kind)))).flat();
  expect(now.filter((state) => state === "queued")).toHaveLength(3);
  // Each that ends makes room for the next.
  await until("all of them are done", async () => {
    for (const gate of long.flatMap(({ gates }) => gates.splice(0))) gate();
    const left = await Promise.all(long.map(({ entry }) => states(entry.kind)));
    return left.flat().every((state) => state === "done");
  });
  await runner.stop();
});

test("work that only waits for others has slots of its own, and of one lane few go on at once", async () => {
  const gates: (() => void)[] = [];
  const { entry: long, gates: longGates } = waiting("run");
  const apart: JobHandlers[number] = {
    kind: "tell",
    apart: { atMost: 5, perLane: 2 },
    handle: () => new Promise<void>((resolve) => gates.push(resolve)),
  };
  const runner = house.runner(3);
  await runner.start([long, apart]);
  for (const lane of ["a", "a", "a", "a", "b", "b", "b", "c", "d"])
    await house.queue.add(house.records, { kind: "tell", payload: {}, lane });
  await add("run", 2);
  await until("all that may go on does", () => gates.length === 5 && longGates.length === 2);
  const going = await house.records
    .selectFrom("jobs")
    .select("lane")
    .where("state", "=", "running")
    .execute();
  expect(going.map(({ lane }) => lane).sort()).toEqual(["a", "a", "b", "b", "c", null, null].sort());
  await until("all of it is done", async () => {
    for (const gate of [...gates.splice(0), ...longGates.splice(0)]) gate();
    return [...(await states("tell")), ...(await states("run"))].every((state) => state === "done");
  });
  await runner.stop();
});

test("a runner with one slot takes work of every kind all the same", async () => {
  const { entry, gates } = waiting("run");
  const runner = house.runner(1);
  await runner.start([entry]);
  await add("run", 1);
  await until("it has begun", () => gates.length === 1);
  gates[0]!();
  await runner.stop();
});

test("of the program's own kinds, post-processing is one of those that long work leaves a slot", async () => {
  const app = await testApp();
  const { handlers } = app.runtime;
  await app.close();
  const unlimited = handlers.flatMap(({ kind, atMost }) => (atMost === undefined ? [kind] : []));
  expect(unlimited).toContain(PROCESS);
  for (const kind of ["run.execute", "replay.execute", "shadow_diff.compare", "trace.recompress"])
    expect(handlers.find((handler) => handler.kind === kind)?.atMost).toBeNumber();
});
