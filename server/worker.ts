import type { TaskReply, TaskRequest } from "./platform/tasks.ts";
import { TASKS } from "./tasks.ts";

declare const self: Worker;

const reply = (message: TaskReply) => self.postMessage(message);

self.onmessage = async (event: MessageEvent<TaskRequest>) => {
  const { id, name, input } = event.data;
  try {
    const task = TASKS[name];
    if (!task) throw new Error(`There is no task "${name}".`);
    const result = await task(input as never, (progress) => reply({ id, type: "progress", progress }));
    reply({ id, type: "done", result });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const kind = error instanceof Error && "kind" in error ? String(error.kind) : null;
    reply({ id, type: "failed", message, kind });
  }
};
