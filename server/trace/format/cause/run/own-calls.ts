import { pathOf } from "../words.ts";
import type { Exchange, Step } from "./run-facts.ts";

/** How a test asks a server without a page: `request.fetch`, `apiRequestContext.post`. */
const CALL = /^(?:api)?request(?:Context)?\.(?:fetch|get|post|put|patch|delete|head)$/i;
/** Calls of a run that are looked at, the last ones: a suite's set-up has hundreds. */
const MOST = 200;

/** What a test asked for by itself was answered by when its call was done: recorders note the end of the answer later. */
export function answeredByCalls(exchanges: readonly Exchange[], steps: readonly Step[]): Exchange[] {
  const calls = steps.filter(({ name, isFailed }) => !isFailed && CALL.test(name)).slice(-MOST);
  return exchanges.map((one) => {
    if (one.type !== "api" || one.status === null || one.end === null) return one;
    const path = pathOf(one.url);
    const call = calls.find(
      ({ title, ts, end }) => ts <= one.ts && one.ts <= end && end < one.end! && title.includes(path),
    );
    return call ? { ...one, end: call.end } : one;
  });
}
