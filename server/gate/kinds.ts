/** The job that finds out what a gate is about and queues its runs; payload `{ gate_id }`. */
export const PLAN = "gate.plan";
/** The job that looks whether there is an address to run against; payload `{ gate_id, turn }`. */
export const LOOK = "gate.look";
/** The job that ends the runs of a gate that no longer counts; payload `{ gate_id }`. */
export const DROP_RUNS = "gate.drop_runs";
/** The job that judges a run of a gate that has ended; payload `{ run_id }`. */
export const JUDGE = "gate.judge";
/** The job that brings check run and comment at the code host to what the records say; payload `{ gate_id }`. */
export const TELL = "gate.tell";

export const GATE_KINDS: readonly string[] = [PLAN, LOOK, DROP_RUNS, JUDGE, TELL];
