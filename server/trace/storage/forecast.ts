const DAY_MS = 24 * 60 * 60_000;
/** Days before today whose mean is taken for the days to come. */
export const BASIS_DAYS = 7;

/** Free space below which the disk counts as short: a twentieth of it, at least 2 GB and at most 50 GB. */
export function shortBelow(size: number): number {
  return Math.min(50e9, Math.max(2e9, size / 20));
}
/** Below this there is not enough to take an upload in. */
export const CRITICAL_BELOW = 512 * 2 ** 20;
/** A disk that is full so soon is short, however much is free. */
const SHORT_DAYS = 7;

export interface Forecast {
  state: "ok" | "short" | "critical";
  /** Bytes that came per day; null before there was a whole day. */
  bytesPerDay: number | null;
  /** Whole days that it is the mean of. */
  basisDays: number;
  /** Days until nothing is free at that pace; null when it never is, or nobody can tell. */
  fullInDays: number | null;
}

/**
 * What the disk has left.
 * @param bytesOn bytes kept of what came on a day (whole days since 1970)
 * @param oldestAt epoch ms of the first trace
 */
export function forecast(
  disk: { free: number; size: number },
  now: number,
  bytesOn: (day: number) => number,
  oldestAt: number | null,
): Forecast {
  const today = Math.floor(now / DAY_MS);
  const first = oldestAt === null ? today : Math.floor(oldestAt / DAY_MS);
  const basisDays = Math.min(BASIS_DAYS, Math.max(0, today - first));
  let bytes = 0;
  for (let day = today - basisDays; day < today; day++) bytes += bytesOn(day);
  const bytesPerDay = basisDays === 0 ? null : Math.round(bytes / basisDays);
  const fullInDays = bytesPerDay ? Math.floor(disk.free / bytesPerDay) : null;
  const isShort = disk.free < shortBelow(disk.size) || (fullInDays !== null && fullInDays < SHORT_DAYS);
  const state = disk.free < CRITICAL_BELOW ? "critical" : isShort ? "short" : "ok";
  return { state, bytesPerDay, basisDays, fullInDays };
}
