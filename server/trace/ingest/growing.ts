import { open } from "node:fs/promises";

const READ_BYTES = 1024 * 1024;
/** While others wait for its worker, it stays with a file that it has not waited for, in all, longer than this and so many times its work. */
const PATIENCE_MS = 1000;
const PATIENCE_PER_WORK = 3;
const WHOLE = 1;
const ABANDONED = 2;
const WANTED = 1;

/** The file is not whole, and will not be soon. */
export class NotWholeError extends Error {
  override name = "NotWholeError";
  readonly kind = "not_whole";
}

/** Tells a worker how far a file is written. */
export interface Growth {
  /** For `growingContent` in the worker. */
  shared: SharedArrayBuffer;
  /** So many bytes are written now. */
  written(end: number): void;
  /** Others wait for the worker: it is to leave a file that comes slowly. */
  wanted(): void;
  /** Nothing comes after what is written; or nothing more is wanted of it. */
  end(how: "whole" | "abandoned"): void;
}

export function createGrowth(): Growth {
  const shared = new SharedArrayBuffer(24);
  const { written, turns } = fieldsOf(shared);
  const tell = () => {
    Atomics.add(turns, 0, 1);
    Atomics.notify(turns, 0);
  };
  return {
    shared,
    written(end) {
      Atomics.store(written, 0, BigInt(end));
      tell();
    },
    wanted() {
      Atomics.store(turns, 2, WANTED);
      tell();
    },
    end(how) {
      Atomics.store(turns, 1, how === "whole" ? WHOLE : ABANDONED);
      tell();
    },
  };
}

/**
 * The content of a file that another thread still writes, until it is whole.
 * @throws NotWholeError when it is abandoned, or too slow while others wait
 */
export async function* growingContent(path: string, shared: SharedArrayBuffer): AsyncGenerator<Uint8Array> {
  const { written, turns } = fieldsOf(shared);
  const file = await open(path);
  const opened = performance.now();
  let at = 0;
  let waited = 0;
  try {
    for (;;) {
      const turn = Atomics.load(turns, 0);
      const state = Atomics.load(turns, 1);
      const end = Number(Atomics.load(written, 0));
      if (state === ABANDONED) throw new NotWholeError("Nobody wants the file any more.");
      if (at < end) {
        const chunk = new Uint8Array(Math.min(READ_BYTES, end - at));
        const { bytesRead } = await file.read(chunk, 0, chunk.length, at);
        if (bytesRead === 0) throw new NotWholeError("The file is shorter than what was told of it.");
        at += bytesRead;
        yield chunk.subarray(0, bytesRead);
      } else if (state === WHOLE) return;
      else {
        const began = performance.now();
        const patience = PATIENCE_MS + PATIENCE_PER_WORK * (began - opened - waited);
        const isWanted = Atomics.load(turns, 2) === WANTED;
        if (isWanted && waited >= patience) throw new NotWholeError("The file comes too slowly.");
        const most = isWanted ? patience - waited : Number.POSITIVE_INFINITY;
        await Atomics.waitAsync(turns, 0, turn, most).value;
        waited += performance.now() - began;
      }
    }
  } finally {
    await file.close();
  }
}

/** Bytes that are written; how often something was told, what becomes of the file, and whether others wait. */
function fieldsOf(shared: SharedArrayBuffer) {
  return { written: new BigInt64Array(shared, 0, 1), turns: new Int32Array(shared, 8, 3) };
}
