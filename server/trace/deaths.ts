/**
 * How often the process may die at work on a trace. Whoever ends a server from outside means no trace by it, and a server that is
 * started anew may meet that several times; a trace whose events end it does so every time.
 */
export const DEATHS = {
  /** From then on its cause is told by its summary, without its events. */
  withoutCause: 3,
  /** Then it is given up. */
  most: 10,
} as const;
