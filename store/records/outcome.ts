import type { Records } from "./db.ts";
import { engineOf } from "./engine/engine-of.ts";

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
    if (!engineOf(records).isCommitUncertain(error) || !(await isIn())) throw error;
  }
}
