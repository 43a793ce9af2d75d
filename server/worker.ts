import { heapSize } from "bun:jsc";
import { lowerPriority } from "./platform/priority.ts";
import type { TaskReply, TaskRequest } from "./platform/tasks.ts";
import { TASKS } from "./tasks.ts";

declare const self: Worker;

/** Bytes of a heap that a task may leave behind: a worker rests for long, and is one of several. */
const MOST_LEFT = 16 * 1024 * 1024;

const reply = (message: TaskReply) => self.postMessage(message);

self.onmessage = async (event: MessageEvent<TaskRequest>) => {
  const { id, name, input, isBackground } = event.data;
  if (isBackground) lowerPriority();
  try {
    const load = TASKS[name];
    if (!load) throw new Error(`There is no task "${name}".`);
    const task = await load();
    const result = await task(input as never, (progress) => reply({ id, type: "progress", progress }));
    reply({ id, type: "done", result });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    reply({ id, type: "failed", message, kind: kindOf(error) });
  }
  if (heapSize() > MOST_LEFT) Bun.gc(true);
};

/** Its own word for what it is, or the system's. */
function kindOf(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  if ("kind" in error) return String(error.kind);
  return "code" in error ? String(error.code) : null;
}
