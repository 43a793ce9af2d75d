import type { CloneChange, CloneState, Json } from "./types.ts";

/** So many entries at most: a run that makes more is out of hand, and its recording would be too. */
export const MOST_ENTRIES = 5000;

/** What a clone knows, and who wants to hear of its changes. */
export interface Entries {
  get(key: string): Json | undefined;
  /** False when there is no room for one more. */
  set(key: string, value: Json): boolean;
  remove(key: string): void;
  /** Values whose key begins with this, in the order in which they were made. */
  under(prefix: string): Json[];
  state(): CloneState;
  restore(state: CloneState): void;
  onChange(listener: (change: CloneChange) => void): void;
}

export function createEntries(): Entries {
  const entries = new Map<string, Json>();
  const listeners: ((change: CloneChange) => void)[] = [];

  function tell(key: string, before: Json | undefined, after: Json | undefined): void {
    const change = { key, before: before ?? null, after: after ?? null };
    for (const listener of listeners) listener(structuredClone(change));
  }

  function set(key: string, value: Json): boolean {
    const before = entries.get(key);
    if (before === undefined && entries.size >= MOST_ENTRIES) return false;
    if (before !== undefined && Bun.deepEquals(before, value)) return true;
    entries.set(key, structuredClone(value));
    tell(key, before, value);
    return true;
  }

  function remove(key: string): void {
    const before = entries.get(key);
    if (before === undefined) return;
    entries.delete(key);
    tell(key, before, undefined);
  }

  return {
    get: (key) => structuredClone(entries.get(key)),
    set,
    remove,
    under: (prefix) =>
      [...entries].flatMap(([key, value]) => (key.startsWith(prefix) ? [structuredClone(value)] : [])),
    state: () => structuredClone(Object.fromEntries(entries)),
    restore(state) {
      for (const key of [...entries.keys()]) if (!Object.hasOwn(state, key)) remove(key);
      for (const [key, value] of Object.entries(state)) set(key, value);
    },
    onChange: (listener) => void listeners.push(listener),
  };
}
