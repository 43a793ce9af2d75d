import {
  checksAhead,
  endSkippedAt,
  forgetSkippedAfter,
  pullCheckBack,
} from "../../../store/records/check-ticks.ts";
import {
  cellsAhead,
  moveCountsBack,
  moveDeliveriesBack,
  moveHoursBack,
  moveIncidentsBack,
  moveNoticesBack,
  movePauseBack,
  moveRestsBack,
  moveResultsBack,
  pausesAhead,
} from "../../../store/records/clock-back.ts";
import { drawCell } from "../../../store/records/grid.ts";
import type { Deps } from "../../deps.ts";
import { commit } from "../../jobs/commit.ts";
import { toIso } from "../../platform/clock.ts";
import { countFires, lastFire, nextFire } from "../../run/language/fires.ts";
import { OUTAGE_MS } from "../alerts/tell.ts";
import { fireAfter } from "../checks/service.ts";

const AT_ONCE = 500;
/** Cells of one transaction. */
const CELLS_AT_ONCE = 100;

/** After the wall clock went back: whatever waits for the time it was ahead, or is judged by it, stands as of now. */
export async function putClockBack(deps: Deps): Promise<void> {
  await pullPausesBack(deps);
  await pullChecksBack(deps);
  await pullResultsBack(deps);
}

/** After the wall clock went back: a pause that was set in the time it was ahead lasts as long from now, unless it was over then. */
async function pullPausesBack(deps: Deps): Promise<void> {
  const now = deps.clock.now();
  for (let more = true; more; )
    await commit(deps, async (within) => {
      const ahead = await pausesAhead(within, now, AT_ONCE);
      for (const { until, isOver, ...pause } of ahead) {
        const paused_until = isOver ? null : now + until - pause.at;
        await movePauseBack(within, pause, {
          paused_at: isOver ? null : now,
          paused_until,
          next_run_at: pause.enabled === 1 ? fireAfter({ ...pause, paused_until }, now) : null,
        });
        deps.log.warn("a pause was set while the clock was ahead, and counts from now", {
          check: pause.id,
          until: paused_until === null ? null : toIso(paused_until),
        });
      }
      more = ahead.length === AT_ONCE;
    });
  await commit(deps, (within) => moveRestsBack(within, now));
}

/**
 * After the wall clock went back: checks that would wait for a fire of the time it was ahead wait for the next one from now. A fire
 * that was run then is not run again.
 */
async function pullChecksBack(deps: Deps): Promise<void> {
  const now = deps.clock.now();
  for (let after: string | null = null; ; ) {
    const ahead = await checksAhead(deps.store.records, { now, after, limit: AT_ONCE });
    await commit(deps, async (within) => {
      for (const check of ahead) {
        const next = nextFire(check, now);
        if (next !== null && next < check.next_run_at)
          await pullCheckBack(within, { id: check.id, from: check.next_run_at, next });
      }
    });
    if (ahead.length < AT_ONCE) break;
    after = ahead.at(-1)!.id;
  }
  await commit(deps, async (within) => {
    for (const span of await forgetSkippedAfter(within, now)) {
      const last_at = Math.max(span.first_at, lastFire(span, now) ?? span.first_at);
      await endSkippedAt(within, span, { last_at, ticks: countFires(span, span.first_at, last_at) });
    }
  });
}

/**
 * After the wall clock went back: results, incidents and what is told of them lie no later than now, so that the results to come are
 * the newest. A process that dies halfway does the rest when it starts again: cells come last, since they tell which are left.
 */
async function pullResultsBack(deps: Deps): Promise<void> {
  const now = deps.clock.now();
  while (await commit(deps, (within) => moveResultsBack(within, now)));
  await commit(deps, async (within) => {
    await moveCountsBack(within, now);
    await moveIncidentsBack(within, now);
    await moveNoticesBack(within, now, OUTAGE_MS);
    await moveDeliveriesBack(within, now);
    await moveHoursBack(within, now);
  });
  const cells = await cellsAhead(deps.store.records, now);
  for (let at = 0; at < cells.length; at += CELLS_AT_ONCE)
    await commit(deps, async (within) => {
      for (const cell of cells.slice(at, at + CELLS_AT_ONCE)) await drawCell(within, cell);
    });
}
