import { type Signal, signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { TraceModel } from "../model/model.ts";
import type { Scale } from "./scale.ts";

const SLACK = 4;
const CLOSEST_MS = 5;

/** Where the pointer is and what it is doing on the timeline. */
export function createGestures() {
  return {
    /** Moment under the pointer, epoch ms. */
    hover: signal<number | null>(null),
    /** The span being drawn. */
    draft: signal<readonly [number, number] | null>(null),
    /** The part of the trace that is shown; null shows all. */
    zoom: signal<readonly [number, number] | null>(null),
  };
}

export type Gestures = ReturnType<typeof createGestures>;

const ordered = (a: number, b: number): readonly [number, number] => (a <= b ? [a, b] : [b, a]);

interface Press {
  x: number;
  ts: number;
  /** The end that stays while the other is dragged. */
  anchor: number | null;
}

/** Press moves the playhead, drag draws a window, its edges can be dragged, the wheel zooms. */
export function useGestures(
  track: { current: HTMLDivElement | null },
  scaleOf: () => Scale,
  model: TraceModel,
  gestures: Gestures,
): void {
  useEffect(() => {
    const element = track.current;
    if (!element) return;
    let press: Press | null = null;
    const xOf = (event: PointerEvent | WheelEvent): number =>
      event.clientX - element.getBoundingClientRect().left;

    const down = (event: PointerEvent): void => {
      if (event.button !== 0) return;
      const x = xOf(event);
      const span = model.window.peek();
      const grip = event.target instanceof Element ? event.target.closest<HTMLElement>("[data-grip]") : null;
      const anchor = grip && span ? (grip.dataset.grip === "from" ? span[1] : span[0]) : null;
      press = { x, ts: scaleOf().ts(x), anchor };
      element.setPointerCapture(event.pointerId);
    };
    const move = (event: PointerEvent): void => {
      const scale = scaleOf();
      const x = Math.max(0, Math.min(scale.width, xOf(event)));
      gestures.hover.value = scale.ts(x);
      if (!press) return;
      if (press.anchor === null && Math.abs(x - press.x) < SLACK) return;
      gestures.draft.value = ordered(press.anchor ?? press.ts, scale.ts(x));
    };
    const up = (event: PointerEvent): void => {
      if (!press) return;
      const span = gestures.draft.peek();
      if (span) model.setWindow(span[1] - span[0] >= CLOSEST_MS ? span : null);
      else if (press.anchor === null) model.selectTime(scaleOf().ts(xOf(event)));
      press = null;
      gestures.draft.value = null;
    };
    const cancel = (): void => {
      press = null;
      gestures.draft.value = null;
    };
    const leave = (): void => {
      if (!press) gestures.hover.value = null;
    };
    const wheel = (event: WheelEvent): void => {
      const scale = scaleOf();
      const [from, to] = model.range.peek();
      event.preventDefault();
      const isPan = Math.abs(event.deltaX) > Math.abs(event.deltaY);
      zoomBy(
        gestures.zoom,
        scale,
        from,
        to,
        isPan ? { pan: event.deltaX } : { at: xOf(event), by: event.deltaY },
      );
    };
    const restore = (): void => {
      model.setWindow(null);
      gestures.zoom.value = null;
    };
    element.addEventListener("pointerdown", down);
    element.addEventListener("pointermove", move);
    element.addEventListener("pointerup", up);
    element.addEventListener("pointercancel", cancel);
    element.addEventListener("pointerleave", leave);
    element.addEventListener("wheel", wheel, { passive: false });
    element.addEventListener("dblclick", restore);
    return () => {
      element.removeEventListener("pointerdown", down);
      element.removeEventListener("pointermove", move);
      element.removeEventListener("pointerup", up);
      element.removeEventListener("pointercancel", cancel);
      element.removeEventListener("pointerleave", leave);
      element.removeEventListener("wheel", wheel);
      element.removeEventListener("dblclick", restore);
    };
  }, [model]);
}

type Turn = { pan: number } | { at: number; by: number };

function zoomBy(
  zoom: Signal<readonly [number, number] | null>,
  scale: Scale,
  first: number,
  last: number,
  turn: Turn,
): void {
  const span = scale.to - scale.from;
  const fit = (from: number, length: number): void => {
    const size = Math.max(CLOSEST_MS, Math.min(length, last - first));
    const start = Math.max(first, Math.min(from, last - size));
    zoom.value = size >= last - first ? null : [start, start + size];
  };
  if ("pan" in turn) {
    fit(scale.from + (turn.pan / Math.max(1, scale.width)) * span, span);
    return;
  }
  const length = span * 1.0018 ** turn.by;
  const ts = scale.ts(turn.at);
  fit(ts - (turn.at / Math.max(1, scale.width)) * length, length);
}
