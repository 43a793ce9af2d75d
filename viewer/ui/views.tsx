import type { Signal } from "@preact/signals";
import type { JSX } from "preact";

interface ViewsProps<View extends string> {
  label: string;
  views: readonly (readonly [View, word: string])[];
  view: Signal<View>;
}

/** The views that something has, one of which is shown. */
export function Views<View extends string>({ label, views, view }: ViewsProps<View>): JSX.Element {
  return (
    <div class="subtabs" role="group" aria-label={label}>
      {views.map(([name, word]) => (
        <button
          key={name}
          type="button"
          class="toggle"
          aria-pressed={view.value === name}
          onClick={() => {
            view.value = name;
          }}
        >
          {word}
        </button>
      ))}
    </div>
  );
}
