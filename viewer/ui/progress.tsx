import type { JSX } from "preact";

/** A bar from 0 to 1; null runs without an end. */
export function Progress({ value, label }: { value: number | null; label: string }): JSX.Element {
  return (
    <div
      class={value === null ? "progress is-endless" : "progress"}
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={value === null ? undefined : Math.round(value * 100)}
    >
      <div class="progress-bar" style={value === null ? {} : { width: `${(value * 100).toFixed(1)}%` }} />
    </div>
  );
}
