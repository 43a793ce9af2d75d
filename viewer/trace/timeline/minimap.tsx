import type { JSX, TargetedPointerEvent } from "preact";
import { useModel } from "../model/model.ts";
import { createScale, fitted, type Scale } from "./scale.ts";
import { timelineState } from "./state.ts";

/** Where the shown part lies in the whole, once it is not all of it; can be dragged. Shift with arrows does the same. */
export function Minimap({ scale }: { scale: Scale }): JSX.Element {
  const model = useModel();
  const { zoom } = timelineState(model);
  const part = zoom.value;
  const range = model.range.value;
  const { folding } = scale;
  const whole = createScale(range[0], range[1], scale.width, folding);
  const centre = (event: TargetedPointerEvent<HTMLDivElement>): void => {
    if (!part || event.buttons === 0) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    const x = event.clientX - event.currentTarget.getBoundingClientRect().left;
    const length = folding.place(part[1]) - folding.place(part[0]);
    zoom.value = fitted(folding, range, folding.place(whole.ts(x)) - length / 2, length);
    model.stopFollowing();
  };
  return (
    <div class="minimap" aria-hidden="true" onPointerDown={centre} onPointerMove={centre}>
      {part && (
        <div
          class="minimap-thumb"
          style={{
            left: `${whole.x(part[0])}px`,
            width: `${Math.max(8, whole.x(part[1]) - whole.x(part[0]))}px`,
          }}
        />
      )}
    </div>
  );
}
