import { contextOf } from "../format/cause/context.ts";
import { findCause, NO_CAUSE } from "../format/cause/find-cause.ts";
import { sharedCause } from "../format/cause/shared.ts";
import type { FoundCause } from "../format/cause/types.ts";
import { readEvidence } from "./evidence.ts";
import type { CauseInput } from "./source.ts";

/** What was found, and how many bodies that would tell more could not be read. */
export type CauseAndLoss = FoundCause & { unread: number };

/** The task `trace.cause`: why a run failed, from what it and the passes before it recorded. */
export async function causeTask(
  input: CauseInput,
  progress: (progress: unknown) => void,
): Promise<CauseAndLoss> {
  const read = await readEvidence(input, progress);
  if (!read) return { cause: NO_CAUSE, shared: NO_CAUSE, context: null, unread: 0 };
  const { evidence, unread } = read;
  const cause = findCause(evidence);
  return { cause, shared: sharedCause(cause, evidence), context: contextOf(evidence), unread };
}
