const MOST_SHARED = 16;

/** Short reads of what is new in an event file, the last few of them: readers at the same place share one. */
export interface SharedReads {
  /** @param key names the file and the place. A read that failed is not shared. */
  get(key: string, read: () => Promise<string[] | null>): Promise<string[] | null>;
}

export function createSharedReads(): SharedReads {
  const reads = new Map<string, Promise<string[] | null>>();
  return {
    get(key, read) {
      const known = reads.get(key);
      if (known) return known;
      const reading = read();
      reads.set(key, reading);
      reading.catch(() => reads.delete(key));
      for (const oldest of reads.keys()) {
        if (reads.size <= MOST_SHARED) break;
        reads.delete(oldest);
      }
      return reading;
    },
  };
}
