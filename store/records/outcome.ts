import type { Db, Records } from "./db.ts";
import { engineOf } from "./engine/engine-of.ts";
import type { RecordsFault } from "./errors.ts";

/**
 * Waits for a transaction of these records, whose commit may fail on the disk: then it may be in all the same, and the records, on a fresh
 * connection by now, say whether it is. What they cannot say is not known, and no file may be taken back for it.
 * @param isIn whether the transaction's own rows are there
 * @throws what the transaction threw when it is not in, or when nobody can tell
 */
export async function orCommitted(
  records: Records,
  work: Promise<void>,
  isIn: () => Promise<boolean>,
): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (faultOf(records, error) !== "disk" || !(await isIn())) throw error;
  }
}

/** Whether a statement was refused since its rows would contradict others: two of what there is one of, or none of what is named. */
export function isContradiction(records: Records, error: unknown): error is Error {
  return ["unique", "constraint"].includes(faultOf(records, error) ?? "");
}

/** Whether there is one already of what there may be one of. */
export function isTaken(records: Db, error: unknown): boolean {
  return faultOf(records, error) === "unique";
}

const NO_WRITES: readonly (RecordsFault | null)[] = ["full", "disk", "busy", "read_only", "cannot_open"];

/**
 * Writes what a read can do without.
 * @returns false when the records take no write at the moment
 * @throws what else goes wrong
 */
export async function whereWritable(records: Db, work: () => Promise<void>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    if (NO_WRITES.includes(faultOf(records, error))) return false;
    throw error;
  }
}

function faultOf(records: Db, error: unknown): RecordsFault | null {
  const code = error instanceof Error && "code" in error ? error.code : null;
  return typeof code === "string" ? engineOf(records).faultOf(code) : null;
}
