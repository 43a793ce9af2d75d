import { checksAhead, forgetSkippedAfter, pullCheckBack } from "../../../store/records/check-ticks.ts";
import type { Deps } from "../../deps.ts";
import { commit } from "../../jobs/commit.ts";
import { nextFire } from "../../run/language/fires.ts";

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
  await commit(deps, (within) => forgetSkippedAfter(within, now));
}
