import { nextTickAt } from "../../../store/records/check-ticks.ts";
import type { Deps } from "../../deps.ts";
import { putClockBack } from "./clock-back.ts";
import { admitWaiting, endLostRuns } from "./places.ts";
import { runDueChecks } from "./tick.ts";

/** The wall clock is read so often at least: it may jump, and others change checks. */
const POLL_MS = 1000;
/** Clocks are put right by less all the time. */
const BACK_MS = 1000;
/** A clock that goes on by so much more than was waited has slept, or was set. */
const JUMP_MS = 5000;
const SWEEP_EVERY_MS = 30_000;

export interface Scheduler {
  /** Does what is due now: the runs of checks whose fire has come, and places for those that wait. */
  tick(): Promise<void>;
  /** Looks once, and then again and again. */
  start(): Promise<void>;
  /** Begins nothing more and waits for what goes on. */
  stop(): Promise<void>;
}

/**
 * Looks at the wall clock and never waits longer than a second, so that no timer outlives a sleep of the machine. It remembers nothing
 * that matters: where each check stands is in the records.
 */
export function createScheduler(deps: Deps): Scheduler {
  const { clock, log, metrics, watchState: state } = deps;
  const stopping = new AbortController();
  let loop: Promise<void> | null = null;
  /** As if the clock had gone back: what it was when a server last looked is not known. */
  let lastNow = Number.POSITIVE_INFINITY;
  let lastMonotonic = clock.monotonic();
  let sweptAt = Number.NEGATIVE_INFINITY;
  metrics.gauge("scheduler_lag_seconds", "How long the longest due check has waited.", async () => {
    const due = await nextTickAt(deps.store.records);
    return [{ value: due === null ? 0 : Math.max(0, clock.now() - due) / 1000 }];
  });

  async function tick() {
    const now = clock.now();
    noteJump(now);
    if (now < lastNow - BACK_MS) await putClockBack(deps);
    lastNow = now;
    await runDueChecks(deps, stopping.signal);
    await admitWaiting(deps);
    if (clock.monotonic() - sweptAt >= SWEEP_EVERY_MS) {
      sweptAt = clock.monotonic();
      await endLostRuns(deps);
    }
    state.tickedAt = clock.monotonic();
  }

  function noteJump(now: number) {
    const monotonic = clock.monotonic();
    const jump = now - lastNow - (monotonic - lastMonotonic);
    lastMonotonic = monotonic;
    if (Number.isFinite(jump) && Math.abs(jump) > JUMP_MS)
      log.warn("the wall clock jumped", { seconds: Math.round(jump / 1000) });
  }

  /** @returns how long to wait then, in ms */
  async function look(): Promise<number> {
    try {
      await tick();
      const due = await nextTickAt(deps.store.records);
      return due === null ? POLL_MS : Math.min(POLL_MS, Math.max(1, due - clock.now()));
    } catch (error) {
      log.error("the scheduler could not look for due checks", { error });
      return POLL_MS;
    }
  }

  async function lookOn(wait: number) {
    await clock.sleep(wait, stopping.signal);
    while (!stopping.signal.aborted) await clock.sleep(await look(), stopping.signal);
  }

  return {
    tick,
    async start() {
      loop = lookOn(await look());
    },
    async stop() {
      stopping.abort();
      await loop;
    },
  };
}
