import type { Exchange } from "../run/run-facts.ts";
import { GESTURES_AND_OPENINGS } from "../run/select.ts";
import type { RunEvidence } from "../types.ts";
import { isTracker } from "../words.ts";
import { isWrite } from "./sent.ts";

/** What follows an action, or a write, is asked for at once. */
export const AT_ONCE_MS = 1_000;

/** Whether an action or a write of the page may have led to a request. An action that waits in vain prompts nothing. */
export const isPrompted = (run: RunEvidence, { ts }: Exchange, by: RegExp = GESTURES_AND_OPENINGS): boolean =>
  run.facts.steps.some(
    ({ name, isFailed, ts: from, end }) => !isFailed && from <= ts && end > ts - AT_ONCE_MS && by.test(name),
  ) ||
  run.facts.exchanges.some(
    (one) =>
      one.ts <= ts &&
      (one.end ?? one.ts) > ts - AT_ONCE_MS &&
      one.type !== "api" &&
      !isTracker(one.url) &&
      isWrite(one, run),
  );
