import type { JSX } from "preact";
import { useModel } from "../model/model.ts";
import { useStepEvent } from "../model/use-event.ts";
import { recordedViewport, type Size } from "./frame.ts";

/** Where the pointer acted in the shown step, on whatever form of the page lies below; at its moment only. */
export function ClickPoint({ size }: { size: Size }): JSX.Element | null {
  const model = useModel();
  const point = useStepEvent(model, model.step.value).data?.point;
  if (model.hasOwnTime.value || (model.moment.value ?? "action") !== "action") return null;
  if (!point || typeof point !== "object" || !("x" in point) || !("y" in point)) return null;
  const { width, height } = recordedViewport(model) ?? size;
  const [x, y] = [Number(point.x), Number(point.y)];
  if (!(x >= 0 && y >= 0 && x <= width && y <= height)) return null;
  return (
    <span
      class="click-point"
      role="img"
      aria-label={`The pointer acted here, at ${Math.round(x)}, ${Math.round(y)}`}
      style={{ left: `${(x / width) * 100}%`, top: `${(y / height) * 100}%` }}
    />
  );
}
