import { computed, signal } from "@preact/signals";
import type { JSX } from "preact";
import { errorText } from "../api/request.ts";
import { formatWall } from "./format.ts";
import { Warning } from "./icons.tsx";

interface Old {
  /** When it was asked for in vain first, epoch ms. */
  since: number;
  error: unknown;
  again: () => void;
}

/** Answers that are shown although newer ones could not be had, by who shows them. */
const olds = signal<ReadonlyMap<object, Old>>(new Map());
const first = computed(() => [...olds.value.values()].toSorted((a, b) => a.since - b.since)[0] ?? null);

/** What `owner` shows could not be asked for anew. @param again asks once more */
export function markOld(owner: object, error: unknown, again: () => void): void {
  const since = olds.peek().get(owner)?.since ?? Date.now();
  olds.value = new Map(olds.peek()).set(owner, { since, error, again });
}

/** What `owner` shows is new, or is shown no more. */
export function markFresh(owner: object): void {
  if (!olds.peek().has(owner)) return;
  const others = new Map(olds.peek());
  others.delete(owner);
  olds.value = others;
}

/** Says that what the page shows is old, and why. */
export function OldStrip(): JSX.Element {
  const old = first.value;
  const again = (): void => {
    for (const one of olds.peek().values()) one.again();
  };
  return (
    <div role="status">
      {old && (
        <div class="old-strip">
          <Warning />
          <span class="captured">
            Shown as it was at {formatWall(old.since)}: {errorText(old.error)}
          </span>
          <button type="button" class="button" onClick={again}>
            Try again
          </button>
        </div>
      )}
    </div>
  );
}
