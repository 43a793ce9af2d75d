/** Moves a trace to the next tier; payload `{ trace_id, to }`. */
export const MOVE_DOWN = "trace.move_down";
/** Brings a warm or cold trace back to hot; payload `{ trace_id }`. */
export const RESTORE = "trace.restore";
/** Makes the files on disk those that the records name; payload `{ trace_id, cold_pack? }`. */
export const TIDY = "trace.tidy";
/** Removes the files of traces that the records have forgotten; payload `{ traces: [{ id, cold_pack? }] }`. */
export const TIDY_REMOVED = "trace.tidy_removed";
/** Removes files that others have taken the place of, a while later; payload `{ trace_id, replaced: [names] }`. */
export const DROP_REPLACED = "trace.drop_replaced";
