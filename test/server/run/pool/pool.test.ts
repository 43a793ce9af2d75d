import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { systemClock } from "../../../../server/platform/clock.ts";
import { createLog } from "../../../../server/platform/log.ts";
import { compileScenario } from "../../../../server/run/language/compile.ts";
import { runnerCommand } from "../../../../server/run/pool/command.ts";
import { createRunnerPool, type RunnerPool } from "../../../../server/run/pool/pool.ts";
import type { RunTask, SinkCall } from "../../../../server/run/pool/protocol.ts";
import type { RunWatch } from "../../../../server/run/pool/runner.ts";
import { createTestClock } from "../../../helpers/app.ts";
import { RUNNER } from "../../../helpers/program.ts";
import { withFaults } from "../../../helpers/uncaught.ts";
import { until } from "../../../helpers/until.ts";
import { descendants, HAS_PROC, isAlive, readProc } from "../../../soak/observe.ts";

setDefaultTimeout(240_000);

function task(steps: string[]): RunTask {
  const text = `---\nslug: lab\ntitle: Lab\n---\n${steps.map((step, at) => `${at + 1}. ${step}`).join("\n")}`;
  const { scenario } = compileScenario({ name: "lab.scenario.md", text }, () => null);
  return {
    scenario: scenario!,
    baseUrl: "http://127.0.0.1:9",
    manifest: { source: "manual" },
    region: {},
    excludeOrigins: [],
    allowPrivateTargets: true,
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

const pool = (more: Partial<Parameters<typeof createRunnerPool>[0]> = {}) =>
  createRunnerPool({
    command: RUNNER,
    slots: 1,
    recycleAfterRuns: 50,
    clock: systemClock,
    log: createLog({ clock: systemClock, level: "error", write: () => {} }),
    ...more,
  });

/** A run, and when its first step has begun. */
function begin(runners: RunnerPool, steps: string[], more: Partial<RunWatch> = {}) {
  const begun = Promise.withResolvers<void>();
  const running = runners.run(task(steps), watch({ log: () => begun.resolve(), ...more }));
  running.catch(begun.reject);
  return { running, begun: begun.promise };
}
const runnerAmong = (pids: number[]): number =>
  pids.find((pid) => readProc(pid, "cmdline").includes("run-worker"))!;
/** Of runners that this process started. */
const temporaries = () =>
  readdirSync(tmpdir()).filter((name) => name.startsWith(`tracedeck-runner-${process.pid}-`));

describe.if(HAS_PROC)("runner processes", () => {
  let before: number[];
  beforeAll(() => {
    before = descendants(process.pid);
  });
  const ours = () => descendants(process.pid).filter((pid) => !before.includes(pid));
  afterAll(() => until("nothing is left", () => ours().length === 0));

  test("carry sixteen runs out and leave neither a process nor a file handle nor a file", async () => {
    const folders = temporaries();
    const runners = pool({ recycleAfterRuns: 8 });
    const run = async () => expect((await runners.run(task(["wait 1ms"]), watch())).status).toBe("passed");
    await run();
    const handles = readdirSync("/proc/self/fd").length;
    const processes = ours().length;
    for (let count = 1; count < 16; count++) await run();
    await until(
      "the ended runner's handles are closed",
      () => readdirSync("/proc/self/fd").length <= handles,
    );
    await until("there are no more processes than after the first", () => ours().length <= processes);
    await runners.close();
    await until("every process has ended", () => ours().length === 0);
    await until("no folder of theirs is left", () => temporaries().every((name) => folders.includes(name)));
  });

  test("that do not react are ended by force, with their browsers, when the run's time is over", async () => {
    const clock = createTestClock();
    const ends: string[] = [];
    const runners = pool({ clock, onEnd: (why) => ends.push(why) });
    const { running, begun } = begin(runners, ["wait 60s"], { timeoutMs: 6000 });
    await begun;
    const processes = ours();
    process.kill(runnerAmong(processes), "SIGSTOP");
    // First it is told to end, then it is ended.
    clock.advance(6000);
    await until("all of its processes have ended", () => {
      clock.advance(1000);
      return !processes.some(isAlive);
    });
    expect(await running.catch((error) => error)).toMatchObject({
      reason: "timeout",
      message: "The run took longer than its 6 s.",
    });
    expect(ends).toEqual(["forced"]);
    // The next run has a process of its own.
    expect((await runners.run(task(["wait 1ms"]), watch())).status).toBe("passed");
    await runners.close();
    expect(ends).toEqual(["forced", "stopped"]);
  });

  test("take as many runs at once as there are slots, in the order they came; one that is cancelled leaves the queue", async () => {
    const order: string[] = [];
    const runners = pool({ recycleAfterRuns: 1 });
    const stop = new AbortController();
    const cancelled = new AbortController();
    const first = begin(runners, ["wait 60s"], { signal: stop.signal });
    await first.begun;
    const after = (name: string, signal = new AbortController().signal) =>
      runners.run(task(["wait 1ms"]), watch({ signal })).then(() => order.push(name));
    const [second, gone, third] = [after("second"), after("gone", cancelled.signal), after("third")];
    expect(runners.count()).toEqual({ busy: 1, free: 0, waiting: 3 });
    cancelled.abort();
    expect(await gone.catch((error) => error)).toMatchObject({ reason: "aborted" });
    expect(runners.count()).toEqual({ busy: 1, free: 0, waiting: 2 });
    stop.abort();
    await first.running;
    await Promise.all([second, third]);
    expect(order).toEqual(["second", "third"]);
    await runners.close();
  });

  test("that do not come up in time are given up: the run is told, and nothing waits for them", async () => {
    const clock = createTestClock();
    const folders = temporaries();
    const runners = pool({ clock, command: ["sh", "-c", "exec sleep 60"] });
    const running = runners.run(task(["wait 1ms"]), watch()).catch((error) => error);
    await until("it is started", () => ours().length > 0);
    clock.advance(120_000);
    expect(await running).toMatchObject({ reason: "runner_lost" });
    await until("it is gone", () => runners.count().busy === 0);
    await until("its folder is gone", () => temporaries().every((name) => folders.includes(name)));
    const missing = pool({ command: ["/nonexistent/runner"] });
    expect(await missing.run(task(["wait 1ms"]), watch()).catch((error) => error)).toMatchObject({
      reason: "runner_unavailable",
    });
    await Promise.all([runners.close(), missing.close()]);
  });

  test("to which an error comes that nothing waits for end the run with it, and get no other", async () => {
    const ends: string[] = [];
    const runners = pool({ command: withFaults(runnerCommand()), onEnd: (why) => ends.push(why) });
    const { running, begun } = begin(runners, ["wait 60s"]);
    await begun;
    process.kill(runnerAmong(ours()), "SIGUSR2");
    expect(await running).toMatchObject({
      status: "error",
      error: { reason: "runner_failed", message: expect.stringContaining("Nobody saw this coming.") },
    });
    expect((await runners.run(task(["wait 1ms"]), watch())).status).toBe("passed");
    expect(ends).toEqual(["faulty"]);
    process.kill(runnerAmong(ours()), "SIGUSR2");
    await until("the idle one has ended too", () => ends.length === 2);
    expect(ends).toEqual(["faulty", "faulty"]);
    await runners.close();
  });

  test("that die take their browsers with them, and their run is lost", async () => {
    const runners = pool();
    const { running, begun } = begin(runners, ["wait 60s"]);
    await begun;
    const processes = ours();
    process.kill(runnerAmong(processes), "SIGKILL");
    expect(await running.catch((error) => error)).toMatchObject({ reason: "runner_lost" });
    await until("all of its processes have ended", () => !processes.some(isAlive));
    await runners.close();
  });
});
