import { computed, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import type { Mark } from "./marks.ts";
import { lowerBound } from "./sorted.ts";

/** Whose time is told: the clock on the wall, or the page's own, which a run can move. */
export type ClockKind = "wall" | "virtual";

/** A moment at which the page's clock was moved. */
export interface ClockMove {
  /** Epoch ms of the wall clock. */
  ts: number;
  byMs: number;
  /** All moves up to and with this one. */
  sum: number;
}

export interface Clocks {
  /** The reader's choice. Where no clock was moved both tell the same, and it has no effect. */
  kind: Signal<ClockKind>;
  moves: ReadonlySignal<readonly ClockMove[]>;
  isVirtual: ReadonlySignal<boolean>;
  /** How far the page's clock had been moved by then, ms. */
  movedBy(ts: number): number;
}

/** The page's clock beside the wall's, from the events that moved it. */
export function createClocks(world: ReadonlySignal<readonly Mark[]>): Clocks {
  const kind = signal<ClockKind>("wall");
  const moves = computed<readonly ClockMove[]>(() => {
    let sum = 0;
    return world.value
      .flatMap(({ ts, advance }) => (advance ? [{ ts, byMs: advance }] : []))
      .sort((a, b) => a.ts - b.ts)
      .map((move) => {
        sum += move.byMs;
        return { ...move, sum };
      });
  });
  const times = computed(() => moves.value.map((move) => move.ts));
  return {
    kind,
    moves,
    isVirtual: computed(() => kind.value === "virtual" && moves.value.length > 0),
    movedBy(ts) {
      // A move at this very moment has happened.
      const after = lowerBound(times.value, ts, true);
      return moves.value[after - 1]?.sum ?? 0;
    },
  };
}
