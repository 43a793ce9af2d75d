/** The job that looks whether a run that has ended is to be mended; payload `{ run_id }`. */
export const LOOK = "mender.look";
/** The job that takes an attempt one step further; payload `{ attempt_id }`. */
export const MEND = "mender.mend";
/** The same step with a model to ask, which may take minutes: attempts that need none go on beside it. Payload `{ attempt_id }`. */
export const ASK = "mender.ask";
