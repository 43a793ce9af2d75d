/** What is known of a failure without its events. */
export interface KnownFailure {
  failure_signature: string | null;
  failure_message: string | null;
  failed_step_id?: string | null;
}

/** What was found instead changes with every text of the page; what was asked for does not. */
const FOUND = /, but found\b[\s\S]*$/;

const askedFor = ({ failure_message }: KnownFailure): string | null =>
  failure_message === null ? null : failure_message.replace(FOUND, "");

/**
 * Whether two failures of a scenario are the same: by their signature, or the same step lacks the same thing. Where one of them tells
 * no step, the step counts for nothing.
 */
export function isSameFailure(one: KnownFailure, other: KnownFailure): boolean {
  if (one.failure_signature !== null && one.failure_signature === other.failure_signature) return true;
  const [step, otherStep] = [one.failed_step_id ?? null, other.failed_step_id ?? null];
  if (step !== null && otherStep !== null && step !== otherStep) return false;
  const asked = askedFor(one);
  return asked !== null && asked !== "" && asked === askedFor(other);
}
