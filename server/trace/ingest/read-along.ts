import type { ZipMember } from "../../../store/archives/zip-member.ts";
import type { Deps } from "../../deps.ts";
import type { TaskPool } from "../../platform/tasks.ts";
import type { ReadAhead } from "../read-ahead.ts";
import type { ReadAlongInput, ReadAlongOutput } from "./read-along-task.ts";

/** Bytes that are worth a task, and those of one task unless a member is larger: the last one is waited for. */
const LEAST_BYTES = 4 * 1024 * 1024;
const MOST_BYTES = 32 * 1024 * 1024;

/** Reads an archive in the workers while the rest of it is still under way. */
export interface ReadAlong {
  /** So many bytes of the file are written now. */
  written(end: number): void;
  /** Ends it: what was read until now. Nothing reads the file any more once it has resolved. */
  finish(): Promise<ReadAhead>;
}

/**
 * A piece at a time, each its own short task: an upload that takes an hour holds no worker meanwhile.
 * @param path of the file, which is written from its beginning on and never changed.
 */
export function createReadAlong(
  { tasks, ids }: { tasks: Pick<TaskPool, "run">; ids: Pick<Deps["ids"], "uuid"> },
  path: string,
): ReadAlong {
  const hashes = new Map<string, string>();
  const seed = ids.uuid().replaceAll("-", "");
  let texts: readonly ZipMember[] | null = [];
  let begun: Uint8Array | null = null;
  let running: Promise<void> | null = null;
  let isOver = false;
  let at = 0;
  let tried = 0;
  let written = 0;

  function start() {
    // A member that takes long to arrive is not looked for again and again.
    if (isOver || running || written - tried < Math.max(LEAST_BYTES, tried - at)) return;
    tried = Math.min(written, at + Math.max(MOST_BYTES, 2 * (tried - at)));
    running = readPiece({ path, at, end: tried, texts, seed }).then(() => {
      running = null;
      start();
    });
  }

  async function readPiece(input: ReadAlongInput): Promise<void> {
    try {
      const piece = await tasks.run<ReadAlongOutput>("ingest.read_along", input);
      for (const [place, hash] of piece.hashes) hashes.set(place, hash);
      texts = piece.texts;
      begun ??= piece.begun;
      if (piece.next === null) isOver = true;
      else at = piece.next;
    } catch {
      // Nothing depends on it: what is wrong with the file or the disk is told by who reads all of it.
      isOver = true;
    }
  }

  return {
    written(end) {
      written = end;
      start();
    },
    async finish() {
      isOver = true;
      await running;
      return { hashes, begun };
    },
  };
}
