/** The job that gives a queued trace its final status; payload `{ trace_id }`. */
export const PROCESS = "trace.process";
/** The job that stores a finished trace's events smaller; payload `{ trace_id }`. */
export const RECOMPRESS = "trace.recompress";
