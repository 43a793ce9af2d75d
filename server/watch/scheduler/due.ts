import type { DueCheck } from "../../../store/records/check-ticks.ts";
import { countFires, lastFire, nextFire, type Schedule } from "../../run/language/fires.ts";

/** From when on a fire that is run late is one that was caught up. */
const LATE_MS = 30_000;

/** Fires that follow each other: the first, the last and how many (epoch ms). */
export interface Fires {
  first: number;
  last: number;
  ticks: number;
}

/** What has come of a check's schedule since it was last looked at. */
export interface DueFires {
  /** The fire that is run: the newest one. */
  tick: number;
  isCatchUp: boolean;
  /** The next one. */
  next: number;
  /** Fires before `tick` that nobody ran; null when there is none. */
  missed: Fires | null;
}

/**
 * After sleep or downtime one fire is run, the newest; those before are left out.
 * @returns null for a schedule that never comes again
 */
export function dueFires(
  check: Pick<DueCheck, "cron" | "timezone" | "next_run_at">,
  now: number,
): DueFires | null {
  const first = check.next_run_at!;
  const tick = Math.max(first, lastFire(check, now) ?? first);
  const next = nextFire(check, Math.max(tick, now));
  if (next === null) return null;
  const isCatchUp = tick > first || now - tick > LATE_MS;
  if (tick === first) return { tick, isCatchUp, next, missed: null };
  const last = lastFire(check, tick - 1) ?? first;
  return { tick, isCatchUp, next, missed: { first, last, ticks: countFires(check, first, last) } };
}

export const only = (fire: number): Fires => ({ first: fire, last: fire, ticks: 1 });

/** Fires without some of them, which are in their order. */
export function firesBetween(
  schedule: Schedule,
  { first, last, ticks }: Fires,
  some: readonly number[],
): Fires[] {
  if (some.length === 0) return [{ first, last, ticks }];
  const left: Fires[] = [];
  let from: number | null = first;
  for (const end of [...some, last + 1]) {
    const until = lastFire(schedule, end - 1);
    if (from !== null && until !== null && from <= until)
      left.push({ first: from, last: until, ticks: countFires(schedule, from, until) });
    from = nextFire(schedule, end);
  }
  return left;
}
