import { useEffect, useRef, useState } from "preact/hooks";
import type { TraceModel } from "../model/model.ts";

/** CSS pixels. */
export interface Size {
  width: number;
  height: number;
}

/** When a recording says nothing of its window. */
export const USUAL_VIEWPORT: Size = { width: 1280, height: 720 };

/** The window of the recorded browser, where the trace says it. */
export function recordedViewport(model: TraceModel): Size | null {
  const [, width, height] =
    /(\d{2,5})\s*[x×,]\s*(\d{2,5})/.exec(model.summary.value?.environment.viewport ?? "") ?? [];
  return width && height ? { width: Number(width), height: Number(height) } : null;
}

/** The factor by which a page fits into its room; 0 before it is known. */
export function useScale({ width, height }: Size) {
  const room = useRef<HTMLDivElement>(null);
  const [scale, setScale] = useState(0);
  useEffect(() => {
    const element = room.current;
    if (!element) return;
    const measure = () => setScale(Math.min(1, element.clientWidth / width, element.clientHeight / height));
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    measure();
    return () => observer.disconnect();
  }, [width, height]);
  return { room, scale };
}
