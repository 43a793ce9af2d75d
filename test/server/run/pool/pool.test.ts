import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { systemClock } from "../../../../server/platform/clock.ts";
import { createLog } from "../../../../server/platform/log.ts";
import { compileScenario } from "../../../../server/run/language/compile.ts";
import { runnerCommand } from "../../../../server/run/pool/command.ts";
import { createRunnerPool, type RunWatch } from "../../../../server/run/pool/pool.ts";
import type { RunTask, SinkCall } from "../../../../server/run/pool/protocol.ts";
import { until } from "../../../helpers/until.ts";

setDefaultTimeout(120_000);

const HAS_PROC = existsSync("/proc/self/stat");

function task(steps: string[]): RunTask {
  const text = `---\nslug: lab\ntitle: Lab\n---\n${steps.map((step, at) => `${at + 1}. ${step}`).join("\n")}`;
  const { scenario } = compileScenario({ name: "lab.scenario.md", text }, () => null);
  return {
    scenario: scenario!,
    baseUrl: "http://127.0.0.1:9",
    manifest: { source: "manual" },
    region: {},
    excludeOrigins: [],
    values: { secrets: {}, synthetic: { email: "a@example.invalid", name: "A", region: "r", shard: "1" } },
    clones: null,
    fingerprints: {},
    redaction: { headers: [], patterns: [] },
    executable: null,
  };
}

/** A store that takes everything and keeps nothing. */
function watch(more: Partial<RunWatch> = {}): RunWatch {
  return {
    keep: async (what: SinkCall) => (what.method === "begin" ? { traceId: "t", shortId: "s" } : null),
    log: () => {},
    signal: new AbortController().signal,
    timeoutMs: 60_000,
    ...more,
  };
}

const pool = (more: { slots?: number; recycleAfterRuns?: number } = {}) =>
  createRunnerPool({
    command: runnerCommand(),
    slots: 1,
    recycleAfterRuns: 50,
    clock: systemClock,
    log: createLog({ clock: systemClock, level: "error", write: () => {} }),
    ...more,
  });

/** Every process below this one, at any depth; those that have ended and wait to be taken note of are none. */
function descendants(): number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const [state, parent] = readFileSync(`/proc/${name}/stat`, "latin1").split(") ").at(-1)!.split(" ");
      if (state !== "Z") parents.set(Number(name), Number(parent));
    } catch {
      // It ended meanwhile.
    }
  }
  const isBelow = (pid: number): boolean => {
    const parent = parents.get(pid);
    return parent === process.pid || (parent !== undefined && parent > 1 && isBelow(parent));
  };
  return [...parents.keys()].filter(isBelow);
}
const isAlive = (pid: number) =>
  existsSync(`/proc/${pid}`) && !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "latin1"));
/** Of runners that this process started. */
const temporaries = () =>
  readdirSync("/tmp").filter((name) => name.startsWith(`tracedeck-runner-${process.pid}-`));

describe.if(HAS_PROC)("runner processes", () => {
  let before: number[];
  beforeAll(() => {
    before = descendants();
  });
  const ours = () => descendants().filter((pid) => !before.includes(pid));
  afterAll(() => until("nothing is left", () => ours().length === 0));

  test("carry thirty runs out and leave neither a process nor a file handle nor a file", async () => {
    const folders = temporaries();
    const runners = pool({ recycleAfterRuns: 15 });
    const run = async () => expect((await runners.run(task(["wait 1ms"]), watch())).status).toBe("passed");
    await run();
    const handles = readdirSync("/proc/self/fd").length;
    const processes = ours().length;
    for (let count = 1; count < 30; count++) await run();
    await until(
      "the ended runner's handles are closed",
      () => readdirSync("/proc/self/fd").length <= handles,
    );
    expect(ours().length).toBeLessThanOrEqual(processes);
    await runners.close();
    await until("every process has ended", () => ours().length === 0);
    await until("no folder of theirs is left", () => temporaries().every((name) => folders.includes(name)));
  });

  test("that do not react are ended by force, with their browsers, when the run's time is over", async () => {
    const runners = pool();
    let started = false;
    const running = runners.run(
      task(["wait 60s"]),
      watch({
        timeoutMs: 6000,
        log: () => {
          started = true;
        },
      }),
    );
    running.catch(() => {});
    await until("the run has begun", () => started, 20_000);
    const processes = ours();
    const runner = processes.find((pid) =>
      readFileSync(`/proc/${pid}/cmdline`, "latin1").includes("run-worker"),
    )!;
    process.kill(runner, "SIGSTOP");
    expect(await running.catch((error) => error)).toMatchObject({
      reason: "timeout",
      message: "The run took longer than its 6 s.",
    });
    await until("all of its processes have ended", () => !processes.some(isAlive));
    // The next run has a process of its own.
    expect((await runners.run(task(["wait 1ms"]), watch())).status).toBe("passed");
    await runners.close();
  });

  test("that die take their browsers with them, and their run is lost", async () => {
    const runners = pool();
    let started = false;
    const running = runners.run(
      task(["wait 60s"]),
      watch({
        log: () => {
          started = true;
        },
      }),
    );
    running.catch(() => {});
    await until("the run has begun", () => started, 20_000);
    const processes = ours();
    process.kill(
      processes.find((pid) => readFileSync(`/proc/${pid}/cmdline`, "latin1").includes("run-worker"))!,
      "SIGKILL",
    );
    expect(await running.catch((error) => error)).toMatchObject({ reason: "runner_lost" });
    await until("all of its processes have ended", () => !processes.some(isAlive));
    await runners.close();
  });
});
