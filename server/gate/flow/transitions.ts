import type { GateStatus } from "../../../store/records/gate-schema.ts";

/**
 * What may follow what:
 *
 * - `queued`: what it is about is being found out
 * - `waiting`: it is known, and there is no address yet to run against
 * - `running`: its runs are queued or under way
 * - `passed`, `failed`, `error`: the verdict; `error` is a fault of ours
 * - `superseded`: a newer commit, or the same one again, took its place
 * - `cancelled`: the pull request was closed or became a draft, or the merge group is gone
 *
 * What people decide is no status: it stands beside the verdict and outweighs it.
 */
export const TRANSITIONS: Record<GateStatus, readonly GateStatus[]> = {
  queued: ["waiting", "running", "passed", "failed", "error", "superseded", "cancelled"],
  waiting: ["running", "failed", "error", "superseded", "cancelled"],
  running: ["passed", "failed", "error", "superseded", "cancelled"],
  passed: [],
  failed: [],
  error: [],
  superseded: [],
  cancelled: [],
};

const ALL = Object.keys(TRANSITIONS) as GateStatus[];

/** The statuses that a gate may have before it gets this one. */
export const sourcesOf = (to: GateStatus): GateStatus[] =>
  ALL.filter((from) => TRANSITIONS[from].includes(to));

/** Whether nothing follows a status. */
export const isEnded = (status: GateStatus): boolean => TRANSITIONS[status].length === 0;
