/** What this wing holds in memory. */
export interface WatchState {
  /** When the scheduler last looked, on the monotonic clock; null before it did so for the first time. */
  tickedAt: number | null;
}

export const createWatchState = (): WatchState => ({ tickedAt: null });
