import { useLayoutEffect } from "preact/hooks";
import type { TraceModel } from "../model/model.ts";
import { createScale, type Part, panned, type Scale, zoomed } from "./scale.ts";
import type { TimelineState } from "./state.ts";

const SLACK = 4;
/** A shorter window is a slip of the hand. */
const SHORTEST_MS = 5;
const WHEEL = 1.0018;
/** A pinch on a trackpad comes as a wheel of few pixels. */
const PINCH = 1.01;
const LINE = 16;

const ordered = (a: number, b: number): Part => (a <= b ? [a, b] : [b, a]);

/** How far two fingers are apart, and the middle between them. */
function spread(fingers: ReadonlyMap<number, number>): { width: number; middle: number } | null {
  const [a, b] = [...fingers.values()];
  if (a === undefined || b === undefined) return null;
  return { width: Math.max(1, Math.abs(a - b)), middle: (a + b) / 2 };
}

type Press =
  /** `anchor` is the end that stays while the other is dragged. */
  { does: "draw"; x: number; ts: number; anchor: number | null } | { does: "pan"; x: number };

export interface GestureOptions {
  track: { current: HTMLDivElement | null };
  lanes: { current: HTMLElement | null };
  scaleOf: () => Scale;
  model: TraceModel;
  state: TimelineState;
  /** A press without a drag. */
  onPick: (x: number, y: number) => void;
}

/**
 * Press moves the playhead, drag draws a window and its edges can be dragged; with Shift, or the middle button, the view
 * is dragged. The wheel and two fingers zoom around where they are, sideways or with Shift the wheel moves
 * the view; a double click shows all.
 */
export function useGestures({ track, lanes, scaleOf, model, state, onPick }: GestureOptions): void {
  // Before the timeline can be seen, and a press be meant for it.
  useLayoutEffect(() => {
    const element = track.current;
    if (!element) return;
    let press: Press | null = null;
    const listening = new AbortController();
    const { signal } = listening;
    const xOf = (event: MouseEvent): number => event.clientX - element.getBoundingClientRect().left;
    const yOf = (event: MouseEvent): number =>
      event.clientY - (lanes.current?.getBoundingClientRect().top ?? Number.POSITIVE_INFINITY);
    const show = (part: Part | null): void => {
      state.zoom.value = part;
      if (part && part[1] < model.range.peek()[1]) model.stopFollowing();
    };

    /** Fingers on the track and where they are. */
    const fingers = new Map<number, number>();
    const pinch = (event: PointerEvent): void => {
      const before = spread(fingers);
      fingers.set(event.pointerId, xOf(event));
      const after = spread(fingers);
      if (!before || !after) return;
      cancel();
      const whole = model.range.peek();
      const scale = scaleOf();
      // What lay between the fingers stays between them.
      show(zoomed(scale, whole, after.middle, before.width / after.width));
      show(panned(scaleNow(), whole, before.middle - after.middle));
    };
    const scaleNow = (): Scale => {
      const { width, folding } = scaleOf();
      const [from, to] = state.zoom.peek() ?? model.range.peek();
      return createScale(from, to, width, folding);
    };

    const down = (event: PointerEvent): void => {
      if (event.pointerType === "touch") fingers.set(event.pointerId, xOf(event));
      if (fingers.size > 1) {
        cancel();
        return;
      }
      const isPan = event.button === 1 || (event.button === 0 && event.shiftKey);
      if (event.button !== 0 && !isPan) return;
      if (isPan) event.preventDefault();
      const x = xOf(event);
      const span = model.window.peek();
      const grip = event.target instanceof Element ? event.target.closest<HTMLElement>("[data-grip]") : null;
      const anchor = grip && span ? (grip.dataset.grip === "from" ? span[1] : span[0]) : null;
      press = isPan ? { does: "pan", x } : { does: "draw", x, ts: scaleOf().ts(x), anchor };
      element.setPointerCapture(event.pointerId);
    };
    const move = (event: PointerEvent): void => {
      if (fingers.size > 1) {
        pinch(event);
        return;
      }
      const scale = scaleOf();
      const x = Math.max(0, Math.min(scale.width, xOf(event)));
      const strip = event.target instanceof Element ? event.target.closest<HTMLElement>("[data-page]") : null;
      if (event.pointerType !== "touch")
        state.hover.value = { ts: scale.ts(x), x, y: yOf(event), page: strip?.dataset.page ?? null };
      if (press?.does === "pan") {
        show(panned(scale, model.range.peek(), press.x - x));
        press.x = x;
      } else if (press && (press.anchor !== null || Math.abs(x - press.x) >= SLACK))
        state.draft.value = ordered(press.anchor ?? press.ts, scale.ts(x));
    };
    const up = (event: PointerEvent): void => {
      fingers.delete(event.pointerId);
      const span = state.draft.peek();
      if (span) model.setWindow(span[1] - span[0] >= SHORTEST_MS ? span : null);
      else if (press?.does === "draw" && press.anchor === null) onPick(xOf(event), yOf(event));
      cancel();
    };
    const cancel = (): void => {
      press = null;
      state.draft.value = null;
    };
    const lost = (event: PointerEvent): void => {
      fingers.delete(event.pointerId);
      cancel();
    };
    const leave = (): void => {
      if (!press) state.hover.value = null;
    };
    const wheel = (event: WheelEvent): void => {
      // More strips of pictures than are seen scroll.
      const isInFilm = event.target instanceof Element && event.target.closest(".film.is-long") !== null;
      if (isInFilm && !event.ctrlKey && !event.shiftKey) return;
      event.preventDefault();
      const unit = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? LINE : 1;
      const [dx, dy] = [event.deltaX * unit, event.deltaY * unit];
      const isPan = !event.ctrlKey && (event.shiftKey || Math.abs(dx) > Math.abs(dy));
      const whole = model.range.peek();
      if (isPan) show(panned(scaleOf(), whole, Math.abs(dx) > Math.abs(dy) ? dx : dy));
      else show(zoomed(scaleOf(), whole, xOf(event), (event.ctrlKey ? PINCH : WHEEL) ** dy));
    };
    const restore = (): void => {
      model.setWindow(null);
      state.zoom.value = null;
    };
    element.addEventListener("pointerdown", down, { signal });
    element.addEventListener("pointermove", move, { signal });
    element.addEventListener("pointerup", up, { signal });
    element.addEventListener("pointercancel", lost, { signal });
    element.addEventListener("pointerleave", leave, { signal });
    element.addEventListener("wheel", wheel, { signal, passive: false });
    element.addEventListener("dblclick", restore, { signal });
    return () => listening.abort();
  }, [model]);
}
