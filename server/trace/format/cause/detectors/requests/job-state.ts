/** Of the one thing that was asked for: each item of a list has its own. */
const STATE = /^(?:(?!\d+\.)\w+\.){0,2}(?:state|status|phase|stage)$/i;

/** Whether a value of an answer, by its place, says how far the one thing is that was asked for. */
export const isState = (path: string): boolean => STATE.test(path);

/** Whether a value of an answer, by its place, is of one item of a list. */
export const isOfItem = (path: string): boolean => /(?:^|\.)\d+(?:\.|$)/.test(path);

/** Of values with their places the one that says how far the thing is, else the first: what else stands still follows from it. */
export const mostTelling = (values: readonly [string, unknown][]): [string, unknown] | undefined =>
  values.find(([path]) => isState(path)) ?? values[0];
