import {
  checksAhead,
  endSkippedAt,
  forgetSkippedAfter,
  pullCheckBack,
} from "../../../store/records/check-ticks.ts";
import type { Deps } from "../../deps.ts";
import { commit } from "../../jobs/commit.ts";
import { countFires, lastFire, nextFire } from "../../run/language/fires.ts";

const AT_ONCE = 500;

/**
 * After the wall clock went back: checks that would wait for a fire of the time it was ahead wait for the next one from now. A fire
 * that was run then is not run again.
 */
export async function pullChecksBack(deps: Deps): Promise<void> {
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
