import type { Lease } from "./files.ts";

/** Who reads which file by its path, in this process. What is removed meanwhile goes when the last of them lets go. */
export interface Leases {
  take(key: string, path: string): Lease;
  has(key: string): boolean;
  /** @returns false when nobody has the key leased; else `remove` is called when nobody has it any more, unless it is wanted again */
  removeLater(key: string, remove: () => Promise<void>): boolean;
  /** It is named again: it stays. */
  want(key: string): void;
}

interface Held {
  count: number;
  remove: (() => Promise<void>) | null;
}

export function createLeases(): Leases {
  const held = new Map<string, Held>();

  function letGo(key: string): void {
    const one = held.get(key)!;
    one.count -= 1;
    if (one.count > 0) return;
    held.delete(key);
    // What stays behind here is found as a stray file.
    one.remove?.().catch(() => {});
  }

  return {
    take(key, path) {
      const one = held.get(key) ?? { count: 0, remove: null };
      held.set(key, one);
      one.count += 1;
      let isHeld = true;
      return {
        path,
        release() {
          if (!isHeld) return;
          isHeld = false;
          letGo(key);
        },
      };
    },
    has: (key) => held.has(key),
    removeLater(key, remove) {
      const one = held.get(key);
      if (!one) return false;
      one.remove = remove;
      return true;
    },
    want(key) {
      const one = held.get(key);
      if (one) one.remove = null;
    },
  };
}
