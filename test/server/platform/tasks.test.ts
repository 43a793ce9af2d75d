import { expect, test } from "bun:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import {
  createTaskPool,
  type TaskAnswer,
  type TaskRequest,
  type TaskWorker,
} from "../../../server/platform/tasks.ts";
import { createTestClock } from "../../helpers/app.ts";

/** Workers that end a task when the test says so: the pool is what is tested, not what runs in it. */
function house(size: number) {
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const questions = new Map<string, (question: unknown) => void>();
  const answers: unknown[] = [];
  const workers: { tasks: string[]; isBackground: boolean; isEnded: boolean }[] = [];
  const spawn = () => {
    const seen = { tasks: [] as string[], isBackground: false, isEnded: false };
    workers.push(seen);
    const worker = {
      onmessage: null as ((event: { data: unknown }) => void) | null,
      onerror: null,
      ref() {},
      unref() {},
      terminate() {
        seen.isEnded = true;
      },
      postMessage(message: TaskRequest | TaskAnswer) {
        if (message.type !== "run") return answers.push(message);
        const { id, name, isBackground } = message;
        started.push(name);
        seen.tasks.push(name);
        seen.isBackground = isBackground;
        ends.set(name, () => worker.onmessage?.({ data: { id, type: "done", result: name } }));
        questions.set(name, (question) => worker.onmessage?.({ data: { id, type: "question", question } }));
      },
    };
    return worker as unknown as TaskWorker;
  };
  const end = (name: string) => ends.get(name)!();
  const ask = (name: string, question: unknown) => questions.get(name)!(question);
  const clock = createTestClock();
  return { pool: createTaskPool({ size, spawn, clock }), started, workers, end, ask, answers, clock };
}

test("a background task takes no place from the others, and one runs at a time", async () => {
  const { pool, started, end } = house(1);
  const tasks = [
    pool.run("slow 1", null, { background: true }),
    pool.run("slow 2", null, { background: true }),
    pool.run("quick 1", null),
    pool.run("quick 2", null),
  ];
  expect(started).toEqual(["slow 1", "quick 1"]);
  end("quick 1");
  expect(started).toEqual(["slow 1", "quick 1", "quick 2"]);
  end("slow 1");
  expect(started).toEqual(["slow 1", "quick 1", "quick 2"]);
  end("quick 2");
  expect(started).toEqual(["slow 1", "quick 1", "quick 2", "slow 2"]);
  end("slow 2");
  expect(await Promise.all(tasks)).toEqual(["slow 1", "slow 2", "quick 1", "quick 2"]);
});

test("a background task lets the others go first, but for no longer than a minute", async () => {
  const { pool, started, end, clock } = house(2);
  const tasks = [
    pool.run("quick 1", null),
    pool.run("slow 1", null, { background: true }),
    pool.run("quick 2", null),
  ];
  end("quick 1");
  clock.advance(59_999);
  await nextTurn();
  expect(started).toEqual(["quick 1", "quick 2"]);
  clock.advance(1);
  await nextTurn();
  expect(started).toEqual(["quick 1", "quick 2", "slow 1"]);
  end("quick 2");
  end("slow 1");
  await Promise.all(tasks);
});

test("a background task that is withdrawn while it waits never starts, and waits for no time any more", async () => {
  const { pool, started, end, clock } = house(1);
  const stop = new AbortController();
  const quick = pool.run("quick", null);
  const slow = pool.run("slow", null, { background: true, signal: stop.signal });
  stop.abort(new Error("no longer wanted"));
  await expect(slow).rejects.toThrow("no longer wanted");
  clock.advance(60_000);
  await nextTurn();
  end("quick");
  await quick;
  expect(started).toEqual(["quick"]);
});

test("a worker of the background is told so, does nothing else, and ends when it had no work for ten seconds", async () => {
  const { pool, end, workers, clock } = house(1);
  const work = async (name: string, background: boolean) => {
    const task = pool.run(name, null, { background });
    end(name);
    await task;
  };
  await work("slow 1", true);
  await work("quick", false);
  clock.advance(9_999);
  await work("slow 2", true);
  clock.advance(9_999);
  await nextTurn();
  const background = { tasks: ["slow 1", "slow 2"], isBackground: true };
  const other = { tasks: ["quick"], isBackground: false, isEnded: false };
  expect(workers).toEqual([{ ...background, isEnded: false }, other]);
  clock.advance(1);
  await nextTurn();
  expect(workers).toEqual([{ ...background, isEnded: true }, other]);
  await work("slow 3", true);
  expect(workers).toHaveLength(3);
});

test("closing ends a worker of the background that has no work", async () => {
  const { pool, end, workers } = house(1);
  const slow = pool.run("slow", null, { background: true });
  end("slow");
  await slow;
  await pool.close();
  expect(workers).toMatchObject([{ isEnded: true }]);
});

test("a background task that is aborted makes room for the next, and closing ends the one that runs", async () => {
  const { pool, started, workers } = house(1);
  const stop = new AbortController();
  const first = pool.run("slow 1", null, { background: true, signal: stop.signal });
  void pool.run("slow 2", null, { background: true });
  stop.abort(new Error("no longer wanted"));
  await expect(first).rejects.toThrow("no longer wanted");
  expect(started).toEqual(["slow 1", "slow 2"]);
  await pool.close();
  expect(workers.map(({ isEnded }) => isEnded)).toEqual([true, true]);
});

test("a task that is not wanted any more when it comes does not wait for a place", async () => {
  const { pool, started, end } = house(1);
  const first = pool.run("first", null);
  const late = pool.run("late", null, { signal: AbortSignal.abort(new Error("no longer wanted")) });
  await expect(late).rejects.toThrow("no longer wanted");
  end("first");
  await first;
  expect(started).toEqual(["first"]);
});

test("a task that is aborted while it waits never starts", async () => {
  const { pool, started, end } = house(1);
  void pool.run("first", null);
  const stop = new AbortController();
  const waiting = pool.run("second", null, { signal: stop.signal });
  stop.abort(new Error("no longer wanted"));
  await expect(waiting).rejects.toThrow("no longer wanted");
  end("first");
  expect(started).toEqual(["first"]);
});

test("a task that is over leaves nothing at its signal, which may live as long as the program", async () => {
  const { pool, end } = house(1);
  const { signal } = new AbortController();
  const listeners = new Set<unknown>();
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  signal.addEventListener = (type: string, listener: EventListener, options?: AddEventListenerOptions) => {
    listeners.add(listener);
    add(type, listener, options);
  };
  signal.removeEventListener = (type: string, listener: EventListener) => {
    listeners.delete(listener);
    remove(type, listener);
  };
  const tasks = [pool.run("first", null, { signal }), pool.run("second", null, { signal })];
  expect(listeners.size).toBe(2);
  end("first");
  end("second");
  await Promise.all(tasks);
  expect(listeners.size).toBe(0);
});

test("a task that wants a spare place starts at once or not at all", async () => {
  const { pool, started, end } = house(2);
  const refused = { name: "TaskError", kind: "busy" };
  void pool.run("spare 1", null, { ifFree: true });
  expect(started).toEqual(["spare 1"]);
  await expect(pool.run("spare 2", null, { ifFree: true })).rejects.toMatchObject(refused);
  end("spare 1");
  void pool.run("slow 1", null, { background: true });
  void pool.run("slow 2", null, { background: true });
  void pool.run("spare 3", null, { ifFree: true });
  expect(started).toEqual(["spare 1", "slow 1", "spare 3"]);

  const one = house(1);
  void one.pool.run("spare", null, { ifFree: true });
  await expect(one.pool.run("another", null, { ifFree: true })).rejects.toMatchObject(refused);
  expect(one.started).toEqual(["spare"]);
});

test("a task is told once that another waits for a place, and not of one that can wait", async () => {
  const { pool, end } = house(2);
  const told: string[] = [];
  const first = pool.run("first", null, { onWanted: () => told.push("first") });
  void pool.run("second", null);
  void pool.run("patient", null, { background: true });
  expect(told).toEqual([]);
  void pool.run("third", null);
  void pool.run("fourth", null);
  expect(told).toEqual(["first"]);
  end("first");
  await first;
  expect(told).toEqual(["first"]);
});

test("a task that asks is answered, or told why not, for as long as it runs", async () => {
  const { pool, ask, answers, end } = house(1);
  const late = Promise.withResolvers<string>();
  const onQuestion = async (question: unknown) => {
    if (question === "late") return late.promise;
    if (question === "odd") throw new Error("That is odd.");
    return `${question}!`;
  };
  const asking = pool.run("asking", null, { onQuestion });
  for (const question of ["which", "odd"]) {
    ask("asking", question);
    await nextTurn();
  }
  ask("asking", "late");
  end("asking");
  await asking;
  late.resolve("too late");
  const alone = pool.run("alone", null);
  ask("alone", "which");
  await nextTurn();
  end("alone");
  await alone;
  expect(answers).toEqual([
    { id: 1, type: "answer", answer: "which!" },
    { id: 1, type: "refusal", message: "That is odd." },
    { id: 2, type: "refusal", message: 'Nobody answers the questions of the task "alone".' },
  ]);
});
