/** The job that carries a replay out. */
export const REPLAY = "replay.execute";
