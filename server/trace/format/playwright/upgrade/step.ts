import type { Raw } from "../shape.ts";

/** What the upgrade of one trace file remembers from line to line. */
export interface UpgradeState {
  /** Of the file; set by its context-options line. */
  version: number | null;
  options: Raw | null;
  /** Text of JS handles by guid, for console arguments (until version 4). */
  handles: Map<string, Raw>;
  /** Console messages by guid (until version 4). */
  consoleMessages: Map<string, Raw>;
  /** Phase of a snapshot by its name (until version 8). */
  snapshotPhases: Map<string, string>;
}

/** One step from a format version to the next: a line becomes none, one or several. */
export type UpgradeStep = (event: Raw, state: UpgradeState) => Raw[];

export function newUpgradeState(): UpgradeState {
  return {
    version: null,
    options: null,
    handles: new Map(),
    consoleMessages: new Map(),
    snapshotPhases: new Map(),
  };
}

/** Lines of old versions that define objects others point to may repeat without end; maps stop growing here. */
export const MOST_REMEMBERED = 200_000;

export function remember<V>(map: Map<string, V>, key: string, value: V): void {
  if (map.size < MOST_REMEMBERED) map.set(key, value);
}
