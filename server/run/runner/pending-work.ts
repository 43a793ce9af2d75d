/** What is still to be done when the steps are over. */
export interface PendingWork {
  add(works: readonly Promise<void>[]): void;
  /** Waits for all that there are now. @throws what the first of them threw */
  settled(): Promise<void>;
}

export function createPendingWork(): PendingWork {
  const all: Promise<void>[] = [];
  return {
    add(works) {
      // Told by `settled`, which comes later than some of them fail.
      for (const work of works) work.catch(() => {});
      all.push(...works);
    },
    async settled() {
      const known = [...all];
      await Promise.allSettled(known);
      await Promise.all(known);
    },
  };
}
