import { DamagedFileError } from "../../../store/events/errors.ts";
import { BlobDamagedError } from "../../../store/files/files.ts";
import { findTrace, type TraceRow } from "../../../store/records/traces.ts";
import type { Deps } from "../../deps.ts";
import { AppError, notFound } from "../../http/errors.ts";
import { damaged } from "./bytes.ts";

/**
 * Reads files of a trace. Where one is not where the records said, the trace may have moved to another tier since they
 * were asked: it is looked up and read once more. Every read of a trace's files goes through here.
 * @param read begins with looking up where the files lie, and has opened what it streams when it resolves
 * @throws AppError as `read` does; `not_hot` for a trace that is cold by now, `not_found` for one that was removed,
 * `unavailable` when a file is damaged or gone
 */
export async function whereItLies<Result>(
  deps: Pick<Deps, "store">,
  trace: TraceRow,
  read: (trace: TraceRow, isAgain: boolean) => Promise<Result>,
): Promise<Result> {
  try {
    return await read(trace, false);
  } catch (error) {
    if (!isLost(error)) throw error;
  }
  const now = await findTrace(deps.store.records, trace.id);
  if (!now) throw notFound("This trace");
  try {
    return await read(now, true);
  } catch (error) {
    throw isLost(error) && !(error instanceof AppError) ? damaged(deps, error as Error) : error;
  }
}

/** Whether a file was not where it was looked for, or not whole. */
export const isLost = (error: unknown): boolean =>
  error instanceof DamagedFileError ||
  error instanceof BlobDamagedError ||
  (error instanceof AppError && error.kind === "unavailable" && error.cause !== undefined) ||
  (error instanceof Error && "code" in error && error.code === "ENOENT");
