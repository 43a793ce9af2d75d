import type { JSX } from "preact";

/** The mark of the program: three lines of a trace. */
export function Mark(): JSX.Element {
  return (
    <svg class="mark" viewBox="0 0 16 16" width="20" height="20" aria-hidden="true">
      <rect width="16" height="16" rx="3.5" class="mark-ground" />
      <path d="M3 5h7M3 8h10M3 11h5" class="mark-lines" />
    </svg>
  );
}
