import { mkdir, rm } from "node:fs/promises";
import { TaskError, type TaskPool } from "../../platform/tasks.ts";
import { createGrowth } from "./growing.ts";
import type { Unpacked, UnpackInput } from "./staged.ts";

/** Takes a bundle apart in a worker while the rest of it is still under way. */
export interface UnpackAlong {
  /** So many bytes of the file are written now. */
  written(end: number): void;
  /**
   * Nothing more comes: what came out of the whole file. Null when no worker was free for it, or it came too slowly while others waited for its
   * worker: then the folders are as empty as before.
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
  let finishing: Promise<Unpacked | null> | null = null;

  function start(): void {
    const task = tasks.run<Unpacked>(
      "ingest.unpack",
      { ...input, growth: growth.shared },
      { ifFree: true, onWanted: growth.wanted },
    );
    running = task;
    // Told by `finish`, but that no worker was free: one may be later.
    task.catch((error) => {
      if (isOf(error, "busy")) running = null;
    });
  }

  async function takeWhole(): Promise<Unpacked | null> {
    growth.end("whole");
    try {
      return await running;
    } catch (error) {
      if (isOf(error, "busy")) return null;
      if (!isOf(error, "not_whole")) throw error;
      for (const folder of [input.blobs, input.trace]) {
        await rm(folder, { recursive: true });
        await mkdir(folder, { mode: 0o700 });
      }
      return null;
    }
  }

  return {
    written(end) {
      growth.written(end);
      if (!running) start();
    },
    finish() {
      finishing ??= takeWhole();
      // Told to whoever awaits it, which may be later than the runtime likes.
      finishing.catch(() => {});
      return finishing;
    },
    async abandon() {
      growth.end("abandoned");
      await running?.catch(() => {});
      await finishing?.catch(() => {});
    },
  };
}

const isOf = (error: unknown, kind: string): boolean => error instanceof TaskError && error.kind === kind;
