import type { Signal } from "@preact/signals";
import type { JSX } from "preact";

/** Narrows a list to the shown step. */
export function StepToggle({ isOn }: { isOn: Signal<boolean> }): JSX.Element {
  return (
    <button
      type="button"
      class="toggle"
      aria-pressed={isOn.value}
      title="Only what happened during the shown step"
      onClick={() => {
        isOn.value = !isOn.value;
      }}
    >
      This step
    </button>
  );
}
