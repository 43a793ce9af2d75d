/** Whether something holds, as far as what was recorded tells. */
export const NO = 0;
/** Nothing that was recorded tells. */
export const MAYBE = 1;
export const YES = 2;
export type Certainty = typeof NO | typeof MAYBE | typeof YES;

export const not = (one: Certainty): Certainty => (YES - one) as Certainty;
export const both = (one: Certainty, other: Certainty): Certainty => (one < other ? one : other);
export const either = (one: Certainty, other: Certainty): Certainty => (one > other ? one : other);
