import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { useKeys } from "../../ui/keyboard.ts";
import { useModel } from "../model/model.ts";
import { useDecoded } from "./screenshot.tsx";

const isOn = signal(false);
/** Of the picture that lies on top, percent. */
const opacity = signal(50);

/** The screenshot of the same instant, laid over another form of the page. */
export function LaidOver(): JSX.Element | null {
  const model = useModel();
  const { shown } = useDecoded(model, isOn.value ? model.shot.value : null);
  if (!isOn.value || !shown) return null;
  return (
    <img
      class="laid-over"
      src={shown.url}
      alt="The screenshot of the same moment, laid over the page"
      draggable={false}
      style={{ opacity: String(opacity.value / 100) }}
    />
  );
}

/** Lays the screenshot over the page, and says how much of it is seen. */
export function OverlaySwitch(): JSX.Element | null {
  const model = useModel();
  const others = model.views.value.filter((view) => view !== "screenshot");
  const isPossible = others.length > 0 && model.views.value.includes("screenshot");
  const toggle = (): void => {
    const other = others[0];
    if (model.view.peek() === "screenshot" && other) {
      model.selectView(other);
      isOn.value = true;
    } else isOn.value = !isOn.peek();
  };
  useKeys([
    {
      keys: ["o"],
      label: "Lay the screenshot over the page",
      group: "Page",
      run: () => {
        if (isPossible) toggle();
        return isPossible;
      },
    },
  ]);
  if (!isPossible) return null;
  const isShown = isOn.value && model.view.value !== "screenshot";
  return (
    <span class="overlay-switch">
      <button
        type="button"
        class="toggle"
        aria-pressed={isShown}
        title="Lay the screenshot over the page ( o )"
        onClick={toggle}
      >
        Overlay
      </button>
      {isShown && (
        <input
          type="range"
          min={0}
          max={100}
          step={5}
          value={opacity.value}
          aria-label="Opacity of the screenshot"
          aria-valuetext={`${opacity.value} percent`}
          onInput={(event) => {
            opacity.value = event.currentTarget.valueAsNumber;
          }}
        />
      )}
    </span>
  );
}
