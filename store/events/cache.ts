/** A least-recently-used cache bounded by the bytes of what it holds. */
export interface ByteCache {
  get<Value>(key: string): Value | undefined;
  has(key: string): boolean;
  set(key: string, value: unknown, bytes: number): void;
  readonly bytes: number;
}

export function createByteCache(maxBytes: number): ByteCache {
  const held = new Map<string, { value: unknown; bytes: number }>();
  let total = 0;
  return {
    get bytes() {
      return total;
    },
    has: (key) => held.has(key),
    get<Value>(key: string) {
      const entry = held.get(key);
      if (!entry) return undefined;
      // Insertion order is the order of use.
      held.delete(key);
      held.set(key, entry);
      return entry.value as Value;
    },
    set(key, value, bytes) {
      total += bytes - (held.get(key)?.bytes ?? 0);
      held.delete(key);
      held.set(key, { value, bytes });
      for (const [oldest, entry] of held) {
        if (total <= maxBytes) break;
        held.delete(oldest);
        total -= entry.bytes;
      }
    },
  };
}
