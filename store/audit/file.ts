import {
  closeSync,
  createReadStream,
  existsSync,
  fstatSync,
  fsyncSync,
  openSync,
  readSync,
  writeFileSync,
} from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { createInterface } from "node:readline";
import { fsyncFolder } from "../blobs/sync.ts";
import { type CheckpointSigner, readLine, type SignedCheckpoint } from "./checkpoint.ts";

const TAIL_BYTES = 64 * 1024;

/**
 * Appends checkpoints, one line each, and brings them to the disk. A line that a crash has cut before is ended first, so that
 * it spoils none of these.
 */
export async function appendCheckpoints(
  path: string,
  checkpoints: readonly SignedCheckpoint[],
): Promise<void> {
  if (checkpoints.length === 0) return;
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const isNew = !existsSync(path);
  const file = openSync(path, "a+", 0o600);
  try {
    const { size } = fstatSync(file);
    const last = Buffer.alloc(1);
    if (size > 0) readSync(file, last, 0, 1, size - 1);
    const start = size > 0 && last.toString() !== "\n" ? "\n" : "";
    // All of it, or an error: `writeSync` takes a part where the disk has no room.
    writeFileSync(file, start + checkpoints.map((one) => `${JSON.stringify(one)}\n`).join(""));
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  if (isNew) await fsyncFolder(dirname(path));
}

export interface ReadCheckpoints {
  /** Signed with this key, in the order of the file. */
  good: SignedCheckpoint[];
  /** Named as of this key, and not signed by it. */
  forged: number;
  /** Of another key, which cannot be checked. */
  foreign: number;
  /** Lines that are none: cut by a crash, or damaged. */
  unreadable: number;
}

/** All that the file says. Without a file, nothing. */
export async function readCheckpoints(path: string, signer: CheckpointSigner): Promise<ReadCheckpoints> {
  const read: ReadCheckpoints = { good: [], forged: 0, foreign: 0, unreadable: 0 };
  if (!existsSync(path)) return read;
  const lines = createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY });
  for await (const line of lines) {
    if (line === "") continue;
    const checkpoint = readLine(line);
    if (!checkpoint) read.unreadable += 1;
    else if (checkpoint.key !== signer.key) read.foreign += 1;
    else if (signer.isSigned(checkpoint)) read.good.push(checkpoint);
    else read.forged += 1;
  }
  return read;
}

/** The newest checkpoint of each org among the last lines of the file. */
export function latestCheckpoints(path: string, signer: CheckpointSigner): Map<string, SignedCheckpoint> {
  const latest = new Map<string, SignedCheckpoint>();
  if (!existsSync(path)) return latest;
  const file = openSync(path, "r");
  try {
    const { size } = fstatSync(file);
    const tail = Buffer.alloc(Math.min(size, TAIL_BYTES));
    readSync(file, tail, 0, tail.length, size - tail.length);
    for (const line of tail.toString().split("\n")) {
      const checkpoint = readLine(line);
      if (checkpoint && signer.isSigned(checkpoint)) latest.set(checkpoint.org_id, checkpoint);
    }
  } finally {
    closeSync(file);
  }
  return latest;
}
