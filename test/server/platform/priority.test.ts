import { afterAll, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import type { TaskReply, TaskRequest, TaskWorker } from "../../../server/platform/tasks.ts";

const workers: TaskWorker[] = [];

afterAll(() => {
  for (const worker of workers) worker.terminate();
});

test.if(process.platform === "linux")(
  "only the thread of a background task gives way to others",
  async () => {
    const before = prioritiesByThread();
    const own = before.get(String(process.pid))!;
    await taskIn(start(), { isBackground: false });
    expect(lowered()).toEqual([]);
    const background = start();
    await taskIn(background, { isBackground: true });
    // More than one where the thread has started a helper of its own.
    expect(lowered().length).toBeGreaterThanOrEqual(1);
    // It keeps its place when it is given another task.
    await taskIn(background, { isBackground: true });
    expect(Math.max(...lowered().map(([, nice]) => nice))).toBe(Math.min(own + 10, 19));
    for (const [thread, nice] of before) expect(prioritiesByThread().get(thread) ?? nice).toBe(nice);

    function lowered() {
      return [...prioritiesByThread()].filter(([thread, nice]) => !before.has(thread) && nice > own);
    }
  },
);

function start(): TaskWorker {
  const url = new URL("../../../server/worker.ts", import.meta.url).href;
  const worker = new Worker(url) as unknown as TaskWorker;
  workers.push(worker);
  return worker;
}

/** Resolves once the worker has answered: there is no such task, which it says after it has set its priority. */
async function taskIn(
  worker: TaskWorker,
  { isBackground }: Pick<TaskRequest, "isBackground">,
): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<TaskReply>();
  worker.onmessage = (event: MessageEvent<TaskReply>) => resolve(event.data);
  const request: TaskRequest = { id: 1, type: "run", name: "none", input: null, isBackground };
  worker.postMessage(request);
  expect(await promise).toMatchObject({ type: "failed", message: 'There is no task "none".' });
}

/** The nice value of each thread of this process: field 19 of proc_pid_stat(5), counted behind the name. */
function prioritiesByThread(): Map<string, number> {
  const threads = readdirSync("/proc/self/task");
  return new Map(
    threads.flatMap((thread) => {
      const stat = readStat(thread);
      return stat === null ? [] : [[thread, Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[16])]];
    }),
  );
}

/** Null of a thread that has ended meanwhile. */
function readStat(thread: string): string | null {
  try {
    return readFileSync(`/proc/self/task/${thread}/stat`, "utf8");
  } catch {
    return null;
  }
}
