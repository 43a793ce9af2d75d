import type { ApiClient } from "../../platform/api-client.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Frame, Journal } from "./journal.ts";
import { attemptKeyOf, type Told } from "./outcome.ts";
import { reasonOf } from "./send.ts";
import { beginRun, endRun, type KnownRun, RefusedError, tellResults } from "./tell.ts";

/** Tells the server of a run while it goes on. What it could not tell is in the journal. */
export interface Teller {
  readonly key: string;
  /** The server's run, once it has answered. */
  readonly run: KnownRun | null;
  /** Notes an attempt; the last word on one counts. */
  note(told: Told): void;
  /** Tells the rest and the end, at most until the signal. Null when all has arrived, else what is to be kept. */
  finish(end: Journal["end"], signal: AbortSignal): Promise<{ journal: Journal; reason: string } | null>;
}

/** How long attempts are gathered: a suite of many shards must not use up the server's patience. */
const GATHER_MS = 5000;
const BUSY_MS = 1000;

const isBusy = (error: unknown): boolean => error instanceof RefusedError && error.status === 429;

export function createTeller(options: {
  client: ApiClient;
  frame: Frame;
  key: string;
  clock: Clock;
}): Teller {
  const { client, frame, key, clock } = options;
  const all = new Map<string, Told>();
  const untold = new Set<string>();
  const over = new AbortController();
  let run: KnownRun | null = null;
  let failure: RefusedError | null = null;
  let telling: Promise<void> | null = null;

  /** Tells what is gathered. @throws RefusedError, or the network's error */
  async function tell(signal: AbortSignal): Promise<void> {
    run ??= await beginRun(client, { frame, key }, signal);
    const keys = [...untold];
    const told = keys.map((one) => all.get(one)!);
    const onTold = (batch: readonly Told[]) => {
      // One that was noted again meanwhile is told again.
      for (const one of batch) if (all.get(attemptKeyOf(one)) === one) untold.delete(attemptKeyOf(one));
    };
    await tellResults(client, run.id, told, { signal, onTold });
  }

  function tellSoon(): void {
    if (telling || failure) return;
    telling = (async () => {
      // The first at once, so that the run can be watched from its beginning.
      if (run) await clock.sleep(GATHER_MS, over.signal);
      if (over.signal.aborted) return;
      await tell(over.signal);
    })()
      .catch((error: unknown) => {
        // A server that is away or busy is asked again with the next attempt; one that says no is not.
        if (error instanceof RefusedError && (error.isFinal || error.status < 404)) failure = error;
        return clock.sleep(GATHER_MS, over.signal);
      })
      .finally(() => {
        telling = null;
        if (untold.size > 0 && !over.signal.aborted) tellSoon();
      });
  }

  return {
    key,
    get run() {
      return run;
    },
    note(told) {
      const attempt = attemptKeyOf(told);
      all.set(attempt, told);
      untold.add(attempt);
      tellSoon();
    },
    async finish(end, signal) {
      const journal = (): Journal => ({ version: 1, key, frame, results: [...all.values()], end });
      over.abort();
      await telling;
      for (;;) {
        try {
          if (failure) throw failure;
          await tell(signal);
          await endRun(client, run!.id, { frame, end }, signal);
          return null;
        } catch (error) {
          if (isBusy(error) && !signal.aborted) {
            await clock.sleep(BUSY_MS, signal);
            continue;
          }
          // A server from before there were test runs.
          if (run === null && error instanceof RefusedError && error.isFinal && error.status === 404)
            return null;
          return { journal: journal(), reason: reasonOf(error) };
        }
      }
    },
  };
}
