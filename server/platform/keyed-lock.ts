/** Runs work of one key after the other, of different keys side by side. */
export type KeyedLock = <T>(key: string, work: () => Promise<T>) => Promise<T>;

export function createKeyedLock(): KeyedLock {
  const tails = new Map<string, Promise<void>>();
  return async (key, work) => {
    const before = tails.get(key);
    const { promise, resolve } = Promise.withResolvers<void>();
    tails.set(key, promise);
    await before;
    try {
      return await work();
    } finally {
      resolve();
      if (tails.get(key) === promise) tails.delete(key);
    }
  };
}
