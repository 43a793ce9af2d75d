/** A step that did not come to pass: the run fails, and this says why. Values of expectations are as they were found. */
export class StepFailure extends Error {
  override name = "StepFailure";
  readonly expected: string | undefined;
  readonly received: string | undefined;
  /** What was tried meanwhile, in order. */
  readonly log: readonly string[];

  constructor(
    message: string,
    details: { expected?: string; received?: string; log?: readonly string[]; cause?: unknown } = {},
  ) {
    super(message, { cause: details.cause });
    this.expected = details.expected;
    this.received = details.received;
    this.log = details.log ?? [];
  }
}

/** There is no element that a step means. */
export class ElementMissing extends StepFailure {
  override name = "ElementMissing";
}

/** Something of ours went wrong (the browser crashed, the recording could not be kept): the run is an `error`, never `failed`. */
export class RunnerError extends Error {
  override name = "RunnerError";
  /** For the run's record: `browser_crashed`, `recording_lost`, `runner_lost`, … */
  readonly reason: string;

  constructor(reason: string, message: string, cause?: unknown) {
    super(message, { cause });
    this.reason = reason;
  }
}
