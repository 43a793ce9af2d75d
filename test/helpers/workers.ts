import type { TaskAnswer, TaskReply, TaskRequest, TaskWorker } from "../../server/platform/tasks.ts";

/** Workers that have nothing to do: of all apps of this process. */
const rested: TaskWorker[] = [];

/**
 * A worker for the tasks of one app. A start costs more of the processor than most of what tests have done in it: one that ends in
 * peace is handed to the next app, and one that is ended in the middle of a task ends. A task of the background runs like any other: each
 * upload has one, its worker would stay slow and could serve no other, and on a busy machine whoever waits for it would wait for all else.
 * What a real pool does with it is for `tasks.test.ts` to see.
 */
export function lendWorker(): TaskWorker {
  const worker = rested.pop() ?? start();
  let isBusy = false;
  let isBack = false;
  const lent: Pick<TaskWorker, "onmessage" | "onerror" | "postMessage" | "terminate" | "ref" | "unref"> = {
    set onmessage(hear: TaskWorker["onmessage"]) {
      worker.onmessage =
        hear &&
        ((event: MessageEvent<TaskReply>) => {
          if (event.data.type === "done" || event.data.type === "failed") isBusy = false;
          hear.call(worker, event);
        });
    },
    set onerror(hear: TaskWorker["onerror"]) {
      worker.onerror = hear;
    },
    postMessage(message: TaskRequest | TaskAnswer) {
      isBusy = true;
      worker.postMessage(message.type === "run" ? { ...message, isBackground: false } : message);
    },
    terminate() {
      if (isBack) return;
      isBack = true;
      worker.onmessage = null;
      worker.onerror = null;
      if (isBusy) return worker.terminate();
      worker.unref();
      rested.push(worker);
    },
    ref: () => worker.ref(),
    unref: () => worker.unref(),
  };
  return lent as TaskWorker;
}

function start(): TaskWorker {
  return new Worker(new URL("../../server/worker.ts", import.meta.url).href) as unknown as TaskWorker;
}
