/** Lets so many at once go on for each key; more wait, first come, first served. */
export interface Semaphore {
  /** @throws the error for whoever was ended while waiting, or what the work throws */
  run<Result>(key: string, signal: AbortSignal, work: () => Promise<Result>): Promise<Result>;
}

/** @param ended what is thrown when a signal aborts before there is room */
export function createSemaphore(atOnce: number, ended: () => Error): Semaphore {
  const keys = new Map<string, { busy: number; waiting: (() => void)[] }>();

  return {
    async run(key, signal, work) {
      const own = keys.get(key) ?? { busy: 0, waiting: [] };
      keys.set(key, own);
      while (own.busy >= atOnce && !signal.aborted)
        await new Promise<void>((resolve) => {
          own.waiting.push(resolve);
          signal.addEventListener("abort", () => resolve(), { once: true });
        });
      if (signal.aborted) throw ended();
      own.busy += 1;
      try {
        return await work();
      } finally {
        own.busy -= 1;
        // Whoever was ended meanwhile takes no room, so all look again.
        for (const wake of own.waiting.splice(0)) wake();
      }
    },
  };
}
