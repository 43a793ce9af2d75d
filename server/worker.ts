import { heapSize } from "bun:jsc";
import { lowerPriority } from "./platform/priority.ts";
import type { TaskAnswer, TaskReply, TaskRequest } from "./platform/tasks.ts";
import { TASKS } from "./tasks.ts";

declare const self: Worker;

/** Bytes of a heap that a task may leave behind: a worker rests for long, and is one of several. */
const MOST_LEFT = 16 * 1024 * 1024;

const reply = (message: TaskReply) => self.postMessage(message);

/** The question that the task waits with, if it does. */
let asked: PromiseWithResolvers<never> | null = null;

self.onmessage = (event: MessageEvent<TaskRequest | TaskAnswer>) => {
  const { data } = event;
  if (data.type === "run") void run(data);
  else if (data.type === "answer") asked?.resolve(data.answer as never);
  else asked?.reject(new Error(data.message));
};

async function run({ id, name, input, isBackground }: TaskRequest): Promise<void> {
  function ask(question: unknown): Promise<never> {
    asked = Promise.withResolvers<never>();
    reply({ id, type: "question", question });
    return asked.promise;
  }
  if (isBackground) lowerPriority();
  try {
    const load = TASKS[name];
    if (!load) throw new Error(`There is no task "${name}".`);
    const task = await load();
    const tell = (progress: unknown) => reply({ id, type: "progress", progress });
    const result = await task(input as never, tell, ask);
    reply({ id, type: "done", result });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    reply({ id, type: "failed", message, kind: kindOf(error) });
  }
  asked = null;
  if (heapSize() > MOST_LEFT) Bun.gc(true);
}

/** Its own word for what it is, or the system's. */
function kindOf(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  if ("kind" in error) return String(error.kind);
  return "code" in error ? String(error.code) : null;
}
