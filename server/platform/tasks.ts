import type { Clock } from "./clock.ts";

/** A worker of the background that has nothing to do ends after so long: a new one costs 40 to 50 ms of the processor. */
const BACKGROUND_IDLE_MS = 10_000;
/** The background waits for all others to end, but no longer than this: a server that always has work would never come to it. */
const BACKGROUND_PATIENCE_MS = 60_000;

/**
 * CPU-heavy work in Bun workers, at most `size` at once, the rest waiting in order. Beside them one task of the background
 * runs at low priority. It begins when no other runs, since together they would hold more memory. A worker that dies (out of
 * memory, a native crash) rejects its task and is replaced.
 */
export interface TaskPool {
  /**
   * Runs a task by its name in a worker. Input and result must survive structured clone.
   * Rejects with `TaskError` carrying the `kind` of an error thrown inside, or with an AbortError.
   */
  run<Result>(name: string, input: unknown, options?: TaskOptions): Promise<Result>;
  close(): Promise<void>;
}

export interface TaskOptions {
  signal?: AbortSignal;
  onProgress?: (progress: unknown) => void;
  /** What the task asks for while it runs. The answer must survive structured clone. Without it every question is refused. */
  onQuestion?: (question: unknown) => Promise<unknown>;
  /** Nobody waits for it: the others go first, for a minute. It takes no place from them, one runs at a time, and the processor is theirs first. */
  background?: boolean;
  /** Rejects at once, with the kind `busy`, when no place is free but the last one (of a pool with more than one). */
  ifFree?: boolean;
  /** Told while it runs, once, that another task waits for a place. */
  onWanted?: () => void;
}

/** An error thrown inside a worker, carried across with its code where it had one. */
export class TaskError extends Error {
  override name = "TaskError";
  readonly kind: string | null;
  constructor(message: string, kind: string | null) {
    super(message);
    this.kind = kind;
  }
}

export type TaskRequest = { id: number; type: "run"; name: string; input: unknown; isBackground: boolean };
/** To a question of the task that runs. */
export type TaskAnswer =
  | { id: number; type: "answer"; answer: unknown }
  | { id: number; type: "refusal"; message: string };
export type TaskReply =
  | { id: number; type: "progress"; progress: unknown }
  | { id: number; type: "question"; question: unknown }
  | { id: number; type: "done"; result: unknown }
  | { id: number; type: "failed"; message: string; kind: string | null };

/** A Bun worker: unlike a browser's it can keep the process alive, or not. */
export type TaskWorker = Worker & { ref(): void; unref(): void };

interface Waiting extends TaskOptions {
  name: string;
  input: unknown;
  resolve: (value: unknown) => void;
  reject: (reason: unknown) => void;
  /** False for a task of the background while it lets the others go first. */
  isDue: boolean;
  /** Listens no longer for the end of the wait: a signal that never aborts would keep the task for ever. */
  stopWaiting: () => void;
}

export function createTaskPool(options: {
  size: number;
  spawn: () => TaskWorker;
  clock: Pick<Clock, "sleep">;
}): TaskPool {
  const idle: TaskWorker[] = [];
  const busy = new Set<TaskWorker>();
  /** The worker of the background while it has work. Its priority cannot be raised again, so it does nothing else. */
  let background: TaskWorker | null = null;
  /** The same while it has none, for a moment. */
  let resting: { worker: TaskWorker; ended: AbortController } | null = null;
  /** Of the tasks that run: how they are told that somebody waits. */
  const told = new Map<TaskWorker, () => void>();
  const waiting: Waiting[] = [];
  let nextId = 0;
  let closed = false;

  const hasSpare = () => options.size - busy.size > (options.size === 1 ? 0 : 1);

  const hasPlace = (task: Waiting) => {
    if (task.background) return background === null && (task.isDue || busy.size === 0);
    return busy.size < options.size;
  };

  function next(): Waiting | undefined {
    const first = waiting.findIndex(hasPlace);
    return first < 0 ? undefined : waiting.splice(first, 1)[0];
  }

  function pump() {
    for (let task = next(); task; task = next()) {
      task.stopWaiting();
      if (task.signal?.aborted) task.reject(task.signal.reason);
      else start(task, (task.background ? wake() : idle.pop()) ?? options.spawn());
    }
    if (waiting.every((task) => task.background)) return;
    const all = [...told.values()];
    told.clear();
    for (const tell of all) tell();
  }

  /** Keeps a worker of the background for the next task, for a moment. */
  function rest(worker: TaskWorker) {
    const ended = new AbortController();
    resting = { worker, ended };
    worker.unref();
    void options.clock.sleep(BACKGROUND_IDLE_MS, ended.signal).then(() => {
      if (!ended.signal.aborted) wake()?.terminate();
    });
  }

  /** The worker that rests, which does so no longer. */
  function wake(): TaskWorker | undefined {
    resting?.ended.abort();
    const worker = resting?.worker;
    resting = null;
    return worker;
  }

  async function becomeDue(task: Waiting, over: AbortSignal): Promise<void> {
    await options.clock.sleep(BACKGROUND_PATIENCE_MS, over);
    if (over.aborted) return;
    task.isDue = true;
    pump();
  }

  function withdraw(task: Waiting) {
    const at = waiting.indexOf(task);
    if (at < 0) return;
    waiting.splice(at, 1);
    task.stopWaiting();
    task.reject(task.signal!.reason);
  }

  function start(task: Waiting, worker: TaskWorker) {
    const id = ++nextId;
    const isBackground = task.background === true;
    if (isBackground) background = worker;
    else busy.add(worker);
    if (task.onWanted) told.set(worker, task.onWanted);
    const onAbort = () => finish(() => task.reject(task.signal!.reason), false);
    // A task cannot be interrupted from outside, so an abort ends its worker.
    let isOver = false;
    function finish(settle: () => void, reusable: boolean) {
      if (isOver) return;
      isOver = true;
      if (isBackground) background = null;
      else busy.delete(worker);
      told.delete(worker);
      task.signal?.removeEventListener("abort", onAbort);
      worker.onmessage = null;
      worker.onerror = null;
      if (!reusable || closed) worker.terminate();
      else if (isBackground) rest(worker);
      else {
        worker.unref();
        idle.push(worker);
      }
      settle();
      pump();
    }
    const tell = (message: TaskAnswer) => {
      if (!isOver) worker.postMessage(message);
    };
    async function answer(question: unknown) {
      try {
        if (!task.onQuestion) throw new Error(`Nobody answers the questions of the task "${task.name}".`);
        tell({ id, type: "answer", answer: await task.onQuestion(question) });
      } catch (error) {
        tell({ id, type: "refusal", message: error instanceof Error ? error.message : String(error) });
      }
    }
    worker.ref();
    worker.onmessage = (event: MessageEvent<TaskReply>) => {
      const reply = event.data;
      if (reply.id !== id) return;
      if (reply.type === "progress") task.onProgress?.(reply.progress);
      else if (reply.type === "question") void answer(reply.question);
      else if (reply.type === "done") finish(() => task.resolve(reply.result), true);
      else finish(() => task.reject(new TaskError(reply.message, reply.kind)), true);
    };
    worker.onerror = (event) =>
      finish(
        () => task.reject(new TaskError(`The worker for "${task.name}" died: ${event.message}`, null)),
        false,
      );
    task.signal?.addEventListener("abort", onAbort, { once: true });
    worker.postMessage({
      ...{ id, type: "run", name: task.name, input: task.input, isBackground },
    } satisfies TaskRequest);
  }

  return {
    run: <Result>(name: string, input: unknown, more: TaskOptions = {}) =>
      new Promise<Result>((resolve, reject) => {
        if (closed) return reject(new TaskError("The server is shutting down.", null));
        // Its event is over: nothing would withdraw it from the queue.
        if (more.signal?.aborted) return reject(more.signal.reason);
        if (more.ifFree && (!hasSpare() || waiting.some((task) => !task.background)))
          return reject(new TaskError("All workers are busy.", "busy"));
        const onAbort = () => withdraw(task);
        const waited = new AbortController();
        const task: Waiting = {
          ...more,
          name,
          input,
          resolve: resolve as (value: unknown) => void,
          reject,
          isDue: !more.background,
          stopWaiting() {
            more.signal?.removeEventListener("abort", onAbort);
            waited.abort();
          },
        };
        waiting.push(task);
        more.signal?.addEventListener("abort", onAbort, { once: true });
        if (more.background) void becomeDue(task, waited.signal);
        pump();
      }),
    async close() {
      closed = true;
      for (const task of waiting.splice(0)) {
        task.stopWaiting();
        task.reject(new TaskError("The server is shutting down.", null));
      }
      for (const worker of [...idle.splice(0), ...busy]) worker.terminate();
      background?.terminate();
      wake()?.terminate();
    },
  };
}
