import { afterEach, beforeEach, expect, test } from "bun:test";
import { type CommitDeps, commit } from "../../../server/jobs/commit.ts";
import { createHub } from "../../../server/platform/hub.ts";
import { jobHouse } from "./harness.ts";

let house: ReturnType<typeof jobHouse>;
let deps: CommitDeps;
/** What happened, in order. */
let told: unknown[];
beforeEach(() => {
  house = jobHouse();
  told = [];
  const hub = createHub();
  deps = {
    store: { records: house.records },
    hub: { ...hub, publish: (...news) => void told.push(news) },
    jobs: house.queue,
  };
  house.queue.onWake(() => told.push("wake"));
});
afterEach(() => house.close());

const JOB = { kind: "a", payload: {} };
const kinds = async () =>
  (await house.records.selectFrom("jobs").select("kind").execute()).map((j) => j.kind);

/** The next commit writes its rows, or takes them back, and fails as a disk does. */
function failNextCommit({ isIn }: { isIn: boolean }): void {
  const { raw } = house;
  const run = raw.run.bind(raw);
  raw.run = ((sql: string) => {
    if (sql !== "commit") return run(sql);
    raw.run = run;
    run(isIn ? "commit" : "rollback");
    throw Object.assign(new Error("disk I/O error"), { code: "SQLITE_IOERR_FSYNC" });
  }) as typeof raw.run;
}

test("news go out in their order when the rows are in, and not before", async () => {
  const result = await commit(deps, async (_, after) => {
    after.publish("runs", "org", { type: "run.changed", id: "1" });
    await after.add(JOB);
    after.publish("run-logs", "1", { type: "line" });
    expect(told).toEqual([]);
    return 7;
  });
  expect(result).toBe(7);
  expect(told).toEqual([
    ["runs", "org", { type: "run.changed", id: "1" }],
    ["run-logs", "1", { type: "line" }],
    "wake",
  ]);
  expect(await kinds()).toEqual(["a"]);
});

test("whoever is told finds the rows", async () => {
  const hub = createHub();
  const stop = new AbortController();
  const seen: Promise<string[]>[] = [];
  const listening = (async () => {
    for await (const _ of hub.subscribe("runs", "org", stop.signal)) seen.push(kinds());
  })();
  await commit({ ...deps, hub }, async (_, after) => {
    after.publish("runs", "org", { type: "run.changed", id: "1" });
    await after.add(JOB);
  });
  stop.abort();
  await listening;
  expect(await Promise.all(seen)).toEqual([["a"]]);
});

test("a transaction that throws tells nobody, wakes nobody and leaves nothing", async () => {
  const failing = commit(deps, async (_, after) => {
    await after.add(JOB);
    after.publish("runs", "org", { type: "run.changed", id: "1" });
    throw new Error("changed my mind");
  });
  await expect(failing).rejects.toThrow("changed my mind");
  expect(told).toEqual([]);
  expect(await kinds()).toEqual([]);
});

test("only a new job wakes the runner", async () => {
  await commit(deps, async (_, after) => after.publish("run-logs", "1", { type: "line" }));
  expect(told).toEqual([["run-logs", "1", { type: "line" }]]);
  const keyed = () => commit(deps, (_, after) => after.add({ ...JOB, dedupeKey: "k" }));
  await keyed();
  expect(told.slice(1)).toEqual(["wake"]);
  await keyed();
  expect(told.slice(1)).toEqual(["wake"]);
});

test("a commit that failed on the disk and is in all the same, as its job shows, tells its news", async () => {
  failNextCommit({ isIn: true });
  const result = await commit(deps, async (_, after) => {
    await after.add(JOB);
    after.publish("run-logs", "1", { type: "status" });
    return "done";
  });
  expect(result).toBe("done");
  expect(told).toEqual([["run-logs", "1", { type: "status" }], "wake"]);
});

test("a commit that failed on the disk and is not in tells nobody", async () => {
  failNextCommit({ isIn: false });
  const failing = commit(deps, async (_, after) => {
    await after.add(JOB);
    after.publish("run-logs", "1", { type: "status" });
  });
  await expect(failing).rejects.toThrow("disk I/O error");
  expect(told).toEqual([]);
});

test.each([true, false])(
  "a commit whose own rows can be looked up is looked up by them: %p",
  async (isIn) => {
    failNextCommit({ isIn });
    const publishing = commit(
      deps,
      async (_, after) => after.publish("run-logs", "1", { type: "status" }),
      async () => isIn,
    );
    if (isIn) await publishing;
    else await expect(publishing).rejects.toThrow("disk I/O error");
    expect(told).toHaveLength(isIn ? 1 : 0);
  },
);
