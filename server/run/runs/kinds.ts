/** The job that carries a run out. */
export const EXECUTE = "run.execute";
