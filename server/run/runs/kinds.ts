/** The job that carries a run out. */
export const EXECUTE = "run.execute";
/** The job that makes the three observations of a shadow diff and compares them. */
export const COMPARE = "shadow_diff.compare";
