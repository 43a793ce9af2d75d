import { attemptTelling } from "../format/cause/attempt.ts";
import { contextOf } from "../format/cause/context.ts";
import { findCause, NO_CAUSE } from "../format/cause/find-cause.ts";
import { causeOfSummary } from "../format/cause/from-summary.ts";
import { sharedCause } from "../format/cause/shared.ts";
import type { FoundCause } from "../format/cause/types.ts";
import { evidenceOf, type KnownRun, type ReadEvidence, readEvidence } from "./evidence.ts";
import type { CauseInput, Comparison } from "./source.ts";

export interface CauseAndLoss extends FoundCause {
  /** How many bodies that would tell more could not be read. */
  unread: number;
  /** Where parts of the engine threw, each once. */
  faults: string[];
}

const MOST_FAULTS = 5;
/** Of an error's stack. */
const MOST_FRAMES = 3;

/** The task `trace.cause`: why a run failed, from what it and the passes before it recorded. */
export async function causeTask(
  input: CauseInput,
  progress: (progress: unknown) => void,
): Promise<CauseAndLoss> {
  const read = await readEvidence(input, progress);
  return read ? causeIn(read) : { cause: NO_CAUSE, shared: NO_CAUSE, context: null, unread: 0, faults: [] };
}

/**
 * Why a run failed whose files are being made. An error on the way holds them up as little as one in a part of the engine: then it is
 * what the summary tells.
 */
export async function causeOfKnown(
  comparison: Promise<Comparison>,
  run: KnownRun,
  progress: (progress: unknown) => void,
): Promise<CauseAndLoss> {
  try {
    return causeIn(await evidenceOf(await comparison, run, progress));
  } catch (error) {
    const cause = causeOfSummary({ ...run.summary, steps: [] });
    return { cause, shared: cause, context: null, unread: 0, faults: [placeOf(error)] };
  }
}

function causeIn({ evidence, unread }: ReadEvidence): CauseAndLoss {
  const faults = new Set<string>();
  const attempt = attemptTelling((error) => {
    if (faults.size < MOST_FAULTS) faults.add(placeOf(error));
  });
  const cause = findCause(evidence, attempt);
  return {
    cause,
    shared: sharedCause(cause, evidence, attempt),
    context: contextOf(evidence),
    unread,
    faults: [...faults],
  };
}

/** Without the error's message, which may quote what was recorded: this goes to the log. */
function placeOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const frames = error.stack?.match(/^ +at .+$/gm) ?? [];
  return [error.name, ...frames.slice(0, MOST_FRAMES).map((frame) => frame.trim())].join(" ");
}
