import { type KeyBinding, useKeys } from "../../ui/keyboard.ts";
import type { TraceModel } from "../model/model.ts";
import { injectionsOf } from "./injections.ts";
import { switchClock } from "./options.tsx";
import { panned, type Scale, zoomed } from "./scale.ts";
import { timelineState, toggleIdle } from "./state.ts";

const GROUP = "Timeline";
const ZOOM = 1.6;
const STEP = 0.01;
const STRIDE = 0.05;

/** Zooms around the playhead where it is in view, else around the middle. */
function zoomBy(model: TraceModel, scale: Scale, factor: number): boolean {
  const at = scale.x(model.playhead.peek());
  const x = at >= 0 && at <= scale.width ? at : scale.width / 2;
  timelineState(model).zoom.value = zoomed(scale, model.range.peek(), x, factor);
  return true;
}

function showAll(model: TraceModel): boolean {
  timelineState(model).zoom.value = null;
  model.setWindow(null);
  return true;
}

/** Goes to the next injected fault after the playhead and lights what followed it; after the last to the first. */
function nextInjection(model: TraceModel): boolean {
  const { injection } = timelineState(model);
  const all = injectionsOf(model);
  const at = all.findIndex((mark) => mark.seq === injection.peek());
  const next = all[(at + 1) % Math.max(1, all.length)];
  if (!next) return false;
  model.selectTime(next.ts);
  injection.value = next.seq;
  return true;
}

/** Makes one end of the window out of the playhead. */
function setEnd(model: TraceModel, end: "from" | "to"): boolean {
  const at = model.playhead.peek();
  const [from, to] = model.window.peek() ?? model.range.peek();
  if (end === "from") model.setWindow([at, at < to ? to : model.range.peek()[1]]);
  else model.setWindow([at > from ? from : model.range.peek()[0], at]);
  return true;
}

/** The keys of the timeline that hold wherever the focus is. */
export function useTimelineKeys(
  model: TraceModel,
  scaleOf: () => Scale,
  track: { current: HTMLElement | null },
): void {
  const isFocused = (): boolean => track.current !== null && document.activeElement === track.current;
  const command = (label: string, keys: string[], run: KeyBinding["run"]): KeyBinding => ({
    keys,
    label,
    group: GROUP,
    run,
  });
  useKeys([
    command("Zoom in", ["+", "="], () => zoomBy(model, scaleOf(), 1 / ZOOM)),
    command("Zoom out", ["-"], () => zoomBy(model, scaleOf(), ZOOM)),
    command("Show the whole trace", ["0"], () => showAll(model)),
    command("Begin the window at the playhead, with the timeline focused", ["i"], () =>
      isFocused() ? setEnd(model, "from") : false,
    ),
    command("End the window at the playhead, with the timeline focused", ["o"], () =>
      isFocused() ? setEnd(model, "to") : false,
    ),
    command("Fold or unfold idle time", ["t i"], () => {
      toggleIdle();
      return true;
    }),
    command("The wall's clock or the page's own", ["t v"], () => switchClock(model)),
    command("Next injected fault and what followed", ["t j"], () => nextInjection(model)),
    command("Timeline settings", ["t l"], () => {
      const button = document.querySelector<HTMLButtonElement>(".timeline-settings");
      button?.click();
      return button !== null;
    }),
    command("Drop the picked injection", ["Escape"], () => {
      const { injection } = timelineState(model);
      const hadOne = injection.peek() !== null;
      injection.value = null;
      return hadOne;
    }),
  ]);
}

/** The arrows, Home, End and page keys on the focused timeline. Times move by a share of what is shown. */
export function onTrackKey(event: KeyboardEvent, model: TraceModel, scale: Scale): void {
  if (event.altKey || event.ctrlKey || event.metaKey) return;
  const [first, last] = model.range.peek();
  const x = scale.x(model.playhead.peek());
  const by = scale.width * (event.shiftKey ? STRIDE : STEP);
  const moves: Record<string, () => number> = {
    ArrowRight: () => scale.ts(x + by),
    ArrowUp: () => scale.ts(x + by),
    ArrowLeft: () => scale.ts(x - by),
    ArrowDown: () => scale.ts(x - by),
    Home: () => first,
    End: () => last,
  };
  const move = moves[event.key];
  const page = event.key === "PageDown" ? 1 : event.key === "PageUp" ? -1 : 0;
  if (!move && page === 0) return;
  event.preventDefault();
  if (move) model.selectTime(move());
  const { zoom } = timelineState(model);
  if (page !== 0) zoom.value = panned(scale, [first, last], page * scale.width * 0.9);
  else reveal(model, scale);
}

/** Brings the playhead back into view after it moved out of it. */
function reveal(model: TraceModel, scale: Scale): void {
  const { zoom } = timelineState(model);
  const x = scale.x(model.playhead.peek());
  if (zoom.peek() === null || (x >= 0 && x <= scale.width)) return;
  zoom.value = panned(scale, model.range.peek(), x < 0 ? x - scale.width * 0.1 : x - scale.width * 0.9);
}
