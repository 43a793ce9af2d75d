import type { Deps } from "../../deps.ts";
import { keepingLease } from "../../jobs/lease.ts";
import type { JobContext, JobHandlers } from "../../jobs/types.ts";
import { DEATHS } from "../deaths.ts";
import { PROCESS, RECOMPRESS } from "../kinds.ts";
import { storeSmaller } from "./recompress.ts";
import { giveUp, postProcess } from "./service.ts";

/** The jobs that follow an upload or a capture. */
export function processHandlers(deps: Deps): JobHandlers {
  let turn: Promise<unknown> = Promise.resolve();

  /** Those that the process has died at take turns: when it dies again, it is known of which. */
  async function inTurn(context: JobContext, work: () => Promise<void>): Promise<void> {
    const before = turn;
    const { promise, resolve } = Promise.withResolvers<void>();
    turn = promise;
    try {
      await keepingLease(deps, context, () => before);
      context.signal.throwIfAborted();
      await work();
    } finally {
      resolve();
    }
  }

  async function process(traceId: string, context: JobContext): Promise<void> {
    const { deaths, isLastAttempt } = context;
    const withoutCause = deaths >= DEATHS.withoutCause || isLastAttempt;
    const work = async () => {
      await context.begin();
      await postProcess(deps, traceId, { ...context, withoutCause });
    };
    if (deaths === 0) return work();
    if (deaths < DEATHS.most) return inTurn(context, work);
    const reason = `the server's process died ${deaths} times while it worked on this trace.`;
    deps.log.error("a trace that the process dies of is given up", { trace_id: traceId, deaths });
    await giveUp(deps, traceId, reason);
  }

  return [
    {
      kind: PROCESS,
      handle: (payload, context) => process(traceIdOf(payload), context),
      onDead: (payload, error) => giveUp(deps, traceIdOf(payload), error),
    },
    {
      kind: RECOMPRESS,
      // Minutes of work that nobody waits for: one at a time, so that it never holds up the others.
      atMost: 1,
      handle: (payload, context) => storeSmaller(deps, traceIdOf(payload), context),
    },
  ];
}

function traceIdOf(payload: Record<string, unknown>): string {
  if (typeof payload.trace_id !== "string") throw new Error("The job's payload has no trace_id.");
  return payload.trace_id;
}
