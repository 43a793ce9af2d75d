/** What goes on while the browser is already closed, until the recording is whole. */
export interface Leftovers {
  add(works: readonly Promise<void>[]): void;
  /** @throws what the first of them threw */
  settled(): Promise<unknown>;
}

export function createLeftovers(): Leftovers {
  const all: Promise<void>[] = [];
  return {
    add(works) {
      // Told by `settled`, which comes later than some of them fail.
      for (const work of works) work.catch(() => {});
      all.push(...works);
    },
    settled: () => Promise.all(all),
  };
}
