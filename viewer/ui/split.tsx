import type { ComponentChildren, JSX, TargetedKeyboardEvent, TargetedPointerEvent } from "preact";
import { useRef, useState } from "preact/hooks";
import { isServer } from "../where.ts";
import { recallNumber, remember } from "./storage.ts";

interface SplitProps {
  /** Key under which the size is remembered. */
  id: string;
  /** Which side keeps its size in pixels; the other takes the rest. */
  fixed: "start" | "end";
  direction: "row" | "column";
  initial: number;
  min: number;
  /** Least pixels left for the flexible side. */
  rest: number;
  label: string;
  start: ComponentChildren;
  end: ComponentChildren;
}

const STEP = 16;

/** Two panes with an edge to drag (or to move with the arrow keys; double click puts it back). */
export function Split(props: SplitProps): JSX.Element {
  const host = useRef<HTMLDivElement>(null);
  const [size, setSize] = useState(() => recallNumber(`split.${props.id}`, props.initial, props.min, 4000));
  const isRow = props.direction === "row";

  const apply = (wanted: number): void => {
    const room = host.current ? (isRow ? host.current.clientWidth : host.current.clientHeight) : 4000;
    const next = Math.round(Math.max(props.min, Math.min(wanted, room - props.rest)));
    setSize(next);
    remember(`split.${props.id}`, String(next));
  };
  const onPointerDown = (event: TargetedPointerEvent<HTMLDivElement>): void => {
    if (event.button !== 0) return;
    event.preventDefault();
    const edge = event.currentTarget;
    edge.setPointerCapture(event.pointerId);
    const origin = isRow ? event.clientX : event.clientY;
    const before = size;
    const move = (moved: PointerEvent): void => {
      const delta = (isRow ? moved.clientX : moved.clientY) - origin;
      apply(before + (props.fixed === "start" ? delta : -delta));
    };
    const stop = (): void => {
      edge.removeEventListener("pointermove", move);
      edge.removeEventListener("pointerup", stop);
      edge.removeEventListener("pointercancel", stop);
    };
    edge.addEventListener("pointermove", move);
    edge.addEventListener("pointerup", stop);
    edge.addEventListener("pointercancel", stop);
  };
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLDivElement>): void => {
    const grows = isRow ? "ArrowRight" : "ArrowDown";
    const shrinks = isRow ? "ArrowLeft" : "ArrowUp";
    if (event.key !== grows && event.key !== shrinks) return;
    event.preventDefault();
    const sign = (event.key === grows ? 1 : -1) * (props.fixed === "start" ? 1 : -1);
    apply(size + sign * STEP);
  };
  // The server does not know what was chosen here; the page that it sends does.
  const fixedStyle = { flex: `0 1 ${isServer ? `var(--split-${props.id}, ${size}px)` : `${size}px`}` };
  const restStyle = { flex: "1 1 0px" };

  return (
    <div ref={host} class={`split split-${props.direction}`}>
      <div class="pane" style={props.fixed === "start" ? fixedStyle : restStyle}>
        {props.start}
      </div>
      <div
        class="edge"
        role="separator"
        aria-orientation={isRow ? "vertical" : "horizontal"}
        aria-label={props.label}
        aria-valuenow={size}
        aria-valuemin={props.min}
        tabIndex={0}
        onPointerDown={onPointerDown}
        onKeyDown={onKeyDown}
        onDblClick={() => apply(props.initial)}
      />
      <div class="pane" style={props.fixed === "end" ? fixedStyle : restStyle}>
        {props.end}
      </div>
    </div>
  );
}
