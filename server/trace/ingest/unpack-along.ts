import { mkdir, rm } from "node:fs/promises";
import { TaskError, type TaskPool } from "../../platform/tasks.ts";
import { createGrowth } from "./growing.ts";
import type { Unpacked, UnpackInput } from "./staged.ts";

/** Takes a bundle apart in a worker while the rest of it is still under way. */
export interface UnpackAlong {
  /** So many bytes of the file are written now. */
  written(end: number): void;
  /**
   * What came out of the whole file. Null when it was not begun, or came too slowly to hold a worker for it: then the folders
   * are as empty as before.
   * @throws TaskError as the task does
   */
  finish(): Promise<Unpacked | null>;
  /** Nothing is at work in the folders any more once it has resolved. */
  abandon(): Promise<void>;
}

/** @param input its file is written from its beginning on and never changed */
export function createUnpackAlong(tasks: Pick<TaskPool, "run">, input: UnpackInput): UnpackAlong {
  const growth = createGrowth();
  let running: Promise<Unpacked> | null = null;

  function start() {
    const promise = tasks.run<Unpacked>("ingest.unpack", { ...input, growth: growth.shared });
    // Told by `finish`.
    promise.catch(() => {});
    return promise;
  }

  return {
    written(end) {
      growth.written(end);
      running ??= start();
    },
    async finish() {
      growth.end("whole");
      try {
        return await running;
      } catch (error) {
        if (!(error instanceof TaskError) || error.kind !== "not_whole") throw error;
        for (const folder of [input.blobs, input.trace]) {
          await rm(folder, { recursive: true });
          await mkdir(folder, { mode: 0o700 });
        }
        return null;
      }
    },
    async abandon() {
      growth.end("abandoned");
      await running?.catch(() => {});
    },
  };
}
