/** The job that gives a queued trace its final status; payload `{ trace_id }`. */
export const PROCESS = "trace.process";
/** The job that stores a finished trace's events smaller; payload `{ trace_id }`. */
export const RECOMPRESS = "trace.recompress";

/** The job that looks for the cause of a failed trace anew; payload `{ trace_id }`. */
export const FIND_CAUSE = "trace.cause";

/** The job that does what follows the end of a run; payload `{ run_id }`. */
export const RUN_ENDED = "run.ended";

/** The job that does what follows the end of a replay; payload `{ replay_id }`. */
export const REPLAY_ENDED = "replay.ended";

/** A summary that came with the recording: read for what only its maker knows, then replaced by the server's own. */
export const UPLOADED_SUMMARY = { kind: "uploaded_summary", name: "summary.uploaded.json" } as const;
/** Bytes of one that is read: it is taken into memory whole, where small text becomes many objects. */
export const MOST_UPLOADED_SUMMARY = 16 * 1024 * 1024;
